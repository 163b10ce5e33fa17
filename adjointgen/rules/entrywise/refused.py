"""Common functions that have no rule, each with what to write instead."""

from __future__ import annotations

from adjointgen.rules.framework.declare import refuse

refuse(
    "numpy.lib.stride_tricks.as_strided",
    because="index with an array of integers, or use sliding_window_view",
)

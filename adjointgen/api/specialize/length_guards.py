"""Lengths of arguments that are a fixed number apart, known to a program where it needs them.

`b[1:-1] = a[1:-1]` may repeat the one entry that `a[1:-1]` has, unless `a` and `b` are known to be
of one length. A program that would have to find out when it runs is made again for what holds of
the arguments at hand; a call for which it does not hold has a program of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

Axis = tuple[str, int]
"""An axis of an argument."""
Relation = tuple[Axis, Axis | None, int]
"""`a.shape[i] == b.shape[j] + difference`, as `((a, i), (b, j), difference)`; without a second axis
the length itself."""


def holding(found: Iterable[Relation], values: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which of the relations hold of the arguments of a call."""
    return tuple(_holds(one, values) for one in found)


def _holds(relation: Relation, values: Mapping[str, Any]) -> bool:
    axis, base, far = relation
    return _length(values, axis) == (_length(values, base) if base else 0) + far


def _length(values: Mapping[str, Any], axis: Axis) -> float:
    """The length of an axis; what is equal to nothing where there is none."""
    name, at = axis
    shape = np.shape(values[name]) if isinstance(values[name], np.ndarray) else ()
    return shape[at] if at < len(shape) else math.nan

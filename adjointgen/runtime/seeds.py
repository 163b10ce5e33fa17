"""The test of a module's program that is given many seeds."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_shapes(seeds: tuple[Any, ...], values: tuple[Any, ...]) -> None:
    """Raises ValueError for a seed that has not the shape of the value that it belongs to."""
    for seed, value in zip(seeds, values, strict=True):
        if np.shape(seed) != np.shape(value):
            raise ValueError(f"a seed of shape {np.shape(seed)}, not {np.shape(value)}")

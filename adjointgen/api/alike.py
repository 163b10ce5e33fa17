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

Relation = tuple[str, str, int, int]
"""`a.shape[axis] == b.shape[axis] + difference`, as `(a, b, axis, difference)`; without `b` the
length itself."""


def holding(found: Iterable[Relation], values: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which of the relations hold of the arguments of a call."""
    return tuple(_holds(one, values) for one in found)


def _holds(relation: Relation, values: Mapping[str, Any]) -> bool:
    name, least, axis, far = relation
    base = _length(values[least], axis) if least else 0
    return _length(values[name], axis) == base + far


def _length(value: Any, axis: int) -> float:
    """The length of an axis; what is equal to nothing where there is none."""
    shape = np.shape(value) if isinstance(value, np.ndarray) else ()
    return shape[axis] if axis < len(shape) else math.nan

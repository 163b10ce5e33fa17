"""`np.take` and `np.take_along_axis`: entries by their places, which add up in the transpose."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.ir.types import Dim, broadcast
from adjointgen.rules.framework.declare import linear
from adjointgen.rules.framework.shape_helpers import length, rank_of, reshape_like, size, zero_like
from adjointgen.rules.framework.type_rules import Options, Types, fresh, shaped


def _take_type(types: Types, options: Options) -> Types:
    a, indices = types
    axis = options.get("axis")
    if indices.shape is None or (a.shape is None and axis is not None):
        return (shaped(a.dtype, None),)
    if axis is None or a.shape is None:
        return (shaped(a.dtype, indices.shape),)
    axis %= len(a.shape)
    return (shaped(a.dtype, a.shape[:axis] + indices.shape + a.shape[axis + 1 :]),)


def _within(indices: Any, number: Any, mode: str) -> Any:
    """The places that are taken, where those out of bounds are wrapped or clipped."""
    if mode == "raise":
        return indices
    return indices % number if mode == "wrap" else np.clip(indices, 0, number - 1)


def _take_back(y_bar: Any, a: Any, indices: Any, axis: int | None, mode: str) -> Any:
    """Every entry goes back to where it was taken from; repeated ones add up."""
    indices = _within(indices, size(a) if axis is None else length(a, axis), mode)
    if axis is None:
        flat = zero_like(a) if a.type.rank == 1 else zero_like(a.apply("ravel", a))
        return reshape_like(y_bar.apply("accumulate", flat, y_bar, indices, index="_"), a)
    index = ":, " * (axis % rank_of(a, "take")) + "_"
    return y_bar.apply("accumulate", zero_like(a), y_bar, indices, index=index)


linear(
    "take",
    "a, indices, axis=None, mode='raise'",
    ["numpy.take", ".take"],
    {0: _take_back},
    infer=_take_type,
    domain=[
        ("float64[4]", [0, 2, 0]),
        ("float64[2,3]", [5, 0]),
        ("float64[2,3]", [2, 2, 1], {"axis": 1}),
        ("float64[2,3]", [1, 0], {"axis": 0}),
        ("float64[3]", [4, -1, 0], {"mode": "wrap"}),
        ("float64[2,3]", [7, 1], {"axis": 1, "mode": "clip"}),
    ],
    entries="picked",
)


def _taken_along_type(types: Types, options: Options) -> Types:
    a, indices = types
    if a.shape is None or indices.shape is None:
        return (fresh(a.dtype, None),)
    axis = options.get("axis", -1) % len(a.shape)
    one = Dim("", 1)
    dims = [one if k == axis else d for k, d in enumerate(a.shape)]
    if len(dims) != len(indices.shape):
        raise ValueError("indices have as many axes as the array")
    return (fresh(a.dtype, broadcast(tuple(dims), indices.shape)),)


def _put_along(y_bar: Any, a: Any, indices: Any, axis: int) -> Any:
    """The positions along one axis, and a grid of the positions along the others."""
    rank = rank_of(a, "take_along_axis")
    grid = []
    for k in range(rank):
        if k == axis % rank:
            grid.append(indices)
            continue
        numbers = y_bar.apply("arange", length(a, k))
        pattern = ", ".join(":" if j == k else "None" for j in range(rank))
        grid.append(numbers.apply("load", numbers, index=pattern) if rank > 1 else numbers)
    index = ", ".join("_" * rank)
    return y_bar.apply("accumulate", zero_like(a), y_bar, *grid, index=index)


linear(
    "take_along_axis",
    "a, indices, axis=-1",
    ["numpy.take_along_axis"],
    {0: _put_along},
    infer=_taken_along_type,
    domain=[
        ("float64[3]", [2, 0, 0], {"axis": 0}),
        ("float64[2,3]", [[0, 0], [2, 1]], {"axis": 1}),
        ("float64[2,3]", [[1, 0, 1]], {"axis": 0}),
    ],
    entries="picked",
)

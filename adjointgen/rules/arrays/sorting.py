"""Sorting, and what is read off the sorted entries: both permute, and the tangent with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.rules.arrays.reductions import weighted
from adjointgen.rules.framework.batching import along, reduction
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import in_dtype_of, rank_of, reshape_like, size
from adjointgen.rules.framework.type_rules import (
    Types,
    fresh,
    mean_reduction,
    size_dim,
)

Options = Mapping[str, Any]
Args = Sequence[Any]


def flat(a: Any, axis: Any) -> Any:
    """What is sorted without an axis: all entries in a row."""
    return a.apply("ravel", a) if axis is None and a.type.rank != 1 else a


def _sorted_type(types: Types, options: Options) -> Types:
    (a,) = types
    flat = options.get("axis", -1) is None
    return (fresh(a.dtype, (size_dim(a.shape),) if flat else a.shape),)


def order_of(a: Any, axis: Any) -> Any:
    """The permutation that sorts, equal entries in their order."""
    return a.apply("argsort", a, axis=axis, kind="stable")


def permute(v: Any, order: Any, axis: Any) -> Any:
    """The entries in this order along the axis."""
    if order.type.rank == 1:
        return v.apply("load", v, order, index="_")
    return v.apply("take_along_axis", v, order, axis=axis)


def _sort_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """Sorting permutes, and the tangent is permuted alike."""
    axis = options["axis"]
    dot = flat(dots[0], axis)
    return permute(dot, order_of(args[0], axis), axis)


def _sort_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """The inverse permutation sorts the permutation."""
    axis = options["axis"]
    back = order_of(order_of(args[0], axis), 0 if axis is None else axis)
    return [reshape_like(permute(y_bar, back, axis), args[0])]


general(
    "sort",
    "a, axis=-1, kind=None",
    ["numpy.sort"],
    _sort_tangent,
    _sort_adjoint,
    infer=_sorted_type,
    domain=[
        ("float64[4]",),
        ("float64[2,3]",),
        ("float64[3,2]", {"axis": 0}),
        ("float64[2,3]", {"axis": None}),
    ],
    cost=20,
    edge="equal entries keep their order",
    batch=along,
)


def _middle(y: Any, a: Any, axis: Any, keepdims: bool) -> tuple[Any, None]:
    """Half for each of the two middle entries, which are one where their number is odd."""
    if isinstance(axis, tuple):
        if len(axis) != rank_of(a, "median"):
            raise NoRule(
                "no derivative rule for the median along several axes of more",
                code="AG201",
                help="reshape these axes to one",
            )
        axis = None
    place = order_of(order_of(a, axis), 0 if axis is None else axis)
    place = reshape_like(place, a) if axis is None else place
    number = size(a, axis)
    lower, upper = place == (number - 1) // 2, place == number // 2
    return in_dtype_of(y, 0.5 * lower + 0.5 * upper), None


weighted(
    "median",
    ["numpy.median"],
    _middle,
    infer=mean_reduction,
    domain=[
        ("float64[4]",),
        ("float64[5]",),
        ("float64[3,3]",),
        ("float64[3,4]", {"axis": 1}),
        ("float64[3,4]", {"axis": 0, "keepdims": True}),
    ],
    cost=20,
    edge="of equal entries, those that come in the middle in their order",
    entries="picked",
    batch=reduction,
)

"""Operations that reduce or accumulate along axes: sums, means, products, extrema, norms.

A tangent is the reduction of the entries' tangents with weights; the adjoint spreads `y_bar` over
the reduced axes (`expand`) and multiplies with the same weights. So one function per operation
gives the weights `dy/dx`, and `_weighted` makes both modes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.ir.types import PART_OF
from adjointgen.rules.framework.batching import reduction
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.complex_convention import conjugated, real_part
from adjointgen.rules.framework.declare import general, linear
from adjointgen.rules.framework.shape_helpers import expand, in_dtype_of, rank_of, reduce_sum, size
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Types,
    keep_reduction,
    mean_reduction,
    of_entries,
    result_dtype,
    sum_reduction,
)

Options = Mapping[str, Any]
_AXES = "a, axis=None, keepdims=False"
_EXAMPLES: list[tuple[Any, ...]] = [
    ("float64",),
    ("float64[3]",),
    ("float64[2,3]",),
    ("float64[2,3]", {"axis": 0}),
    ("float64[2,3]", {"axis": -1, "keepdims": True}),
    ("float64[2,3,2]", {"axis": (0, 2)}),
]


def weighted(
    name: str,
    spellings: Sequence[str],
    weights: Any,
    *,
    signature: str = _AXES,
    infer: Infer = keep_reduction,
    domain: Sequence[tuple[Any, ...]] = (),
    **fields: Any,
) -> None:
    """`y_dot = sum(w * a_dot) / d` and `a_bar = expand(y_bar / d) * w`.

    `weights(y, a, **options)` gives `w` in the shape of `a`, and `d` in the shape of `y` or None.
    What `omits` entries that are NaN has truth values for `w`, and derivatives may be NaN there.
    """
    omits = fields.get("omits", False)

    def weigh(w: Any, derivative: Any) -> Any:
        return w.apply("select", w, derivative, 0.0) if omits else w * derivative

    def tangent(
        b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
    ) -> Any:
        w, d = weights(y, args[0], **_named(options))
        total = reduce_sum(weigh(w, dots[0]), options["axis"], options["keepdims"])
        return _over(real_part(total, y), d, y)

    def adjoint(b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Options) -> list[Any]:
        w, d = weights(y, args[0], **_named(options))
        spread = expand(_over(y_bar, d, y), args[0], options["axis"], options["keepdims"])
        return [weigh(w, spread) if omits else spread * w]

    examples = list(domain or _EXAMPLES)
    general(name, signature, spellings, tangent, adjoint, infer=infer, domain=examples, **fields)


def _over(value: Any, divisor: Any, y: Any) -> Any:
    """The quotient, where there is a divisor."""
    return value if divisor is None else value / in_dtype_of(y, divisor)


def _named(options: Options) -> dict[str, Any]:
    return {k: v for k, v in options.items() if k not in ("dtype", "spelling")}


def _spread(y_bar: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    return expand(y_bar, a, axis, keepdims)


linear(
    "sum",
    f"{_AXES}, dtype=None",
    ["numpy.sum", ".sum"],
    {0: _spread},
    infer=sum_reduction,
    domain=[*_EXAMPLES, ("float64[2,3]", {"axis": ()}), ("float64[0]",)],
    loop="fold",
    noun="total",
    keeps_zero=True,
    reduces=True,
    batch=reduction,
)
linear(
    "mean",
    f"{_AXES}, dtype=None",
    ["numpy.mean", ".mean"],
    {0: lambda y_bar, a, axis, keepdims: expand(y_bar / size(a, axis), a, axis, keepdims)},
    infer=mean_reduction,
    domain=_EXAMPLES,
    loop="fold",
    reduces=True,
    checked="foreign",
    batch=reduction,
)
linear(
    "sum_items",
    "a",
    ["builtins.sum", "math.fsum"],
    {0: lambda y_bar, a: expand(y_bar, a, 0)},
    infer=of_entries(lambda types, options: sum_reduction(types[:1], {"axis": 0})),
    domain=[("float64[3]",), ("float64[2,3]",)],
)


weighted(
    "nansum",
    ["numpy.nansum"],
    lambda y, a, axis, keepdims: (~np.isnan(a), None),
    signature=f"{_AXES}, dtype=None",
    infer=sum_reduction,
    omits=True,
    edge="0 for the NaN entries",
    batch=reduction,
)
weighted(
    "nanmean",
    ["numpy.nanmean"],
    lambda y, a, axis, keepdims: (~np.isnan(a), reduce_sum(~np.isnan(a), axis, keepdims)),
    infer=mean_reduction,
    omits=True,
    edge="0 for the NaN entries",
    checked="foreign",
    batch=reduction,
)


def _extremal(y: Any, a: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    """1 where an entry equals the extremum, shared evenly where several do."""
    hits = a == expand(y, a, axis, keepdims)
    return hits, reduce_sum(hits, axis, keepdims)


_SHARED = "shared evenly among equal entries"
for _name in ("nanmax", "nanmin"):
    edge = f"{_SHARED}; 0 for the NaN entries"
    weighted(_name, [f"numpy.{_name}"], _extremal, omits=True, edge=edge, entries="picked")
weighted(
    "amax",
    ["numpy.max", "numpy.amax", ".max"],
    _extremal,
    edge=_SHARED,
    loop="fold",
    noun="largest",
    entries="picked",
    reduces=True,
    batch=reduction,
)
weighted(
    "amin",
    ["numpy.min", "numpy.amin", ".min"],
    _extremal,
    edge=_SHARED,
    loop="fold",
    noun="smallest",
    entries="picked",
    reduces=True,
    batch=reduction,
)


def _range(y: Any, a: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    """The weights of the largest entries less those of the smallest."""
    parts = []
    for op in ("amax", "amin"):
        hits, number = _extremal(a.apply(op, a, axis=axis, keepdims=True), a, axis, True)
        parts.append(hits / number)
    return in_dtype_of(a, parts[0] - parts[1]), None


weighted("ptp", ["numpy.ptp"], _range, domain=_EXAMPLES[1:], edge=_SHARED, batch=reduction)


def _deviation(a: Any, axis: Any) -> Any:
    return conjugated(a - a.apply("mean", a, axis=axis, keepdims=True))


def _degrees(a: Any, axis: Any, ddof: Any) -> Any:
    return size(a, axis) - ddof if ddof else size(a, axis)


def _variance_type(types: Types, options: Options) -> Types:
    """A variance is real."""
    (mean,) = mean_reduction(types, options)
    return (mean.with_dtype(PART_OF.get(mean.dtype, mean.dtype)),)


_SPREAD = f"{_AXES}, ddof=0"
_SPREADS = [*_EXAMPLES[1:], ("float64[2,3]", {"axis": 1, "ddof": 1})]
weighted(
    "var",
    ["numpy.var", ".var"],
    lambda y, a, axis, keepdims, ddof: (2.0 * _deviation(a, axis) / _degrees(a, axis, ddof), None),
    signature=_SPREAD,
    infer=_variance_type,
    domain=_SPREADS,
    reduces=True,
    checked="foreign",
    batch=reduction,
)
weighted(
    "std",
    ["numpy.std", ".std"],
    lambda y, a, axis, keepdims, ddof: (
        _deviation(a, axis) / _degrees(a, axis, ddof),
        np.where(y > 0, y, 1.0),
    ),
    signature=_SPREAD,
    infer=_variance_type,
    domain=_SPREADS,
    square=lambda a, **options: a.apply("var", a, **options),
    edge="0 where all entries are equal",
    reduces=True,
    checked="foreign",
    batch=reduction,
)


def _average_type(types: Types, options: Options) -> Types:
    dtype = result_dtype(types)
    return mean_reduction((types[0].with_dtype(dtype),), options)


def _along(weights: Any, a: Any, axis: Any) -> Any:
    """Weights of one axis with ones for the others, so that they broadcast against `a`."""
    rank, given = rank_of(a, "average"), rank_of(weights, "average")
    if axis is None or given == rank or given != 1:
        return weights
    pattern = ", ".join(":" if k == axis % rank else "None" for k in range(rank))
    return weights.apply("load", weights, index=pattern)


def _average_tangent(
    b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
) -> Any:
    """`y = sum(w*a) / sum(w)`, so `y_dot = sum(w*a_dot + w_dot*(a - y)) / sum(w)`."""
    axis, a = options["axis"], args[0]
    if len(args) == 1:
        return a.apply("mean", dots[0], axis=axis)
    w = _along(args[1], a, axis)
    total = reduce_sum(w, axis)
    change = None if dots[0] is None else w * dots[0]
    if dots[1] is not None:
        term = _along(dots[1], a, axis) * (a - expand(y, a, axis))
        change = term if change is None else change + term
    return reduce_sum(change, axis) / total


def _average_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Options
) -> list[Any]:
    axis, a = options["axis"], args[0]
    if len(args) == 1:
        return [expand(y_bar / size(a, axis), a, axis)]
    w = _along(args[1], a, axis)
    total = reduce_sum(w, axis)
    share = expand(y_bar / total, a, axis)
    by_weight = share * (a - expand(y, a, axis))
    if args[1].type.rank != a.type.rank:
        rank = rank_of(a, "average")
        by_weight = reduce_sum(by_weight, tuple(k for k in range(rank) if k != axis % rank))
    return [share * w, by_weight]


general(
    "average",
    "a, axis=None, weights=",
    ["numpy.average"],
    _average_tangent,
    _average_adjoint,
    infer=_average_type,
    domain=[
        ("float64[3]",),
        ("float64[2,3]", {"axis": 1}),
        ("float64[3]", [0.3, 1.2, 0.4]),
        ("float64[2,3]", [0.3, 1.2, 0.4], {"axis": 1}),
        ("float64[2,3]", [[0.3, 1.2, 0.4], [0.2, 0.9, 0.7]], {"axis": 0}),
    ],
    edge="the weights' sum must not be 0",
)

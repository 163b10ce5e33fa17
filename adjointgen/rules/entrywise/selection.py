"""Operations that pick entries, put them elsewhere, or take a place between two of them.

What is picked follows from positions, which are constant between jumps, so that each operation is
its own tangent with the positions held; the adjoint goes back where the entries came from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.rules.arrays.sorting import flat, order_of, permute
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import constant, general, linear
from adjointgen.rules.framework.shape_helpers import (
    expand,
    in_dtype_of,
    length,
    op,
    rank_of,
    reshape_like,
    zero_like,
)
from adjointgen.rules.framework.type_rules import (
    Types,
    entrywise,
    float_dtype,
    fresh,
    of_entries,
    reduced_shape,
    result_dtype,
    shaped,
    size_dim,
)

Options = Mapping[str, Any]
Args = Sequence[Any]


def _choose(a: Any, *choices: Any, mode: str) -> Any:
    """Nested `np.where`, one for each choice."""
    if mode != "raise":
        raise NoRule(
            f"no derivative rule for np.choose with mode {mode!r}",
            code="AG201",
            help="bring the numbers into range first",
        )
    chosen = choices[0]
    for k, choice in enumerate(choices[1:], 1):
        chosen = np.where(a == k, choice, chosen)
    return chosen


composed(
    "choose",
    "a, *choices, mode='raise'",
    ["numpy.choose"],
    _choose,
    infer=lambda types, options: (entrywise(types, result_dtype(types[1:])),),
    domain=[
        ([0, 1, 0], "float64[3]", "float64[3]"),
        ([[2, 1, 0]], "float64[3]", "float64[2,1]", "float64[3]"),
    ],
    entries="assembled",
)


def _compressed_type(types: Types, options: Options) -> Types:
    a, axis = types[1], options.get("axis")
    if axis is None or a.shape is None:
        return (fresh(a.dtype, (None,) if axis is None else None),)
    dims = [None if k == axis % len(a.shape) else d for k, d in enumerate(a.shape)]
    return (fresh(a.dtype, tuple(dims)),)


composed(
    "compress",
    "condition, a, axis=None",
    ["numpy.compress"],
    lambda condition, a, axis: op("take", a, op("flatnonzero", condition), axis=axis),
    infer=_compressed_type,
    domain=[
        ([True, False, True], "float64[3]"),
        ([True, False], "float64[3]"),
        ([False, True, True], "float64[2,3]", {"axis": 1}),
        ([True, False, False, True], "float64[2,3]"),
    ],
    entries="picked",
)
composed(
    "extract",
    "condition, a",
    ["numpy.extract"],
    lambda condition, a: op("take", op("ravel", a), op("flatnonzero", op("ravel", condition))),
    infer=lambda types, options: (fresh(types[1].dtype, (None,)),),
    domain=[([True, False, True], "float64[3]"), ([[True, False, True]], "float64[1,3]")],
    entries="picked",
)


def _deleted(a: Any, obj: Any, axis: Any) -> Any:
    """The positions that are left."""
    of = flat(a, axis)
    number = length(of, axis or 0)
    places = op("delete", _numbers(a, number), obj)
    return op("take", of, places, axis=axis or 0)


def _numbers(a: Any, number: Any) -> Any:
    """`np.arange(number)`."""
    return a.apply("arange", number)


def _cut_type(types: Types, options: Options) -> Types:
    return _compressed_type((types[1], types[0]), options)


composed(
    "delete",
    "a, obj, axis=None",
    ["numpy.delete"],
    _deleted,
    infer=_cut_type,
    domain=[
        ("float64[4]", 2),
        ("float64[4]", [0, 3]),
        ("float64[2,3]", 1, {"axis": 1}),
        ("float64[2,3]", 4),
    ],
    entries="picked",
)


def _is_new(y_bar: Any, a: Any, obj: Any, axis: Any) -> tuple[Any, str]:
    """Which places along the axis were inserted, and how they are indexed."""
    if not obj.type.is_scalar:
        raise NoRule(
            "no derivative rule for np.insert at several places",
            code="AG201",
            help="join the parts with np.concatenate",
        )
    of = flat(a, axis)
    along = 0 if axis is None else axis % rank_of(a, "insert")
    places = op("asarray", _numbers(a, length(y_bar, along)))
    number = places.apply("sub", length(y_bar, along), length(of, along))
    start = np.where(obj < 0, obj + length(of, along), obj)
    return (places >= start) & (places < start + number), ":, " * along + "_"


def _insert_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """The same, of the tangents."""
    a, obj, values = args
    parts = [zero_like(v) if d is None else d for v, d in ((a, dots[0]), (values, dots[2]))]
    return y.apply("insert", parts[0], obj, parts[1], axis=options["axis"])


def _insert_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    a, obj, values = args
    axis = options["axis"]
    new, index = _is_new(y_bar, a, obj, axis)
    kept = reshape_like(y_bar.apply("load", y_bar, ~new, index=index), a)
    part = y_bar.apply("load", y_bar, new, index=index)
    fits = axis is None or values.type.rank in (0, part.type.rank)
    return [kept, None, part if fits else reshape_like(part, values)]


def _insert_type(types: Types, options: Options) -> Types:
    return _compressed_type((types[1], types[0]), options)


general(
    "insert",
    "a, obj, values, axis=None",
    ["numpy.insert"],
    _insert_tangent,
    _insert_adjoint,
    infer=_insert_type,
    domain=[
        ("float64[4]", 2, "float64"),
        ("float64[4]", -1, "float64[2]"),
        ("float64[2,3]", 1, "float64", {"axis": 1}),
    ],
    entries="assembled",
    casts=0,
)


def _partition_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """The k-th smallest of the result is the k-th smallest of what was given."""
    axis = options["axis"]
    back = order_of(order_of(y, 0 if axis is None else axis), 0 if axis is None else axis)
    ranked = permute(flat(dots[0], axis), order_of(args[0], axis), axis)
    return permute(ranked, back, axis)


def _partition_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    axis = options["axis"]
    along = 0 if axis is None else axis
    back = order_of(order_of(args[0], axis), along)
    ranked = permute(y_bar, order_of(y, along), along)
    return [reshape_like(permute(ranked, back, along), args[0])]


def _partitioned_type(types: Types, options: Options) -> Types:
    a = types[0]
    whole = options.get("axis", -1) is None
    return (fresh(a.dtype, (size_dim(a.shape),) if whole else a.shape),)


general(
    "partition",
    "a, kth=None, axis=-1",
    ["numpy.partition"],
    _partition_tangent,
    _partition_adjoint,
    infer=_partitioned_type,
    domain=[
        ("float64[5]", {"kth": 2}),
        ("float64[2,4]", {"kth": 1}),
        ("float64[3,2]", {"kth": 1, "axis": 0}),
        ("float64[2,3]", {"kth": 1, "axis": None}),
    ],
    cost=20,
    edge="equal entries keep their order",
)


def _quantile(scale: float) -> Any:
    """`s_k + t (s_{k+1} - s_k)` of the sorted entries, with `k + t = q (n - 1)`."""

    def definition(a: Any, q: Any, axis: Any, method: str, keepdims: bool) -> Any:
        if method != "linear" or isinstance(axis, tuple):
            raise NoRule(
                "no derivative rule for this method or these axes of quantiles",
                code="AG201",
                help="interpolate between entries of np.sort(a)",
            )
        ordered = op("sort", a, axis=axis)
        along = 0 if axis is None else axis % rank_of(a, "quantile")
        place = q / scale * (length(ordered, along) - 1)
        lower = np.floor(place)
        first = op("cast", lower, dtype="int64")
        last = np.minimum(first + 1, length(ordered, along) - 1)
        low, high = (op("take", ordered, k, axis=along) for k in (first, last))
        share = in_dtype_of(low, _spread(place - lower, low, along))
        return _placed(low + share * (high - low), a, q, axis, keepdims)

    return definition


def _spread(t: Any, low: Any, along: int) -> Any:
    """The fractions, with axes of length 1 for those that come after theirs."""
    after = rank_of(low, "quantile") - along - rank_of(t, "quantile")
    return t if t.type.is_scalar or after <= 0 else t[(..., *(None,) * after)]


def _placed(y: Any, a: Any, q: Any, axis: Any, keepdims: bool) -> Any:
    """The axis of the quantiles first, and those that were reduced kept."""
    rank = rank_of(a, "quantile")
    along = 0 if axis is None else axis % rank
    if not q.type.is_scalar and along:
        y = op("moveaxis", y, source=along, destination=0)
    if keepdims:
        lead = 0 if q.type.is_scalar else 1
        axes = range(rank) if axis is None else (along,)
        y = op("expand_dims", y, axis=tuple(lead + k for k in axes))
    return y


def _quantile_type(types: Types, options: Options) -> Types:
    a, q = types
    shape = reduced_shape(a.shape, options.get("axis"), bool(options.get("keepdims")))
    dtype = float_dtype(result_dtype((a, q) if not q.is_scalar else (a,)))
    whole = None if shape is None or q.shape is None else (*q.shape, *shape)
    return (shaped(dtype, whole),)


_QUANTILES: list[tuple[Any, ...]] = [
    ("float64[5]", 0.3),
    ("float64[3,4]", 0.6, {"axis": 1}),
    ("float64[3,4]", 0.6, {"axis": 0, "keepdims": True}),
    ("float64[3,3]", 0.3),
    ("float64[3,4]", [0.2, 0.7], {"axis": 1}),
]
for _name, _scale in (("quantile", 1.0), ("percentile", 100.0)):
    composed(
        _name,
        "a, q, axis=None, method='linear', keepdims=False",
        [f"numpy.{_name}"],
        _quantile(_scale),
        infer=_quantile_type,
        domain=[
            (spec, (np.array(q) * _scale).tolist() if _scale > 1 else q, *rest)
            for spec, q, *rest in _QUANTILES
        ],
        cost=20,
        edge="of equal entries, those that come first in their order",
        entries="picked",
    )

constant(
    "unique_index",
    "a",
    [],
    infer=lambda types, options: (fresh("int64", (None,)),),
    code="np.unique(_0_, return_index=True)[1]",
    because="a position is an integer",
    cost=20,
)
composed(
    "unique",
    "a",
    ["numpy.unique"],
    lambda a: op("take", a, op("unique_index", a)),
    infer=lambda types, options: (fresh(types[0].dtype, (None,)),),
    domain=[([2.0, 1.0, 3.0],), ("float64[2,2]",)],
    cost=20,
    edge="of equal entries, the first",
)


def _counted_type(types: Types, options: Options) -> Types:
    weighted = len(types) > 1 and types[1].kind != "object"
    return (fresh("float64" if weighted else "int64", (None,)),)


linear(
    "bincount",
    "x, weights=, minlength=0",
    ["numpy.bincount"],
    {1: lambda y_bar, x, weights: y_bar.apply("load", y_bar, x, index="_")},
    infer=of_entries(_counted_type),
    domain=[([0, 1, 0, 2], "float64[4]"), ([0, 1], "float64[2]", {"minlength": 5})],
)
general(
    "broadcast_arrays",
    "*args...",
    ["numpy.broadcast_arrays"],
    lambda b, y, args, dots, options: tuple(
        None if d is None else expand(d, r)
        for d, r in zip(dots, y if isinstance(y, tuple) else (y,), strict=True)
    ),
    lambda b, y, y_bar, args, options: list(y_bar) if isinstance(y_bar, tuple) else [y_bar],
    view="each",
    infer=lambda types, options: tuple(
        fresh(t.dtype, entrywise(types, "float64").shape) for t in types
    ),
    domain=[("float64[3]", "float64[2,1]"), ("float64[3]", "float64")],
)

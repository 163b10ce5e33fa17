"""Numbers at even steps: `np.arange` and `np.linspace`, which are linear in their ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.ir.types import Dim, Type, broadcast
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import rank_of, reduce_sum, zero_like
from adjointgen.rules.framework.type_rules import Options, Types, dtype_named, fresh, result_dtype

Handles = Sequence[Any]
Dots = Sequence[Any]


def _arange_type(types: Types, options: Options) -> Types:
    """`arange(a, b)` has `max(0, b - a)` entries, which is a dimension where `a` is a number."""
    dtype = dtype_named(options.get("dtype"), result_dtype(types))
    start, stop = (types[0], types[1]) if len(types) > 1 else (_ZERO, types[0])
    unit = len(types) < 3 or types[2].value == Dim("", 1)
    if not unit or start.value is None or stop.value is None or start.value.symbol:
        return (fresh(dtype, (None,)),)
    length = stop.value + -start.value.offset
    return (fresh(dtype, (length if length.symbol else Dim("", max(0, length.offset)),)),)


_ZERO = Type("int64", value=Dim("", 0))


def _arange_tangent(
    b: Builder, y: Any, args: Handles, dots: Dots, options: Mapping[str, Any]
) -> Any:
    """`y_i = start + i*step`; the number of entries is constant between jumps."""
    start = dots[0] if len(args) > 1 else None
    step = dots[2] if len(args) > 2 else None
    slope = None if step is None else step * step.apply("arange", y.apply("dim", y, axis=0))
    if start is None:
        return slope
    level = start.apply("full_like", y, start)
    return level if slope is None else level + slope


def _arange_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Handles, options: Mapping[str, Any]
) -> Dots:
    start = reduce_sum(y_bar) if len(args) > 1 else None
    number = y_bar.apply("arange", y.apply("dim", y, axis=0))
    step = reduce_sum(y_bar * number) if len(args) > 2 else None
    return [start, None, step][: len(args)]


general(
    "arange",
    "start, stop=, step=, dtype=None",
    ["numpy.arange"],
    _arange_tangent,
    _arange_adjoint,
    infer=_arange_type,
    domain=[(4,), ("float64", 5), ("float64", 5, "float64")],
)


def _linspace_type(types: Types, options: Options) -> Types:
    start, stop, *number = types
    dtype = result_dtype((start, stop, Type("float64")))
    length = number[0].value if number else Dim("", 50)
    ends = broadcast(start.shape, stop.shape)
    return (fresh(dtype, None if ends is None else (length, *ends)),)


def _linspace_tangent(
    b: Builder, y: Any, args: Handles, dots: Dots, options: Mapping[str, Any]
) -> Any:
    ends = [
        (0.0 if a.type.is_scalar else zero_like(a)) if dot is None else dot
        for a, dot in zip(args[:2], dots[:2], strict=True)
    ]
    return y.apply("linspace", *ends, *args[2:], endpoint=options["endpoint"])


def _linspace_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Handles, options: Mapping[str, Any]
) -> Dots:
    """`y_i = start*(1 - w_i) + stop*w_i` with weights `w` that go from 0 to 1."""
    ends = ((1.0, 0.0), (0.0, 1.0))
    weights = [y.apply("linspace", *e, *args[2:], endpoint=options["endpoint"]) for e in ends]
    if rank_of(y, "linspace") == 1:
        bars = [reduce_sum(y_bar * w) for w in weights]
    else:
        # The ends are arrays: each of their entries has its own points along the first axis.
        bars = [y_bar.apply("tensordot", w, y_bar, axes=((0,), (0,))) for w in weights]
    return [*bars, *(None for _ in args[2:])]


general(
    "linspace",
    "start, stop, num=, endpoint=True",
    ["numpy.linspace"],
    _linspace_tangent,
    _linspace_adjoint,
    infer=_linspace_type,
    domain=[
        ("float64", "float64", 5),
        ("float64", "float64", 4, {"endpoint": False}),
        ("float64[4]", "float64[4]", 4),
        ("float64[3]", "float64", 4),
        ("float64", "float64[4]", 4, {"endpoint": False}),
        ("float64[2,3]", "float64[3]", 3),
    ],
)

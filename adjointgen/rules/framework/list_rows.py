"""Lists as they are built: `[a, b]`, `values.append(v)`, and `values.pop()`, which undoes it.

    y = [a, b]            a_bar += y_bar[0];  b_bar += y_bar[1]
    y = chain(a, b)       a_bar += y_bar[:len(a)];  b_bar += y_bar[len(a):]
    y = tile_list(a, n)   a_bar += the sum of the n parts of y_bar
    y = push(x, v)      v_bar += y_bar[-1];  x_bar = y_bar[:-1]
    y = drop(x)           x_bar = [*y_bar, 0]

Values are never changed: `push` and `drop` give a new version of the list, which is the old one
overwritten where the program runs in place. The adjoint of a list is an array of its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import Dim, Type, promote
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.contributions import add, zero
from adjointgen.rules.framework.declare import general, linear, structural
from adjointgen.rules.framework.shape_helpers import length
from adjointgen.rules.framework.sweep import Sweep, bar_root
from adjointgen.rules.framework.type_rules import Options, Types, add_lengths


def _list_type(types: Types, options: Options) -> Types:
    """A list of numbers, or one of arrays of equal rank; an empty one says of what."""
    if not types:
        inner = (None,) * options.get("rank", 0)
        return (Type(options.get("dtype", "float64"), (Dim(), *inner), "list"),)
    inner = types[0].shape or ()
    return (Type(promote(*(t.dtype for t in types)), (Dim("", len(types)), *inner), "list"),)


def _list_tangent(
    b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
) -> Any:
    pairs = zip(args, dots, strict=True)
    # The zero of an array is one: what reads the list reads an array.
    items = (b.handle(zero(b, b.lower(a))) if d is None else d for a, d in pairs)
    return y.apply("list_of", *items, **options)


def _list_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Options
) -> Sequence[Any]:
    return [y_bar.apply("load", y_bar, index=str(k)) for k in range(len(args))]


general(
    "list_of",
    "*items, dtype='float64', rank=0",
    [],
    _list_tangent,
    _list_adjoint,
    infer=_list_type,
    domain=[("float64[2]", "float64[2]"), ("float64[3]",)],
    entries="assembled",
    fresh=True,
)


def _zeros(a: Any) -> Any:
    return a.apply("zeros_list", a)


def _chained(types: Types, options: Options) -> Types:
    a, b = types
    inner = (a.shape or (None,))[1:]
    dim = add_lengths([None if t.shape is None else t.shape[0] for t in types])
    return (Type(promote(a.dtype, b.dtype), (dim, *inner), "list"),)


def _chained_tangent(
    b: Builder, y: Any, args: Sequence[Any], dots: Sequence[Any], options: Options
) -> Any:
    parts = (_zeros(a) if d is None else d for a, d in zip(args, dots, strict=True))
    return y.apply("chain", *parts)


def _chained_adjoint(
    b: Builder, y: Any, y_bar: Any, args: Sequence[Any], options: Options
) -> Sequence[Any]:
    count = length(args[0], 0)
    at, place = ((), str(count)) if isinstance(count, int) else ((count,), "_")
    return [y_bar.apply("load", y_bar, *at, index=i) for i in (f":{place}", f"{place}:")]


general(
    "chain",
    "a, b",
    [],
    _chained_tangent,
    _chained_adjoint,
    infer=_chained,
    code="_0_ + _1_",
    domain=[("float64[2]", "float64[3]"), ("float64[0]", "float64[2]")],
    entries="assembled",
)


def _tiled(types: Types, options: Options) -> Types:
    a, count = types
    single = a.shape is not None and a.shape[0] is not None and a.shape[0].known == 1
    return (Type(a.dtype, (count.value if single else None,), "list"),)


def _tiled_back(y_bar: Any, a: Any, count: Any) -> Any:
    """Copy by copy is row by row."""
    rows = y_bar.apply("reshape", y_bar, -1, length(a, 0))
    return rows.apply("sum", rows, axis=0)


linear(
    "tile_list",
    "a, count",
    [],
    {0: _tiled_back},
    infer=_tiled,
    code="_0_ * _1_",
    domain=[("float64[2]", 3), ("float64[1]", 0)],
)


def _other_length(types: Types, options: Options) -> Types:
    a = types[0]
    return (Type(a.dtype, (None, *(a.shape or (None,))[1:]), "list"),)


def _pushed_back(y_bar: Any, a: Any) -> Any:
    """What was dropped reaches nothing."""
    nothing = y_bar.apply("zeros", 1, dtype=y_bar.type.dtype)
    return y_bar.apply("concatenate", y_bar, nothing)


def _push_back(sweep: Sweep, stmt: Apply, bar: Operand) -> None:
    """`v_bar += a_bar[-1]; a_bar = a_bar[:-1]`."""
    items, value = stmt.args
    sweep.contribute(value, sweep.builder.apply("load", bar, index="-1"))
    if isinstance(items, Value) and sweep.active(items):
        root = bar_root(items)
        shorter = sweep.builder.apply("load", bar, root=root, index=":-1")
        sweep.define(items, add(sweep.builder, sweep.bars.get(items.name), shorter, root))


structural(
    "push",
    "a, v",
    [],
    {
        0: lambda y_bar, a, v: y_bar.apply("load", y_bar, index=":-1"),
        1: lambda y_bar, a, v: y_bar.apply("load", y_bar, index="-1"),
    },
    infer=_other_length,
    reverse=_push_back,
    domain=[("float64[2]", "float64"), ("float64[0]", "float64")],
    entries="assembled",
    fresh=True,
)
structural(
    "drop",
    "a",
    [],
    {0: _pushed_back},
    infer=_other_length,
    domain=[("float64[2]",), ("float64[1]",)],
    entries="picked",
    fresh=True,
)

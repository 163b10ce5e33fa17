"""Reading and writing parts of arrays: the rows, and their reverse in a sweep that holds adjoints.

    load        a_bar[i] += y_bar
    store       v_bar += a_bar[i];  a_bar[i] = 0
    accumulate  v_bar += a_bar[i]

Where a store's index array repeats a position, the last write stands and only it has an adjoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.errors import NotDifferentiable
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import INTEGER, Type
from adjointgen.rules.arrays.batched_indexing import loaded, written
from adjointgen.rules.arrays.indexing import load_type, may_repeat
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.contributions import zero
from adjointgen.rules.framework.declare import structural
from adjointgen.rules.framework.shape_helpers import zero_like
from adjointgen.rules.framework.sweep import Sweep, bar_root
from adjointgen.rules.framework.type_rules import Options, Types


def _load(work: Sweep, stmt: Apply, bar: Operand) -> None:
    array, *index = stmt.args
    if not isinstance(array, Value) or not work.active(array):
        return
    if array.type.is_scalar:
        # What is read of a number (`x[..., None]`) is that number each time.
        work.contribute(array, bar if bar.type.is_scalar else work.builder.apply("sum", bar))
        return
    if array.type.rank is None and stmt.option("index") in ("()", "..."):
        # It may be a number, to whose adjoint nothing is written.
        work.contribute(array, bar)
        return
    first = array.name not in work.bars
    so_far = work.bar_or_zero(array)
    index = [work.primal(i) for i in index]
    pattern = stmt.option("index")
    made = work.builder.apply(
        "accumulate",
        so_far,
        bar,
        *index,
        root=bar_root(array),
        stem=f"{array.name}_bar",
        index=pattern,
    )
    work.define(array, made)
    if first and len(index) == 1 and pattern == "_" and _is_mask(index[0], array):
        # What the mask leaves out is zero, as what a choice leaves out.
        work.chosen[made.name] = Apply((made,), "select", (index[0], made, const(0.0)))


def _is_mask(index: Operand, array: Value) -> bool:
    """Whether an index is a truth value for each entry of an array."""
    return (
        index.type.dtype == "bool" and bool(array.type.rank) and index.type.rank == array.type.rank
    )


def _store(work: Sweep, stmt: Apply, bar: Operand) -> None:
    array, value, *index = stmt.args
    index = [work.primal(i) for i in index]
    pattern = stmt.option("index")
    if work.active(value):
        assert isinstance(value, Value)
        taken = _taken(work, value, bar, index, pattern)
        work.contribute(value, _last_write(work, stmt, bar, taken, index))
    if stmt.result.name in work.fresh:
        # Nothing asks for the adjoint of what stood there: it need not be zero.
        work.hand(array, bar)
    elif isinstance(array, Value) and work.active(array):
        root = bar_root(array)
        cleared = work.builder.apply(
            "store", bar, zero(work.builder, const(0.0)), *index, root=root, index=pattern
        )
        work.hand(array, cleared)


def _accumulate(work: Sweep, stmt: Apply, bar: Operand) -> None:
    array, value, *index = stmt.args
    index = [work.primal(i) for i in index]
    if work.active(value):
        assert isinstance(value, Value)
        pattern = stmt.option("index")
        work.contribute(value, _taken(work, value, bar, index, pattern))
    work.hand(array, bar)


def _taken(work: Sweep, value: Value, bar: Operand, index: list[Operand], pattern: object) -> Value:
    """The part of an adjoint that a value went to; `a[..., 0, 0]` is an array without axes."""
    taken = work.builder.apply("load", bar, *index, stem=f"{value.name}_bar", index=pattern)
    without_axes = taken.type == Type("float64", (), "array")
    return work.builder.apply("number", taken) if without_axes and value.type.is_scalar else taken


def _last_write(
    work: Sweep, stmt: Apply, bar: Operand, taken: Operand, index: list[Operand]
) -> Operand:
    """`taken`, with zeros where a later element of the same store overwrote the position."""
    fancy = [
        i for i in index if i.type.rank != 0 and i.type.dtype in INTEGER and i.type.dtype != "bool"
    ]
    if not fancy:
        known = not bar.type.is_array or not may_repeat(str(stmt.option("index")), index)
        return taken if known else _last_of_any(work, stmt, bar, taken, index)
    if any(i.type.rank != 1 for i in fancy):
        # NumPy's order of writes depends on how arrays of more axes lie in memory.
        raise NotDifferentiable(
            "an assignment through index arrays of several axes may write one element twice",
            code="AG301",
            span=stmt.span,
            label="which of the writes stands is not known",
            help="assign in a loop, or through index arrays of rank 1: a[i, j] = v",
        )
    if len(index) > 1 or stmt.option("index") != "_":
        return _last_of_any(work, stmt, bar, taken, index)
    builder, array = work.builder, stmt.args[0]
    (where,) = fancy
    order = builder.apply("arange", builder.apply("dim", where, axis=0), stem="order")
    empty = builder.apply("zeros", builder.apply("dim", work.primal(array), axis=0), dtype="int64")
    last = _is_last(builder, empty, order, index, "_")
    spread = (array.type.rank or 1) - 1
    if spread:
        last = builder.apply("load", last, index=", ".join([":", *["None"] * spread]))
    return builder.apply("mul", taken, last)


def _last_of_any(
    work: Sweep, stmt: Apply, bar: Operand, taken: Operand, index: list[Operand]
) -> Operand:
    """The same for an index of which nothing is known: its entries are numbered when it runs."""
    builder, pattern = work.builder, str(stmt.option("index"))
    count = builder.apply("arange", builder.apply("size", taken))
    order = builder.apply("reshape_like", count, taken, stem="order")
    empty = builder.apply("zeros_like", bar, dtype="int64")
    return builder.apply("mul", taken, _is_last(builder, empty, order, index, pattern))


def _is_last(
    builder: Builder, empty: Operand, order: Operand, index: Sequence[Operand], pattern: str
) -> Operand:
    """For each of the writes, in order, whether none after it was to its place."""
    writer = builder.apply("store", empty, order, *index, stem="writer", index=pattern)
    return builder.apply("eq", builder.apply("load", writer, *index, index=pattern), order)


def _whole(types: Types, options: Options) -> Types:
    """A new version of the array has the type of the old."""
    return (types[0],)


def _load_back(y_bar: Any, a: Any, *indices: Any, index: str) -> Any:
    return y_bar.apply("accumulate", zero_like(a), y_bar, *indices, index=index)


def _keep_others(y_bar: Any, a: Any, v: Any, *indices: Any, index: str) -> Any:
    """The entries that were overwritten do not reach the result."""
    return y_bar.apply("store", y_bar, 0.0, *indices, index=index)


def _part(y_bar: Any, a: Any, v: Any, *indices: Any, index: str) -> Any:
    """Of `store`, this holds where no entry is written twice: only the last write stays."""
    return y_bar.apply("load", y_bar, *indices, index=index)


structural(
    "load",
    "a, *indices, index='_'",
    [],
    {0: _load_back},
    infer=load_type,
    reverse=_load,
    view="part",
    shares=lambda types, options: all(t.is_scalar for t in types[1:]),
    domain=[
        ("float64[5]", {"index": "1:-1"}),
        ("float64[5]", 2),
        ("float64[5]", -1),
        ("float64[5]", [0, 0, 3]),
        ("float64[4,3]", 1, {"index": "_, 1:"}),
        ("float64[4,3]", {"index": "None, ..., ::2"}),
        ("float64[4,3]", 1, 3, {"index": "_:_, ::-1"}),
    ],
    loop="part",
    noun="part",
    keeps_zero=True,
    batch=loaded,
)
structural(
    "store",
    "a, v, *indices, index='_'",
    [],
    {0: _keep_others, 1: _part},
    infer=_whole,
    reverse=_store,
    domain=[
        ("float64[5]", "float64", 2),
        ("float64[5]", "float64[3]", {"index": "1:-1"}),
        ("float64[4,3]", "float64[3]", 1),
        ("float64[4,3]", "float64", {"index": ":"}),
    ],
    loop="write",
    entries="assembled",
    keeps_zero=True,
    shape_of=0,
    fresh=True,
    batch=written,
)
structural(
    "accumulate",
    "a, v, *indices, index='_'",
    [],
    {0: lambda y_bar, a, v, *indices: y_bar, 1: _part},
    infer=_whole,
    reverse=_accumulate,
    cost=2,
    domain=[
        ("float64[5]", "float64", 2),
        ("float64[5]", "float64[3]", [0, 0, 3]),
        ("float64[4,3]", "float64[3]", {"index": "1:"}),
    ],
    loop="write",
    widens=True,
    entries="assembled",
    keeps_zero=True,
    shape_of=0,
    fresh=True,
    batch=written,
)

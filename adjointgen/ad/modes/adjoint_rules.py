"""The reverse of one operation: what the adjoint of its result contributes to its arguments.

    elementwise   x_k_bar += y_bar * partial_k            (summed down to the type of x_k)
    linear        x_k_bar += transpose_k(y_bar)
    general       whatever the rule's own function says
    load          a_bar[i] += y_bar
    store         v_bar += a_bar[i];  a_bar[i] = 0
    accumulate    v_bar += a_bar[i]
    push          v_bar += a_bar[-1];  a_bar = a_bar[:-1]

Where a store's index array repeats a position, the last write stands and only it has an adjoint.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adjointgen.ad.modes.adjoint_state import Bars, bar_root
from adjointgen.ad.modes.rule_lookup import rule_of
from adjointgen.errors import NotDifferentiable
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import INTEGER
from adjointgen.rules.arrays.indexing import may_repeat
from adjointgen.rules.framework.apply import pull
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.contributions import add, is_zero, zero


def reverse_apply(work: Bars, stmt: Apply) -> None:
    """Add to the adjoints of the arguments of an operation what its results' adjoints give."""
    bars = [work.bars.pop(r.name, None) for r in stmt.results]
    if all(is_zero(bar) for bar in bars):
        return
    active = next((a for a in stmt.args if work.activity.active(a)), None)
    if active is None:
        return
    row = rule_of(stmt, active, stmt.span)
    rule = _STRUCTURAL.get(stmt.op)
    if rule is not None:
        (bar,) = bars
        assert bar is not None
        rule(work, stmt, bar)
        return
    with work.builder.called_as(stmt):
        asked = tuple(map(work.activity.active, stmt.args))
        for arg, bar, fits in pull(work, row, stmt, bars, asked):
            work.contribute(arg, bar, fits)


def _load(work: Bars, stmt: Apply, bar: Operand) -> None:
    array, *index = stmt.args
    if not isinstance(array, Value) or not work.activity.active(array):
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


def _store(work: Bars, stmt: Apply, bar: Operand) -> None:
    array, value, *index = stmt.args
    index = [work.primal(i) for i in index]
    pattern = stmt.option("index")
    if work.activity.active(value):
        assert isinstance(value, Value)
        taken = work.builder.apply("load", bar, *index, stem=f"{value.name}_bar", index=pattern)
        work.contribute(value, _last_write(work, stmt, bar, taken, index))
    if stmt.result.name in work.fresh:
        # Nothing asks for the adjoint of what stood there: it need not be zero.
        work.hand(array, bar)
    elif isinstance(array, Value) and work.activity.active(array):
        root = bar_root(array)
        cleared = work.builder.apply(
            "store", bar, zero(work.builder, const(0.0)), *index, root=root, index=pattern
        )
        work.hand(array, cleared)


def _accumulate(work: Bars, stmt: Apply, bar: Operand) -> None:
    array, value, *index = stmt.args
    index = [work.primal(i) for i in index]
    if work.activity.active(value):
        assert isinstance(value, Value)
        pattern = stmt.option("index")
        taken = work.builder.apply("load", bar, *index, stem=f"{value.name}_bar", index=pattern)
        work.contribute(value, taken)
    work.hand(array, bar)


def _push(work: Bars, stmt: Apply, bar: Operand) -> None:
    items, value = stmt.args
    work.contribute(value, work.builder.apply("load", bar, index="-1"))
    if isinstance(items, Value) and work.activity.active(items):
        root = bar_root(items)
        shorter = work.builder.apply("load", bar, root=root, index=":-1")
        work.define(items, add(work.builder, work.bars.get(items.name), shorter, root))


def _copy(work: Bars, stmt: Apply, bar: Operand) -> None:
    work.hand(stmt.args[0], bar)


def _last_write(
    work: Bars, stmt: Apply, bar: Operand, taken: Operand, index: list[Operand]
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
    work: Bars, stmt: Apply, bar: Operand, taken: Operand, index: list[Operand]
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


_STRUCTURAL: dict[str, Callable[[Bars, Apply, Operand], None]] = {
    "load": _load,
    "store": _store,
    "accumulate": _accumulate,
    "push": _push,
    "copy": _copy,
}

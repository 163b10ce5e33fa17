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
from adjointgen.ad.modes.guarded_product import chosen, guarded, is_infinite, may_be_zero
from adjointgen.ad.modes.rule_lookup import rule_of
from adjointgen.errors import NotDifferentiable
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.ir.types import INTEGER
from adjointgen.rules.arrays.indexing import may_repeat
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.contributions import add, is_zero, zero
from adjointgen.rules.framework.table import TABLE, Row


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
        if row.kind == "elementwise":
            _elementwise(work, row, stmt, bars[0])
        elif row.transposes:
            _linear(work, row, stmt, bars[0])
        else:
            _general(work, row, stmt, bars)


def _elementwise(work: Bars, row: Row, stmt: Apply, bar: Operand | None) -> None:
    builder = work.builder
    assert bar is not None
    y, *args = (builder.handle(work.primal(o)) for o in (stmt.result, *stmt.args))
    options = stmt.settings
    factors: dict[Operand, Operand] = {}
    for arg, partial in zip(stmt.args, row.partials, strict=False):
        if partial is not None and work.activity.active(arg):
            factor = builder.lower(partial(y, *args, **options))
            # `x * x` contributes once, with the sum of both partials.
            before = factors.get(arg)
            factors[arg] = factor if before is None else builder.apply("add", before, factor)
    for arg, factor in factors.items():
        work.contribute(arg, _scaled(work, stmt, bar, factor, arg is stmt.args[0]))


def _scaled(work: Bars, stmt: Apply, bar: Operand, factor: Operand, first: bool) -> Operand:
    """`bar * factor`, for the factors 1 and -1 without the product.

    Where the adjoint is zero since another choice was made, the product is zero for infinite
    factors too: in `np.where(x > 0, np.sqrt(x), 0.0)` the root of 0 is not used.
    """
    if isinstance(factor, Const) and factor.value == 1:
        return bar
    if isinstance(factor, Const) and factor.value == -1:
        return work.builder.apply("neg", bar)
    builder = work.builder
    choice = work.chosen.get(bar.name) if isinstance(bar, Value) else None
    if choice is None or TABLE[stmt.op].omits:
        rests, steep = (stmt.result.name in of for of in (work.idle.idle, work.idle.steep))
        if rests and is_infinite(stmt, first, factor, work.idle):
            return guarded(builder, bar, factor)
        if steep and may_be_zero(stmt, factor, work.idle):
            return guarded(builder, factor, bar, leads=False)
        if steep or TABLE[stmt.op].omits:
            return chosen(builder, bar, factor, lambda b, f: builder.apply("mul", b, f))
        return builder.apply("mul", bar, factor)
    test, *arms = choice.args
    scaled = [arm if is_zero(arm) else work.builder.apply("mul", arm, factor) for arm in arms]
    return work.builder.apply("select", test, *scaled)


def _linear(work: Bars, row: Row, stmt: Apply, bar: Operand | None) -> None:
    builder = work.builder
    assert bar is not None
    options = stmt.settings
    args = [builder.handle(work.primal(a)) for a in stmt.args]
    fits = row.fits is not None and row.fits(*stmt.args)
    for k, arg in enumerate(stmt.args):
        transpose = row.transposes.get(k)
        if transpose is not None and work.activity.active(arg):
            made = transpose(builder.handle(bar), *args, **options)
            work.contribute(arg, builder.lower(made), fits)


def _general(work: Bars, row: Row, stmt: Apply, bars: list[Operand | None]) -> None:
    builder = work.builder
    assert row.adjoint is not None
    given = [None if bar is None or is_zero(bar) else builder.handle(bar) for bar in bars]
    results = [builder.handle(work.primal(r)) for r in stmt.results]
    args = [builder.handle(work.primal(a)) for a in stmt.args]
    single = len(results) == 1
    builder.wanted = tuple(map(work.activity.active, stmt.args))
    made = row.adjoint(
        builder,
        results[0] if single else tuple(results),
        given[0] if single else tuple(given),
        args,
        stmt.settings,
    )
    for arg, contribution in zip(stmt.args, made, strict=False):
        if contribution is not None and work.activity.active(arg):
            work.contribute(arg, builder.lower(contribution))


def _load(work: Bars, stmt: Apply, bar: Operand) -> None:
    array, *index = stmt.args
    if not isinstance(array, Value) or not work.activity.active(array):
        return
    if array.type.is_scalar:
        # What is read of a number (`x[..., None]`) is that number each time.
        work.contribute(array, bar if bar.type.is_scalar else work.builder.apply("sum", bar))
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
    if len(index) > 1 or stmt.option("index") != "_" or fancy[0].type.rank != 1:
        raise NotDifferentiable(
            "an assignment through several index arrays may write one element twice",
            code="AG301",
            span=stmt.span,
            label="which of the writes stands is not known",
            help="assign in a loop, or through one index array of rank 1: a[i] = v",
        )
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

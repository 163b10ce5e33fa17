"""Rows of entries of several things: `zip`, products, and one iterator zipped with itself.

zip(x, y)               k in range(min(len(x), len(y))),  x[k], y[k]
product(x, y)           k in range(len(x) * len(y)),  x[k // len(y)], y[k % len(y)]
zip(it, it)             k in range(len(it) // 2),  it[2 * k], it[2 * k + 1]
zip(o, p)               rows = list(zip(o, p)), k in range(len(rows)),  rows[k][0], rows[k][1]
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.frontend.iteration.looked_at import check_listed
from adjointgen.frontend.iteration.loop_plans import Plan, Sequenced, count, from_zero, plus
from adjointgen.frontend.state.asked_lengths import asked
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import INT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const


def grouped(ctx: Context, found: Sequenced, size: int) -> Sequenced:
    """Rows of neighbours: each part of a row is the next entry of the same iterator."""
    if isinstance(found, tuple):
        whole = range(0, len(found) - size + 1, size)
        return tuple(Seq(found[k : k + size]) for k in whole)
    if found.passes is not None:
        ctx.unlike("AG106", "a generator with a condition, beside itself", "make a list of it")
    inner = from_zero(ctx, found)
    rows = ctx.apply("floordiv", count(ctx, inner.bounds), const(size))

    def at(k: Operand) -> Abstract:
        first = ctx.apply("mul", k, const(size))
        return Seq(tuple(inner.at(plus(ctx, first, const(j))) for j in range(size)))

    return Plan((const(0), rows, const(1)), at)


def at_once(ctx: Context, values: list[Operand], numbers: Sequence[Operand | None]) -> list[Plan]:
    """Objects of which nothing is known, run over at once: two of them may be one iterator.

    Beside them are others, of `numbers` of entries: an iterator has those left that `zip` leaves.
    """
    for value, number in zip(values, numbers, strict=True):
        if number is None:
            check_listed(ctx, value)
    holes = Holes(ctx)
    texts = [holes.fill(value) for value in values]
    ranges = [t if n is None else f"range({t})" for t, n in zip(texts, numbers, strict=True)]
    rows = verbatim(ctx, f"list(zip({', '.join(ranges)}))", holes.operands)
    bounds = const(0), verbatim(ctx, "len(_0_)", (rows,), INT, pure=True), const(1)

    def entry(k: int) -> Plan:
        return Plan(bounds, lambda index: verbatim(ctx, f"_0_[_1_][{k}]", (rows, index)))

    return [entry(k) for k in range(len(values))]


def zipped(ctx: Context, parts: list[Sequenced]) -> Sequenced:
    known = [len(p) for p in parts if isinstance(p, tuple)]
    if len(known) == len(parts):
        columns = [p for p in parts if isinstance(p, tuple)]
        return tuple(Seq(row) for row in zip(*columns, strict=False))
    if known:
        return _unrolled_zip(ctx, parts, min(known))
    plans = [from_zero(ctx, p) for p in parts if isinstance(p, Plan)]
    stop = plans[0].bounds[1]
    for other in plans[1:]:
        bound = other.bounds[1]
        same = bound == stop or (
            bound.type.value is not None and bound.type.value == stop.type.value
        )
        if not same:
            stop = ctx.apply("min", stop, bound)
    return Plan((const(0), stop, const(1)), lambda k: Seq(tuple(p.at(k) for p in plans)))


def backwards(inner: Sequenced) -> Sequenced:
    if isinstance(inner, tuple):
        return inner[::-1]
    return replace(inner, backwards=not inner.backwards)


def enumerated(ctx: Context, inner: Sequenced, start: Operand) -> Sequenced:
    if isinstance(inner, tuple):
        if not isinstance(start, Const) or not isinstance(start.value, int):
            return ctx.unlike("AG104", "the start of enumerate is not known", "add it to the index")
        return tuple(Seq((const(k), item)) for k, item in enumerate(inner, start.value))
    counted = from_zero(ctx, inner)
    return replace(counted, at=lambda k: Seq((plus(ctx, k, start), counted.at(k))))


def crossed(ctx: Context, parts: list[Sequenced]) -> Sequenced:
    """All tuples of one element each: the last changes first."""
    if not all(isinstance(p, Plan) for p in parts):
        ctx.unlike("AG106", "a product of a list and of what is not known", "write the loops")
    plans = [from_zero(ctx, p) for p in parts if isinstance(p, Plan)]
    counts = [count(ctx, p.bounds) for p in plans]
    total = counts[0]
    for number in counts[1:]:
        total = ctx.apply("mul", total, number)

    def at(k: Operand) -> Abstract:
        items: list[Abstract] = []
        for p, number in zip(reversed(plans), reversed(counts), strict=True):
            last = len(items) + 1 == len(plans)
            items.insert(0, p.at(k if last else ctx.apply("mod", k, number)))
            k = k if last else ctx.apply("floordiv", k, number)
        return Seq(tuple(items))

    return Plan((const(0), total, const(1)), at)


def _unrolled_zip(ctx: Context, parts: list[Sequenced], number: int) -> Sequenced:
    """A known list beside arrays that are at least as long: as many rows as the list has."""
    for part in parts:
        if isinstance(part, Plan):
            stop = count(ctx, part.bounds).type.value
            if stop is None or stop.known is None or stop.known < number:
                what, wanted = "a list and an array of unknown length", asked(ctx, stop)
                ctx.unlike("AG106", what, "make both arrays", wanted=wanted)
    columns = [
        (
            part
            if isinstance(part, tuple)
            else tuple(from_zero(ctx, part).at(const(k)) for k in range(number))
        )
        for part in parts
    ]
    return tuple(Seq(row) for row in zip(*columns, strict=False))

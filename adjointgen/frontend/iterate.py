"""What a `for` runs over, as an index range and the element at each index.

    for a in x              k in range(len(x)),  a = x[k]
    for a, b in zip(x, y)   k in range(min(len(x), len(y))),  a = x[k], b = y[k]
    for i, a in enumerate(x, s)    i = k + s,  a = x[k]
    for a in reversed(x)    the same indices backwards

so every loop is an index loop, and the elements are ordinary loads. Tuples and lists whose entries
are known are unrolled instead.
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.frontend.cells import content, length, new_cell, read, view
from adjointgen.frontend.context import Context
from adjointgen.frontend.expressions import static_items
from adjointgen.frontend.failing import fails
from adjointgen.frontend.living import keys
from adjointgen.frontend.tables import Table
from adjointgen.frontend.values import Abstract, Outside, Range, Ref, Seq, Struct, Zipped
from adjointgen.frontend.verbatim import from_table, verbatim
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INT
from adjointgen.records import dataclass, replace
from adjointgen.rules.build import const

FEW = 256
"""The most entries that are lowered one by one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`for k in range(*bounds)`, in reverse order if `backwards`, with `at(k)` as the element.

    `direct` says that the element is the index itself.
    """

    bounds: tuple[Operand, Operand, Operand]
    at: Callable[[Operand], Abstract]
    backwards: bool = False
    direct: bool = False


Sequenced = Plan | tuple[Abstract, ...]


def plan(ctx: Context, value: Abstract) -> Sequenced:
    """How to run over a value: an index loop, or the entries one by one."""
    match content(ctx, value):
        case Seq() | Struct() | Const(value=str()):
            return _of_structure(ctx, value)
        case Range(start, stop, step):
            return Plan((start, stop, step), lambda k: k, direct=True)
        case Zipped(how="reversed", parts=(part,)):
            return _reversed(plan(ctx, part))
        case Zipped(how="enumerate", parts=(part,), start=start):
            return _enumerated(ctx, plan(ctx, part), start or const(0))
        case Zipped(how="zip", parts=parts):
            return _zipped(ctx, [plan(ctx, part) for part in parts])
        case Zipped(how="itertools.product", parts=parts):
            return _crossed(ctx, [plan(ctx, part) for part in parts])
        case Value() | Outside() if (known := keys(ctx, value)) is not None:
            return known.items
        case Value() | Ref() | Outside():
            return _over_array(ctx, value)
    return ctx.refuse("AG101", "this cannot be looped over", "loop over range(n) or an array")


def _of_structure(ctx: Context, value: Abstract) -> tuple[Abstract, ...]:
    """The entries of a tuple or list, the keys of a dict."""
    items = static_items(ctx, value)
    if items is None:
        return ctx.refuse("AG101", "this cannot be looped over", "loop over its entries")
    return tuple(items)


def few(found: Plan) -> range | None:
    """The indices in the order of the loop, where they are known and few."""
    start, stop, step = (b.value if isinstance(b, Const) else None for b in found.bounds)
    if not (isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step):
        return None
    indices = range(start, stop, step)[:: -1 if found.backwards else 1]
    return indices if len(indices) <= FEW else None


def _over_array(ctx: Context, value: Abstract) -> Sequenced:
    if isinstance(value, Value | Outside):
        fixed = read(ctx, value)
        value = (
            new_cell(ctx, fixed, "")
            if fixed.type.is_mutable and fixed.type.kind != "object"
            else fixed
        )
    array = read(ctx, value)
    if array.type.kind == "object":
        return _over_object(ctx, array)
    if array.type.rank == 0 and array.type.is_scalar and not ctx.catching:
        fails(ctx, "TypeError", "a number is not iterable")
        return ()
    if array.type.rank == 0:
        ctx.refuse("AG101", "a number cannot be looped over", "loop over range(n) or an array")
    base = value

    def at(index: Operand) -> Abstract:
        if array.type.rank == 1:
            return ctx.apply("load", read(ctx, base), index, index="_")
        return view(ctx, base, "load", index, index="_")

    return Plan((const(0), length(ctx, array, 0), const(1)), at)


def _over_object(ctx: Context, value: Operand) -> Plan:
    """A passive iterable, taken out into a list."""
    entries = verbatim(ctx, "list(_0_)", (value,))
    table = ctx.tables.get(value.name) if isinstance(value, Value) else None
    if isinstance(table, Table) and table.kind != "dict":
        ctx.tables[entries.name] = replace(table, items=None)
    number = verbatim(ctx, "len(_0_)", (entries,), INT, pure=True)

    def at(index: Operand) -> Abstract:
        return from_table(ctx, entries, "_0_[_1_]", (entries, index), None)

    return Plan((const(0), number, const(1)), at)


def _row(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """The entries of a short tuple in a table of the module, one by one."""
    table = ctx.tables.get(value.name) if isinstance(value, Value) else None
    if not isinstance(table, Table) or table.items is None or table.kind != "tuple":
        return None
    assert isinstance(value, Value)
    return tuple(
        from_table(ctx, value, f"_0_[{k}]", (value,), k, sure=True) for k in range(len(table.items))
    )


def _reversed(inner: Sequenced) -> Sequenced:
    if isinstance(inner, tuple):
        return inner[::-1]
    return replace(inner, backwards=not inner.backwards)


def _enumerated(ctx: Context, inner: Sequenced, start: Operand) -> Sequenced:
    if isinstance(inner, tuple):
        if not isinstance(start, Const) or not isinstance(start.value, int):
            return ctx.refuse("AG104", "the start of enumerate is not known", "add it to the index")
        return tuple(Seq((const(k), item)) for k, item in enumerate(inner, start.value))
    counted = from_zero(ctx, inner)
    return replace(counted, at=lambda k: Seq((plus(ctx, k, start), counted.at(k))))


def from_zero(ctx: Context, inner: Plan) -> Plan:
    """The same elements in the order of the loop, counted 0, 1, 2, ..."""
    start, _, step = inner.bounds
    if (start, step) == (const(0), const(1)) and not inner.backwards:
        return replace(inner, direct=False)
    number = count(ctx, inner.bounds)
    last = plus(ctx, number, const(-1)) if inner.backwards else None

    def at(k: Operand) -> Abstract:
        k = k if last is None else ctx.apply("sub", last, k)
        scaled = k if step == const(1) else ctx.apply("mul", k, step)
        return inner.at(scaled if start == const(0) else ctx.apply("add", start, scaled))

    return Plan((const(0), number, const(1)), at)


def count(ctx: Context, bounds: tuple[Operand, Operand, Operand]) -> Operand:
    """`len(range(*bounds))`; a negative number stands for none where it ends a range."""
    start, stop, step = bounds
    if step == const(1):
        return stop if start == const(0) else ctx.apply("sub", stop, start)
    return verbatim(ctx, "len(range(_0_, _1_, _2_))", bounds, INT, pure=True)


def plus(ctx: Context, a: Operand, b: Operand) -> Operand:
    """`a + b` of integers."""
    if isinstance(a, Const) and isinstance(b, Const):
        assert isinstance(a.value, int) and isinstance(b.value, int)
        return const(a.value + b.value)
    if b == const(-1):
        return ctx.apply("sub", a, const(1))
    return a if b == const(0) else ctx.apply("add", a, b)


def _zipped(ctx: Context, parts: list[Sequenced]) -> Sequenced:
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


def _crossed(ctx: Context, parts: list[Sequenced]) -> Sequenced:
    """All tuples of one element each: the last changes first."""
    if not all(isinstance(p, Plan) for p in parts):
        ctx.refuse("AG106", "a product of a list and of what is not known", "write the loops")
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
                ctx.refuse("AG106", "a list and an array of unknown length", "make both arrays")
    columns = [
        (
            part
            if isinstance(part, tuple)
            else tuple(from_zero(ctx, part).at(const(k)) for k in range(number))
        )
        for part in parts
    ]
    return tuple(Seq(row) for row in zip(*columns, strict=False))


def entries(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """All elements, where their number is known: for unpacking, `tuple(...)` and the like."""
    known = static_items(ctx, value)
    if known is not None:
        return tuple(known)
    row = _row(ctx, value)
    if row is not None or not isinstance(value, Zipped | Ref | Value):
        return row
    if isinstance(value, Ref | Value):
        shape = read(ctx, value).type.shape
        if not shape or shape[0] is None or shape[0].known is None:
            return None
    found = plan(ctx, value)
    if isinstance(found, tuple):
        return found
    number = count(ctx, found.bounds)
    size = (
        number.value if isinstance(number, Const) else number.type.value and number.type.value.known
    )
    if not isinstance(size, int):
        return None
    counted = from_zero(ctx, found)
    return tuple(counted.at(const(k)) for k in range(size))

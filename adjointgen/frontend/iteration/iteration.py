"""What a `for` runs over, as an index range and the element at each index.

    for a in x              k in range(len(x)),  a = x[k]
    for a, b in zip(x, y)   k in range(min(len(x), len(y))),  a = x[k], b = y[k]
    for i, a in enumerate(x, s)    i = k + s,  a = x[k]
    for a in reversed(x)    the same indices backwards

so every loop is an index loop, and the elements are ordinary loads. Tuples and lists whose entries
are known are unrolled instead.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.control.branches import choose, truth
from adjointgen.frontend.domain.abstract_values import (
    OVER,
    UNKNOWN,
    VIEWS,
    Abstract,
    Generator,
    Lazy,
    Outside,
    Range,
    Ref,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.domain.constant_bounds import ENTRIES
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.expressions.arithmetic import static_items
from adjointgen.frontend.expressions.special_methods import iterated
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.iteration.chosen_entries import passing
from adjointgen.frontend.iteration.looked_at import between, check_listed, objects_in
from adjointgen.frontend.iteration.loop_plans import (
    Plan,
    Sequenced,
    count,
    from_zero,
    number_of,
)
from adjointgen.frontend.iteration.rows import (
    at_once,
    backwards,
    crossed,
    enumerated,
    grouped,
    zipped,
)
from adjointgen.frontend.state.certain_raise import fails_in
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import entries_of_table
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.reachability import reachable
from adjointgen.frontend.state.storage_cells import content, hold, new_cell, read, view
from adjointgen.frontend.state.structure_operands import from_table
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const


def plan(ctx: Context, value: Abstract) -> Sequenced:
    """How to run over a value to its end: an index loop, or the entries one by one."""
    found = peeked(ctx, value)
    use(ctx, value)
    return found


def use(ctx: Context, value: Abstract, at: int = OVER) -> None:
    """Let the iterators in a value have no more entries, or an unknown number."""
    match value:
        case Ref() if is_iterator(held := content(ctx, value)):
            if at == OVER or held.items[1] != const(OVER):
                ctx.state.cells[value.cell] = held.of((held.items[0], const(at)))
            use(ctx, held.items[0], at)
        case Zipped(how="zip", parts=parts) if _is_one(ctx, parts):
            use(ctx, parts[0], at)
        case Zipped(parts=parts):
            for part in parts:
                # One that has more entries than another is left where that ends.
                use(ctx, part, UNKNOWN if len(parts) > 1 else at)
        case Lazy(over=over):
            use(ctx, over, at)


def peeked(ctx: Context, value: Abstract) -> Sequenced:
    """How one would run over a value."""
    if (own := _own_iterator(ctx, value)) is not None:
        return peeked(ctx, own)
    match content(ctx, value):
        case Struct() as held if is_iterator(held):
            return _rest(ctx, held)
        case Lazy() as lazy:
            return _lazily(ctx, lazy)
        case Seq() | Struct() | Const(value=str()):
            return _of_structure(ctx, value)
        case Range(start, stop, step):
            return Plan((start, stop, step), lambda k: k, direct=True)
        case Zipped(how="iter", parts=(part,)):
            return peeked(ctx, part)
        case Zipped(how="reversed", parts=(part,)):
            return backwards(_complete(ctx, part))
        case Zipped(how="enumerate", parts=(part,), start=start):
            return enumerated(ctx, _complete(ctx, part), start or const(0))
        case Zipped(how="zip", parts=parts):
            if _is_one(ctx, parts):
                return grouped(ctx, peeked(ctx, parts[0]), len(parts))
            _check_apart(ctx, parts)
            return zipped(ctx, _beside(ctx, parts))
        case Zipped(how="itertools.product", parts=parts):
            return crossed(ctx, [_complete(ctx, part) for part in parts])
        case Value() | Outside() if (items := static_items(ctx, value)) is not None:
            return tuple(items)
        case Value() | Ref() | Outside():
            return _over_array(ctx, value)
    return ctx.refuse("AG101", "this cannot be looped over", "loop over range(n) or an array")


def _complete(ctx: Context, value: Abstract) -> Sequenced:
    """How to run over a value that leaves no entry out."""
    found = peeked(ctx, value)
    if isinstance(found, Plan) and found.passes is not None:
        ctx.unlike("AG106", "a generator with a condition, beside others", "make a list of it")
    return found


def _own_iterator(ctx: Context, value: Abstract) -> Abstract | None:
    """What an instance with an `__iter__` of its own is run over by; None for other values."""
    found = iterated(ctx, value, ctx.node or ast.Pass())
    return None if found == value else found


def _beside(ctx: Context, parts: tuple[Abstract, ...]) -> list[Sequenced]:
    """How to run over values at once: beside one that is known, tables of the module are, too."""
    unknown = [k for k, part in enumerate(parts) if isinstance(part, Value | Ref)]
    unknown = [k for k in unknown if [*objects_in(ctx, parts[k])]]
    if unknown and len(parts) > 1:
        with between(ctx, (), leaves=True):
            kept = [None if k in unknown else _complete(ctx, p) for k, p in enumerate(parts)]
        numbers = [None if one is None else number_of(ctx, one) for one in kept]
        given = zip(parts, numbers, strict=True)
        rows = at_once(ctx, [read(ctx, p) if n is None else n for p, n in given], numbers)
        return [row if one is None else one for one, row in zip(kept, rows, strict=True)]
    with between(ctx, (), leaves=len(parts) > 1):
        found = [_complete(ctx, part) for part in parts]
    if any(isinstance(one, tuple) for one in found):
        known = [entries_of_table(ctx, part) for part in parts]
        found = [
            a if isinstance(a, tuple) or b is None else b for a, b in zip(found, known, strict=True)
        ]
    return found


def _rest(ctx: Context, held: Struct) -> Sequenced:
    """What an iterator has left."""
    value, at = held.items
    if not isinstance(at, Const) or at.value == UNKNOWN:
        ctx.unlike(
            "AG106",
            "how many entries this iterator has given is not known here",
            "make a list, and use an index",
        )
    found = () if at.value == OVER else peeked(ctx, value)
    if at.value == 0 or not found:
        return found
    assert isinstance(at.value, int)
    if isinstance(found, tuple):
        return found[at.value :]
    counted = from_zero(ctx, found)
    return replace(counted, bounds=(const(at.value), *counted.bounds[1:]))


def _lazily(ctx: Context, value: Lazy) -> Sequenced:
    """The entries of a generator; one that is computed when the loop is there."""
    node = ctx.node
    assert node is not None
    if value.lists:
        return _joined(ctx, value, node)
    makers = (value.make, *(() if value.test is None else (value.test,)))
    with between(ctx, [maker.source.node for maker in makers]):
        inner = peeked(ctx, value.over)

    def made(entry: Abstract) -> Abstract:
        return inline(ctx, value.make, [entry], {}, node)

    def test(entry: Abstract) -> Abstract:
        assert value.test is not None
        return inline(ctx, value.test, [entry], {}, node)

    if isinstance(inner, tuple):
        kept = [e for e in inner if value.test is None or _holds(ctx, test(e))]
        return tuple(hold(ctx, made(entry), "") for entry in kept)
    first = inner.passes

    def passes(k: Operand) -> Abstract:
        def own() -> Abstract:
            return const(True) if value.test is None else test(inner.at(k))

        before = const(True) if first is None else first(k)
        if (known := truth(ctx, before)) is not None:
            return own() if known else before
        return choose(ctx, read(ctx, before), own, lambda: const(False), node)

    chosen = first is not None or value.test is not None
    at = lambda k: made(inner.at(k))  # noqa: E731
    return replace(inner, at=at, direct=False, passes=passes if chosen else None)


def _holds(ctx: Context, test: Abstract) -> bool:
    known = truth(ctx, test)
    if known is None:
        ctx.unlike("AG106", "how many entries this has depends on values", "use a loop")
    return known


def _joined(ctx: Context, value: Lazy, node: ast.AST) -> Sequenced:
    """The entries of the lists that the entries give."""
    rows = _lazily(ctx, replace(value, lists=False))
    found = [entries(ctx, row) for row in rows] if isinstance(rows, tuple) else [None]
    known = [row for row in found if row is not None]
    if len(known) < len(found):
        ctx.unlike("AG106", "a generator over two loops", "write them out", node=node)
    return tuple(item for row in known for item in row)


def _of_structure(ctx: Context, value: Abstract) -> tuple[Abstract, ...]:
    """The entries of a tuple or list, the keys of a dict."""
    items = static_items(ctx, value)
    if items is None:
        return ctx.refuse("AG101", "this cannot be looped over", "loop over its entries")
    return tuple(items)


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
        fails_in(ctx, "iter(_0_)", array)
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
    table = ctx.tables.get(value.name) if isinstance(value, Value) else None
    if table is None:
        check_listed(ctx, value)
    entries = verbatim(ctx, "list(_0_)", (value,))
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


def _is_one(ctx: Context, parts: tuple[Abstract, ...]) -> bool:
    """Whether one iterator is zipped with itself."""
    first = parts[0] if parts else None
    is_box = isinstance(first, Ref) and is_iterator(content(ctx, first))
    return is_box and len(parts) > 1 and all(part == first for part in parts)


def _check_apart(ctx: Context, parts: tuple[Abstract, ...]) -> None:
    """Refuse one iterator beside itself: each entry would be another part of it."""
    cells = [cell for part in parts for cell in reachable([part], ctx.state.cells)]
    shared = {cell for cell in cells if cells.count(cell) > 1}
    if any(is_iterator(ctx.state.cells[cell]) for cell in shared):
        ctx.unlike("AG106", "an iterator beside itself", "use slices, such as x[::2] and x[1::2]")
    inner = [part for part in parts if isinstance(part, Zipped | Lazy)]
    if inner and len([*objects_in(ctx, Zipped("zip", parts))]) > 1:
        what = "objects that are not known beside each other, which may be one iterator"
        ctx.unlike("AG106", what, "make a list of one before")


def has_generator(ctx: Context, value: Abstract) -> bool:
    """Whether a generator runs when this is run over."""
    match value:
        case Generator():
            return True
        case Ref() if is_iterator(held := content(ctx, value)):
            return has_generator(ctx, held.items[0])
        case Lazy(over=over):
            return has_generator(ctx, over)
        case Zipped(how=how, parts=parts) if how not in VIEWS:
            return any(has_generator(ctx, part) for part in parts)
    return False


def _drained(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """All entries of what runs a generator, where their number turns out to be known."""

    def listed() -> tuple[Abstract, ...]:
        known = content(ctx, ctx.actions.drained(ctx, value))
        if not isinstance(known, Seq):
            ctx.unlike("AG106", "how many entries a generator has is not known", "use a loop")
        return known.items

    made = tried(ctx, listed, Kind.UNLIKE)
    return None if isinstance(made, Mismatch) else made


def _has_known_end(ctx: Context, value: Abstract) -> bool:
    """Whether it can be looked at how many entries a value has, without taking any."""
    if isinstance(value, Ref | Value) and not is_iterator(content(ctx, value)):
        shape = read(ctx, value).type.shape
        return bool(shape and shape[0] is not None and shape[0].known is not None)
    return not [*objects_in(ctx, value)]


def entries(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """All elements, where their number is known: for unpacking, `tuple(...)` and the like."""
    if ctx.node is not None:
        value = iterated(ctx, value, ctx.node)
    if has_generator(ctx, value):
        return _drained(ctx, value)
    known = static_items(ctx, value)
    if known is not None:
        return tuple(known)
    row = _row(ctx, value)
    if row is not None or not isinstance(value, Zipped | Lazy | Ref | Value):
        return row
    if not _has_known_end(ctx, value):
        return None
    found = peeked(ctx, value)
    if isinstance(found, tuple):
        use(ctx, value)
        return found
    number = count(ctx, found.bounds)
    size = (
        number.value if isinstance(number, Const) else number.type.value and number.type.value.known
    )
    if not isinstance(size, int) or size > ENTRIES:
        return None
    counted = from_zero(ctx, found)
    chosen = passing(ctx, counted, size)
    if chosen is not None:
        use(ctx, value)
    return chosen

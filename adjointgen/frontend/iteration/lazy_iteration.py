"""Lazy iterators: the next entry is looked up when the body has worked on the last one.

    for v in L: L.append(v)        the loop sees what it appends
    for k in d: d["new"] = x       raises RuntimeError, as Python does
    a = next(it); b = next(it)     entries 0 and 1; a loop over `it` goes on with entry 2

A generator evaluates its entry then, too, with what its names stand for at that time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as count_from

from adjointgen.frontend.control.branches import truth
from adjointgen.frontend.domain.abstract_values import (
    OVER,
    UNKNOWN,
    VIEWS,
    Abstract,
    Generator,
    Lazy,
    Range,
    Ref,
    Seq,
    Struct,
    Zipped,
    is_iterator,
)
from adjointgen.frontend.domain.constants import key_value
from adjointgen.frontend.expressions.arithmetic import static_items
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.iteration.generator_steps import advanced
from adjointgen.frontend.iteration.iteration import peeked
from adjointgen.frontend.iteration.loop_plans import (
    Plan,
    Step,
    Walk,
    count,
    from_zero,
    of_entries,
    plus,
    step_of,
)
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.key_order import note_order
from adjointgen.frontend.state.storage_cells import content, hold
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const


def walk(ctx: Context, value: Abstract) -> Walk | None:
    """How to go from entry to entry; None where an index runs over them."""
    known = content(ctx, value)
    match value:
        case Generator():
            return walk(ctx, hold(ctx, value, ""))
        case Ref() if is_iterator(known):
            return _continued(ctx, value, known)
        case Ref() if isinstance(known, Seq):
            return lambda k: _entry(ctx, value, k)
        case Ref() if isinstance(known, Struct) and known.kind == "dict":
            note_order(ctx, known)
            return _keys(ctx, value, known.keys, "keys")
        case Zipped(how=how, parts=(Ref() as owner,)) if how in VIEWS:
            held = content(ctx, owner)
            return _keys(ctx, owner, held.keys, how) if isinstance(held, Struct) else None
        case Zipped():
            return _zipped(ctx, value)
        case Lazy():
            return _lazily(ctx, value)
    return _of_known(ctx, value)


def _of_known(ctx: Context, value: Abstract) -> Walk | None:
    """The entries of a tuple, the characters of a string, the keys of a table of the module."""
    found = None if isinstance(content(ctx, value), Range) else static_items(ctx, value)
    return None if found is None else of_entries(tuple(found))


def each(ctx: Context, steps: Walk) -> Iterator[Abstract]:
    """The entries, one by one; which are left out must be known."""
    for k in count_from(0):
        step = steps(k)
        if step is None:
            return
        known = step.passes is None or truth(ctx, step.passes())
        if known is None:
            ctx.unlike("AG106", "how many entries this has depends on values", "use a loop")
        if known:
            yield step.make()


def _entry(ctx: Context, owner: Ref, k: int) -> Step | None:
    """An entry of a list as it is now."""
    held = content(ctx, owner)
    if not isinstance(held, Seq):
        ctx.unlike(
            "AG106",
            "a list is looped over, and how many entries it has then is not known",
            "loop over list(...), or count with an index",
        )
    return step_of(held.items[k]) if k < len(held.items) else None


def _keys(ctx: Context, owner: Ref, before: tuple[object, ...], how: str) -> Walk:
    """What a view shows of a dict, which must not change its size meanwhile."""

    def at(k: int) -> Step | None:
        held = content(ctx, owner)
        if not isinstance(held, Struct):
            what = "a dict is handed to code that is copied, in a loop over it"
            ctx.unlike("AG106", what, "loop over list(d)")
        if len(held.keys) != len(before):
            _changed(ctx)
            return None
        if held.keys != before:
            ctx.unlike("AG106", "a dict gets other keys in a loop over it", "loop over list(d)")
        if k == len(before):
            return None
        row = key_value(before[k]), held.items[k]
        return step_of({"keys": row[0], "values": row[1]}.get(how, Seq(row)))

    return at


def _changed(ctx: Context) -> None:
    """The end of the loop, and of the path."""
    if ctx.catching:
        ctx.refuse("AG101", "a dict changes its size in a loop over it", "loop over list(d)")
    fails(ctx, "RuntimeError", "dictionary changed size during iteration")


def _continued(ctx: Context, owner: Ref, held: Struct) -> Walk | None:
    """The entries that an iterator has left; those that are asked for are taken."""
    if isinstance(held.items[0], Generator):
        return lambda _: None if (found := advanced(ctx, owner)) is None else step_of(found[0])
    inner = walk(ctx, held.items[0])
    return None if inner is None else _moving(ctx, owner, inner)


def _moving(ctx: Context, owner: Ref, inner: Walk) -> Walk:
    """The entries that are left each time, whoever took those before."""

    def at(_: int) -> Step | None:
        start = position(ctx, owner)
        found = None if start == OVER else inner(start)
        held = ctx.state.cells[owner.cell]
        assert isinstance(held, Struct)
        place = const(OVER if found is None else start + 1)
        ctx.state.cells[owner.cell] = held.of((held.items[0], place))
        return found

    return at


def position(ctx: Context, owner: Ref) -> int:
    """How many entries were taken out of an iterator, or `OVER`."""
    held = ctx.state.cells[owner.cell]
    assert isinstance(held, Struct)
    at = held.items[1]
    if not (isinstance(at, Const) and isinstance(at.value, int)) or at.value == UNKNOWN:
        ctx.unlike(
            "AG106",
            "how many entries this iterator has given is not known here",
            "make a list, and use an index",
        )
    return at.value


def _zipped(ctx: Context, value: Zipped) -> Walk | None:
    match value:
        case Zipped("enumerate", (part,), start):
            first = const(0) if start is None else start
            inner = walk(ctx, part)
            if inner is None or not isinstance(first, Const):
                return None
            return _with_numbers(ctx, inner, first)
        case Zipped("reversed", (Ref() as owner,)) if isinstance(held := content(ctx, owner), Seq):
            last = len(held.items) - 1
            return lambda k: _entry(ctx, owner, last - k) if k <= last else None
        case Zipped("reversed", (part,)) if (found := _of_known(ctx, part)) is not None:
            return of_entries(tuple(each(ctx, found))[::-1])
        case Zipped("iter", (part,)):
            return walk(ctx, part)
        case Zipped("zip", parts) if parts:
            return _instep_of(ctx, parts)
    return None


def _with_numbers(ctx: Context, inner: Walk, start: Const) -> Walk:
    def at(k: int) -> Step | None:
        found = inner(k)
        if found is None:
            return None
        return step_of(Seq((plus(ctx, const(k), start), _made(ctx, found))))

    return at


def _made(ctx: Context, step: Step) -> Abstract:
    if step.passes is not None:
        ctx.unlike("AG106", "a generator with a condition, beside others", "make a list of it")
    return step.make()


def _instep_of(ctx: Context, parts: tuple[Abstract, ...]) -> Walk | None:
    """One of each: the first that has no more is the end, and those after it are not asked."""
    walks = [walk(ctx, part) for part in parts]
    if all(one is None for one in walks):
        return None
    rows = [w or _with_place(ctx, p) for w, p in zip(walks, parts, strict=True)]
    known = [one for one in rows if one is not None]
    if len(known) < len(rows):
        return None

    def at(k: int) -> Step | None:
        items = []
        for one in known:
            found = one(k)
            if found is None:
                return None
            items.append(_made(ctx, found))
        return step_of(Seq(tuple(items)))

    return at


def _with_place(ctx: Context, value: Abstract) -> Walk | None:
    """An array or a range; of an iterator over one, the entries that are left are taken."""
    is_box = isinstance(value, Ref) and is_iterator(content(ctx, value))
    return _indexed_rest(ctx, value) if isinstance(value, Ref) and is_box else _indexed(ctx, value)


def _indexed(ctx: Context, value: Abstract) -> Walk | None:
    """An array or a range of known length, entry by entry."""
    found = peeked(ctx, value)
    if not isinstance(found, Plan) or found.passes is not None:
        return None
    number = count(ctx, found.bounds)
    size = number.value if isinstance(number, Const) else None
    if not isinstance(size, int):
        return None
    counted = from_zero(ctx, found)
    return lambda k: Step(lambda: counted.at(const(k))) if k < size else None


def _lazily(ctx: Context, value: Lazy) -> Walk | None:
    inner = walk(ctx, value.over)
    if inner is None or value.lists:
        return None
    node = ctx.node
    assert node is not None

    def at(k: int) -> Step | None:
        found = inner(k)
        if found is None:
            return None
        entries: list[Abstract] = []

        def entry() -> Abstract:
            if not entries:
                entries.append(found.make())
            return entries[0]

        def passes() -> Abstract:
            assert value.test is not None
            return inline(ctx, value.test, [entry()], {}, node)

        test = None if value.test is None else passes
        return Step(lambda: inline(ctx, value.make, [entry()], {}, node), test)

    return at


def taken(ctx: Context, owner: Ref) -> tuple[Abstract] | None:
    """The next entry of an iterator in a box, which is taken out of it; None at its end."""
    held = ctx.state.cells[owner.cell]
    assert isinstance(held, Struct)
    steps = walk(ctx, owner) or _indexed_rest(ctx, owner)
    if steps is None:
        ctx.unlike(
            "AG106",
            "one entry is taken of what has an unknown number of entries",
            "use an index, or a loop",
        )
    return next(((entry,) for entry in each(ctx, steps)), None)


def _indexed_rest(ctx: Context, owner: Ref) -> Walk | None:
    """What is left of an array or range of known length."""
    held = ctx.state.cells[owner.cell]
    assert isinstance(held, Struct)
    of = held.items[0]
    inner = _indexed(ctx, of.parts[0] if isinstance(of, Zipped) and of.how == "iter" else of)
    return None if inner is None else _moving(ctx, owner, inner)

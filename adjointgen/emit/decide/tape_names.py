"""The list of a tape: its name, and where it begins.

It begins before the outermost loop that records on it.

A slot whose records stand in different loops, or in none, begins at the start of the function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import count

from adjointgen.analysis.values.temporary_names import array_of, is_temporary
from adjointgen.emit.decide.name_assignment import temporary, without_numbers
from adjointgen.emit.decide.positions import Layer, Place
from adjointgen.ir.nodes import (
    LOOPS,
    TAPES,
    Apply,
    Block,
    Record,
    Stmt,
    Value,
    walk,
)


def tape_starts(
    layer: Layer, is_folded: Callable[[Stmt], bool], handed: Collection[str]
) -> dict[int, list[str]]:
    """The slots that begin before a position, by position; what is folded has none.

    Tapes that are handed out exist on every path.
    """
    found: dict[str, set[int]] = defaultdict(set)
    for slot, at in _records(layer, -1):
        found[slot].add(at)
    lines = (p.at for p in layer.places if not _is_comment(p) and not is_folded(p.stmt))
    first = next(lines, 0)
    starts: dict[int, list[str]] = defaultdict(list)
    for slot, loops in found.items():
        (at,) = loops if len(loops) == 1 and slot not in handed else (-1,)
        starts[at if at >= 0 else first].append(slot)
    return dict(starts)


def _is_comment(place: Place) -> bool:
    return isinstance(place.stmt, Apply) and place.stmt.op == "comment"


def _records(layer: Layer, loop: int) -> Iterator[tuple[str, int]]:
    """The slot of every record, with the position of the outermost loop around it, or -1."""
    for place in layer.places:
        if isinstance(place.stmt, Record):
            yield place.stmt.slot, loop
        inner = place.at if loop < 0 and isinstance(place.stmt, LOOPS) else loop
        for each in place.layers:
            yield from _records(each, inner)


def slot_wishes(body: Block, stem: str, nouns: Mapping[str, str]) -> dict[str, str]:
    """What each slot is to be called: its own name without numbers.

    A tape of elements is called after the array: `u_tape` for those of `t = u[i]`.
    """
    makers = {s.result.name: s for s in walk(body) if isinstance(s, Apply) and len(s.results) == 1}
    found: dict[str, str] = {}
    for stmt in walk(body):
        if isinstance(stmt, TAPES) and stmt.slot not in found:
            found[stmt.slot] = _plural(without_numbers(stmt.slot))
            value = stmt.value if isinstance(stmt, Record) else stmt.result
            if isinstance(value, Value) and not value.root and is_temporary(value.name):
                own = array_of(value, makers)
                noun = own or nouns.get(value.name, "")
                wish = temporary(found[stmt.slot], stem)
                found[stmt.slot] = f"{noun}_tape" if noun else wish
    return found


def _plural(slot: str) -> str:
    """A tape of the tapes of calls is called `g_tapes`."""
    return slot.replace("_tape_tape", "_tapes")


def slot_names(wishes: Mapping[str, str], taken: Collection[str]) -> dict[str, str]:
    """A Python name for each slot: what it is to be called, numbered where that is taken."""
    names: dict[str, str] = {}
    used = set(taken)
    for slot, wish in wishes.items():
        number = count(1)
        names[slot] = wish
        while names[slot] in used:
            names[slot] = f"{wish}_{next(number)}"
        used.add(names[slot])
    return names

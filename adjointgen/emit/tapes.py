"""Where the list of a tape begins: before the outermost loop that records on it.

A slot whose records stand in different loops, or in none, begins at the start of the function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import count

from adjointgen.emit.layout import Layer, Place
from adjointgen.emit.names import without_numbers
from adjointgen.ir.nodes import Apply, Loop, Record, While


def tape_starts(layer: Layer) -> dict[int, list[str]]:
    """The slots that begin before a position, by position."""
    found: dict[str, set[int]] = defaultdict(set)
    for slot, at in _records(layer, -1):
        found[slot].add(at)
    first = next((p.at for p in layer.places if not _is_comment(p)), 0)
    starts: dict[int, list[str]] = defaultdict(list)
    for slot, loops in found.items():
        (at,) = loops if len(loops) == 1 else (-1,)
        starts[at if at >= 0 else first].append(slot)
    return dict(starts)


def _is_comment(place: Place) -> bool:
    return isinstance(place.stmt, Apply) and place.stmt.op == "comment"


def _records(layer: Layer, loop: int) -> Iterator[tuple[str, int]]:
    """The slot of every record, with the position of the outermost loop around it, or -1."""
    for place in layer.places:
        if isinstance(place.stmt, Record):
            yield place.stmt.slot, loop
        inner = place.at if loop < 0 and isinstance(place.stmt, Loop | While) else loop
        for each in place.layers:
            yield from _records(each, inner)


def slot_names(slots: Collection[str], taken: Collection[str]) -> dict[str, str]:
    """A Python name for each slot: its own without numbers, numbered where that is taken."""
    names: dict[str, str] = {}
    used = set(taken)
    for slot in slots:
        wish = without_numbers(slot)
        number = count(1)
        names[slot] = wish
        while names[slot] in used:
            names[slot] = f"{wish}_{next(number)}"
        used.add(names[slot])
    return names

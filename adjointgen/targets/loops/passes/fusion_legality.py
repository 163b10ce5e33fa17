"""Legality of fusion: whether two loops over one range touch the same rows at one time.

Along one axis all entries that are read or written have the index of the loop, or the same number
more in both loops: `a[i + 1, j]` in one and `a[i + 1, 0]` in the other. Rows that come before the
first would be counted from the end, so that number is not negative. Rows do not matter where both
loops only add to what is there.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ir.edit import is_one_array, name_of, versions
from adjointgen.ir.nodes import (
    STORES,
    Apply,
    Block,
    Const,
    Loop,
    Value,
    operands_of,
    walk,
)
from adjointgen.records import dataclass
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of


@dataclass(frozen=True, slots=True)
class Rows:
    """Two loops."""

    first: Loop
    second: Loop

    def of_made(self, array: Value) -> bool:
        """Of an array that the first loop makes and the second one reads or changes further."""
        at = self.first.results.index(array)
        # An array that is made anew in each iteration has rows of the last one alone.
        if not is_one_array(self.first, at):
            return False
        written = versions(self.first, {self.first.body.params[at].name})
        read = {array.name}
        if array in self.second.inits:
            k = self.second.inits.index(array)
            if not is_one_array(self.second, k):
                return False
            read |= versions(self.second, {self.second.body.params[k].name})
        read = versions(self.second, read)
        if _is_sum(self.first.body, written) and _is_sum(self.second.body, read):
            return True
        return self.are_one(written, read, array.type.rank or 0)

    def of_changed(self, place: int) -> bool:
        """Of an array that the second loop changes and the first one reads as it was."""
        init = self.second.inits[place]
        if not is_one_array(self.second, place):
            return False
        written = versions(self.second, {self.second.body.params[place].name})
        return self.are_one({name_of(init)}, written, init.type.rank or 0)

    def are_one(self, ours: set[str], theirs: set[str], rank: int) -> bool:
        """Whether along some axis both loops touch one row, by the names of the array in each."""
        one, other = _touched(self.first, ours), _touched(self.second, theirs)
        if one is None or other is None:
            return False
        places = one + other
        return any(_is_one_row([p[axis : axis + 1] for p in places]) for axis in range(rank))


def _is_one_row(places: list[list[int | None]]) -> bool:
    """Whether all are the same number after the index, and not before it."""
    return all(p == places[0] and p and p[0] is not None and p[0] >= 0 for p in places)


def _touched(loop: Loop, names: set[str]) -> list[list[int | None]] | None:
    """How far after the index each read and write of an array is along each of its axes.

    None along an axis for anywhere else, and for all where it is used in another way.
    """
    found: list[list[int | None]] = []
    sums: dict[str, Apply] = {}
    for stmt in walk(loop.body):
        if isinstance(stmt, Loop):
            continue
        if isinstance(stmt, Apply) and stmt.op in ("add", "sub"):
            sums[stmt.result.name] = stmt
        used = [o for o in operands_of(stmt) if name_of(o) in names]
        if not used:
            continue
        if not isinstance(stmt, Apply) or stmt.op not in ("load", *STORES):
            return None
        at = axis_by_axis(str(stmt.option("index")), numbers_of(stmt))
        if stmt.args[0] not in used or len(used) > 1 or at is None:
            return None
        found.append([_after(place, loop.index, sums) for place in at])
    return found


def _is_sum(block: Block, names: set[str]) -> bool:
    """Whether an array is only added to, by derivatives, which have no order."""
    for stmt in walk(block):
        used = [o for o in operands_of(stmt) if name_of(o) in names]
        if used and not isinstance(stmt, Loop):
            if not isinstance(stmt, Apply) or stmt.op != "accumulate" or len(used) > 1:
                return False
            if stmt.args[0] not in used:
                return False
    return True


def _after(place: object, index: Value, sums: Mapping[str, Apply]) -> int | None:
    """By how much a place is more than the index."""
    if place == index:
        return 0
    made = sums.get(place.name) if isinstance(place, Value) else None
    match made:
        case Apply(op="add", args=(first, Const(value=int(number)))) if first == index:
            return number
        case Apply(op="sub", args=(first, Const(value=int(number)))) if first == index:
            return -number
    return None

"""What is recorded has one name in both sweeps of a program: `ratio` here and there.

    t_3 = a / b; y = np.exp(t_3)              ratio = a / b; y = np.exp(ratio)
    return y, (t_3, y)                        return y, (ratio, y)
                                      ->
    t_3, y = tape                             ratio, y = tape
    t_3_bar = y_bar * y                       ratio_bar = y_bar * y

A variable has its name anyway. What has none is called by its operation in the forward sweep, which
the reverse sweep does not see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, count

from adjointgen.analysis.values.temporary_names import array_of, is_temporary, temporary_names
from adjointgen.ir.edit import with_simple, with_values
from adjointgen.ir.nodes import TAPES, Apply, Block, Record, Stmt, Value, defined_in, walk
from adjointgen.records import replace


def named_alike(
    forward: Block, reverse: Block, recorded: Sequence[Value]
) -> tuple[Block, Block, tuple[Value, ...]]:
    """The sweeps, and what is recorded beside lists, where this and the lists have names."""
    nouns = temporary_names(forward)
    taken = {n for b in (forward, reverse) for v in defined_in(b) for n in (v.root, v.name)}
    taken |= {stmt.slot for b in (forward, reverse) for stmt in walk(b) if isinstance(stmt, TAPES)}
    plain = [v for v in recorded if not v.root and v.name in nouns]
    by = {v.name: replace(v, root=_fresh(nouns[v.name], taken)) for v in plain}
    wishes = _lists(forward, nouns)
    slots = {slot: _fresh(f"{noun}_tape", taken) for slot, noun in wishes.items()}

    def renamed(stmt: Stmt) -> Stmt:
        return (
            replace(stmt, slot=slots.get(stmt.slot, stmt.slot)) if isinstance(stmt, TAPES) else stmt
        )

    def changed(block: Block) -> Block:
        return with_values(with_simple(block, renamed), lambda v: by.get(v.name, v))

    return changed(forward), changed(reverse), tuple(by.get(v.name, v) for v in recorded)


def _lists(forward: Block, nouns: Mapping[str, str]) -> dict[str, str]:
    """What the values are called that lists have, where these are named after a temporary."""
    makers = {
        s.result.name: s for s in walk(forward) if isinstance(s, Apply) and len(s.results) == 1
    }
    found: dict[str, str] = {}
    for stmt in walk(forward):
        if isinstance(stmt, Record) and isinstance(stmt.value, Value) and not stmt.value.root:
            noun = array_of(stmt.value, makers) or nouns.get(stmt.value.name, "")
            if noun and is_temporary(stmt.value.name) and is_temporary(stmt.slot):
                found[stmt.slot] = noun
    return found


def _fresh(wish: str, taken: set[str]) -> str:
    """A name that nothing has: `ratio`, `ratio_1`."""
    name = next(n for n in chain([wish], (f"{wish}_{k}" for k in count(1))) if n not in taken)
    taken.add(name)
    return name

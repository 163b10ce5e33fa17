"""Several assignments at once: what a loop carries into its next turn, what a branch arm leaves.

The sources are all read before any target is written. Sequentially: an assignment may go first if
no other one still reads its target; where they go round in a circle, one tuple assignment
`u, v = v, u` does it (the parallel copies of SSA destruction, Boissinot et al. 2009, where Python
spares the temporary).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.ir.nodes import Operand, Value
from adjointgen.records import dataclass

Leaves = Callable[[Operand], list[Value]]


@dataclass(frozen=True, slots=True)
class Copy:
    """`target = source`, under its Python name, with the names that the source reads."""

    name: str
    target: Value
    source: Operand
    reads: frozenset[str]


def in_sequence(copies: Sequence[Copy]) -> list[list[Copy]]:
    """The copies in groups, one after the other; a group of several is one tuple assignment."""
    groups: list[list[Copy]] = []
    left = list(copies)
    while left:
        free = next((c for c in left if not any(c.name in o.reads for o in left if o != c)), None)
        groups.append([free] if free else left)
        left = [c for c in left if c is not free] if free else []
    return groups


def needed(
    pairs: Sequence[tuple[Value, Operand]], leaves: Leaves, names: Mapping[str, str]
) -> list[Copy]:
    """The copies that do something: the source is defined, and not under the name already."""
    found = []
    for target, source in pairs:
        reads = leaves(source)
        own = names[target.name]
        is_name = isinstance(source, Value) and reads == [source]
        if is_undefined(source) or (is_name and names[reads[0].name] == own):
            continue
        found.append(Copy(own, target, source, frozenset(names[r.name] for r in reads)))
    return found

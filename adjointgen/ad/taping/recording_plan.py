"""What is decided for one forward block, and where its reverse block stands."""

from __future__ import annotations

from collections.abc import Mapping, Set

from adjointgen.ad.modes.adjoint_state import Path
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Plan:
    """What to record, and the statements by which the other needed values are recomputed.

    `early` are those to be had at a place of the reverse block, before an array changes.
    """

    recorded: tuple[Value, ...]
    recomputed: dict[str, Apply]
    held: dict[tuple[str, str], Operand]
    early: dict[int, tuple[Value, ...]] = field(default_factory=dict)

    @property
    def order(self) -> dict[str, int]:
        """The position of each recomputed value among them; recorded ones come first."""
        return {name: k for k, name in enumerate(self.recomputed, 1)}

    def restored_at(self, arg: Operand, reader: str) -> Operand | None:
        """What the reverse sweep holds in place of `arg` where `reader` is recomputed."""
        return self.held.get((arg.name, reader)) if isinstance(arg, Value) else None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a reverse block stands: what is in scope at its start, its path, and all pairs.

    Of what is in scope the `shapeless` values may not be defined. `index` is that of the loop whose
    block it is, if what it does not change can be had before it.

    A branch on a constant may be gone since a path was noted; then it is in no pair.
    """

    visible: Mapping[str, Value]
    path: Path
    pairs: Set[int]
    shapeless: Set[str] = frozenset()
    index: str = ""

    def reaches(self, path: Path) -> bool:
        """Whether what holds in a block holds here."""
        return all(step in self.path or step[0] not in self.pairs for step in path)

"""What simple statements do to shadows: writes in place, lists, snapshots, and operations.

A sum that is written `a[1:] += e` makes no array of its own, nor does `a - e` of a negated `e`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from adjointgen.ir.nodes import GROWS, STORES, Apply, Operand, Stmt
from adjointgen.rules.framework.table import TABLE
from adjointgen.views.memory.operations import Operations
from adjointgen.views.memory.shadows import Snapshots, Unknown
from adjointgen.views.memory.snapshot_counts import most_snapshots

_AUGMENTED: Final = ("+", "-", "*", "/")


class Statements:
    """Values of statements; `read` gives those of operands, `operation` what is folded there."""

    def __init__(
        self,
        operations: Operations,
        read: Callable[[Operand], object],
        operation: Callable[[Operand], Stmt | None],
    ) -> None:
        self._operations, self._read, self._operation = operations, read, operation

    def values(self, stmt: Apply) -> list[object]:
        row = TABLE.get(stmt.op)
        if row.form == "begin":
            return [Unknown(), Snapshots([]), *(Unknown() for _ in stmt.results[2:])]
        if row.form == "latest":
            return self._resumed(stmt)
        if stmt.op in STORES:
            return [self._written(stmt)]
        if stmt.op in GROWS:
            return [self._grown(stmt)]
        read = self._positive if row.symbol in ("+", "-") else self._read
        return self._operations.results(stmt, [read(a) for a in stmt.args])

    def keep(self, stmt: Apply, steps: int) -> list[object]:
        """All snapshots of so many steps, at the first that is kept."""
        _, held, _, _, limit, *state = (self._read(a) for a in stmt.args)
        if stmt.option("schedule") == "online":
            state = state[1:]
        if isinstance(held, Snapshots) and not held.kept and steps:
            count = limit if isinstance(limit, int) and limit > 0 else steps
            times = most_snapshots(stmt.option("schedule"), steps, count)
            held.kept.extend([self._operations.copy(s) for s in state] for _ in range(times))
        return []

    def _resumed(self, stmt: Apply) -> list[object]:
        """The step of a snapshot and its state; one step is run again."""
        _, held, place = (self._read(a) for a in stmt.args)
        first = max(0, place - 1) if isinstance(place, int) else Unknown()
        if not isinstance(held, Snapshots) or not held.kept:
            return [first, *(self._operations.declared(r.type) for r in stmt.results[1:])]
        state = held.kept[0]
        return [first, *(self._operations.copy(s) for s in state)]

    def _written(self, stmt: Apply) -> object:
        """The array or list that is written to, which stays what it is."""
        target, v = stmt.args[:2]
        held, update = self._read(target), self._operation(v)
        if isinstance(update, Apply) and self._updates(update):
            left, right = update.args
            for own, other in ((left, right), (right, left)):
                if self._is_part(stmt, own):
                    self._positive(other)
                    return held
        self._positive(v)
        return held

    def _updates(self, stmt: Apply) -> bool:
        return len(stmt.args) == 2 and TABLE.get(stmt.op).symbol in _AUGMENTED

    def _is_part(self, store: Apply, operand: Operand) -> bool:
        """Whether an operand is the part that a store overwrites."""
        load = self._operation(operand)
        a, _, *indices = store.args
        if not isinstance(load, Apply) or TABLE.get(load.op).loop != "part":
            return False
        same = store.option("index", "_") == load.option("index", "_")
        return same and load.args == (a, *indices)

    def _positive(self, operand: Operand) -> object:
        """A term of a sum; `-y` is subtracted, and `y` spread over an array is added as it is."""
        stmt = self._operation(operand)
        row = TABLE.get(stmt.op) if isinstance(stmt, Apply) else None
        if row is None or not isinstance(stmt, Apply):
            return self._read(operand)
        opposite = row.symbol == "-" and len(stmt.args) == 1
        spread = row.fresh and row.loop == "same" and row.kind == "linear"
        return self._read(stmt.args[0] if opposite or spread else operand)

    def _grown(self, stmt: Apply) -> object:
        held, *values = (self._read(a) for a in stmt.args)
        if isinstance(held, list):
            held += values
            if not values and held:
                held.pop()
        return held

"""Recompute or record: a decision per needed value of one forward block.

The *leaves* of a value are what its recomputation ends at: loop parameters, results of inner loops
and branches, the user's own code. Loop indices, values from outside the block and restored arrays
are no leaves, the reverse sweep has them. A value without leaves is always recomputed, so that
independent iterations need no tape (Tapenade's II-LOOP, here proved). For the others the cheaper of
two sets is recorded: the needed values themselves, in order, less those that follow from earlier
ones within a budget of arithmetic; or the leaves, if they are fewer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from adjointgen.ir.nodes import (
    Apply,
    Block,
    Operand,
    Value,
    defined_in,
    reads_of,
    results_of,
)
from adjointgen.rules.table import TABLE

BUDGET = {True: 4.0, False: 1.0}
"""What recomputing a scalar (True) or an array may cost in place of recording it."""

IMPURE = frozenset({"verbatim", "statement", "comment", "store", "accumulate", "empty", "empty_like"})


@dataclass(frozen=True, slots=True)
class Plan:
    """What to record, and the statements by which the other needed values are recomputed."""

    recorded: tuple[Value, ...]
    recomputed: dict[str, Apply]
    held: dict[tuple[str, str], Operand]

    def restored_at(self, arg: Operand, reader: str) -> Operand | None:
        """What the reverse sweep holds in place of `arg` where `reader` is recomputed."""
        return self.held.get((arg.name, reader)) if isinstance(arg, Value) else None


def plan(
    forward: Block,
    reverse: Block,
    restored: dict[str, Operand],
    standing: dict[str, Apply],
    recompute: bool,
) -> Plan:
    """Decide for one forward block and its reverse; without `recompute`, all is recorded."""
    return _Planner(forward, reverse, restored, standing).decide(recompute)


class _Planner:
    def __init__(
        self,
        forward: Block,
        reverse: Block,
        restored: dict[str, Operand],
        standing: dict[str, Apply],
    ) -> None:
        self.restored = restored
        self.final = {standing[name].args[0] for name in standing}
        self.defined = {v.name: v for v in forward.params}
        self.makers: dict[str, Apply] = {}
        for stmt in forward.stmts:
            self.defined.update({r.name: r for r in results_of(stmt)})
            if isinstance(stmt, Apply) and _repeatable(stmt):
                self.makers.update({r.name: stmt for r in stmt.results})
        self.makers.update({n: s for n, s in standing.items() if n in self.defined})
        self.inside = {v.name for v in defined_in(reverse)}
        self.ready = {p.name: -1 for p in reverse.params}
        self.first: dict[str, int] = {}
        for position, stmt in enumerate(reverse.stmts):
            self.note(reads_of(Block((), (stmt,), ())), position)
            self.ready.update({r.name: position for r in results_of(stmt)})
        self.note(reverse.yields, len(reverse.stmts))
        self.held: dict[tuple[str, str], Operand] = {}

    def note(self, reads: Iterable[Operand], position: int) -> None:
        for value in reads:
            if isinstance(value, Value) and value.name in self.defined:
                self.first.setdefault(value.name, position)

    def decide(self, recompute: bool) -> Plan:
        needed = [v for name, v in self.defined.items() if name in self.first]
        recomputed: dict[str, Apply] = {}
        if not recompute:
            recorded = needed
        else:
            bound = [v for v in needed if self.leaves(v, self.first[v.name])]
            recorded = min((self.directly(bound, []), self.leafwise(bound)), key=_weight)
            kept = {v.name for v in recorded}
            for v in needed:
                self.gather(v, kept, recomputed, self.first[v.name])
        return Plan(tuple(recorded), recomputed, self.held)

    def gather(
        self, value: Value, kept: set[str], into: dict[str, Apply], position: int
    ) -> None:
        """The statements that recompute a value from what is kept."""
        if value.name in kept or value.name in into or value.name not in self.defined:
            return
        stmt = self.makers[value.name]
        into[value.name] = stmt
        for arg in stmt.args:
            held = self.holds(arg, position)
            if held is not None:
                assert isinstance(arg, Value)
                self.held[arg.name, value.name] = held
            elif isinstance(arg, Value):
                self.gather(arg, kept, into, position)

    def holds(self, operand: Operand, position: int) -> Operand | None:
        """What the reverse sweep holds, at a position, of an operand."""
        if operand in self.final and isinstance(operand, Value):
            return self.restored.get(operand.name, operand)
        if not isinstance(operand, Value) or operand.name not in self.restored:
            return None
        held = self.restored[operand.name]
        if not isinstance(held, Value):
            return held
        if held.name in self.inside:
            return held if self.ready.get(held.name, position) < position else None
        return held if operand.name not in self.defined else None

    def leaves(self, value: Operand, position: int) -> dict[str, Value]:
        """What recomputing a value ends at; a value that cannot be recomputed is its own leaf."""
        found: dict[str, Value] = {}
        self.collect(value, position, found, set())
        return found

    def collect(
        self, value: Operand, position: int, found: dict[str, Value], seen: set[str]
    ) -> None:
        if not isinstance(value, Value) or value.name in seen or value.name not in self.defined:
            return
        seen.add(value.name)
        if value.name not in self.makers:
            found[value.name] = value
            return
        for arg in self.makers[value.name].args:
            if self.holds(arg, position) is None:
                self.collect(arg, position, found, seen)

    def directly(self, bound: list[Value], start: list[Value]) -> list[Value]:
        """Record the needed values in order, less what is cheap to recompute from earlier ones."""
        recorded = list(start)
        kept = {v.name for v in recorded}
        for value in bound:
            if value.name not in kept and self.cost(value, kept) > BUDGET[value.type.is_scalar]:
                recorded.append(value)
                kept.add(value.name)
        return recorded

    def leafwise(self, bound: list[Value]) -> list[Value]:
        """Record the leaves, and what is not cheap to recompute from them."""
        leaves: dict[str, Value] = {}
        for value in bound:
            leaves.update(self.leaves(value, self.first[value.name]))
        return self.directly(bound, list(leaves.values()))

    def cost(self, value: Operand, kept: set[str], limit: float = 50.0) -> float:
        """The cost of recomputing a value from what is kept and what needs no keeping."""
        if not isinstance(value, Value) or value.name in kept or value.name not in self.defined:
            return 0.0
        stmt = self.makers.get(value.name)
        if stmt is None or limit < 0:
            return float("inf")
        position = self.first.get(value.name, 0)
        if not self.leaves(value, position):
            return TABLE[stmt.op].cost
        total = TABLE[stmt.op].cost
        for arg in stmt.args:
            if self.holds(arg, position) is None:
                total += self.cost(arg, kept, limit - total)
        return total


def _repeatable(stmt: Apply) -> bool:
    """Whether running the statement again gives the same value."""
    row = TABLE[stmt.op]
    return stmt.op not in IMPURE and not row.effect


def _weight(recorded: list[Value]) -> float:
    """The cost of a tape: arrays weigh more than scalars."""
    return sum(1.0 if v.type.is_scalar else 3.0 for v in recorded)

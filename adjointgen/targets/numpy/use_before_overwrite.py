"""Reordering of statements: a part of an array is used before it is overwritten, not copied.

    t_bar = u_bar[1:-1]                         t_bar = u_bar[1:-1]
    u_bar[1:-1] = 0.0                           t = 0.1 * t_bar
    t = 0.1 * t_bar                      ->     v_bar[1:-1] += t_bar
    v_bar[1:-1] += t_bar                        u_bar[1:-1] = 0.0

The reverse of an assignment takes the adjoint of the part and sets it to zero, and what it does
with it comes after. Since the part is a view, that would be done with a copy. Where everything that
is done with it can be done before the part is written to, it is. Only derivatives move: the user's
own statements stay in their order.
"""

from __future__ import annotations

from collections import defaultdict

from adjointgen.ir.edit import name_of, reads_by, rebuild
from adjointgen.ir.nodes import (
    STORES,
    WRITES,
    Apply,
    Block,
    Function,
    Stmt,
    Value,
    results_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE


def early(function: Function, primal: frozenset[str]) -> Function:
    """The function with such uses before the write."""
    if not any(isinstance(s, Apply) and s.op in STORES for s in walk(function.body)):
        return function

    def inner(block: Block) -> Block:
        block = replace(block, stmts=tuple(rebuild(s, lambda o: o, inner) for s in block.stmts))
        return _Order(block, primal).block()

    return replace(function, body=inner(function.body))


class _Order:
    """The order of one block. `place` is where each statement comes: before the number it has."""

    def __init__(self, block: Block, primal: frozenset[str]) -> None:
        self.whole = block
        self.primal = primal
        self.defined: dict[str, int] = {}
        self.uses: defaultdict[str, list[int]] = defaultdict(list)
        self.writes: dict[str, int] = {}
        for at, stmt in enumerate(block.stmts):
            for result in results_of(stmt):
                self.defined[result.name] = at
            for name in {v.name for v in reads_by(stmt)}:
                self.uses[name].append(at)
            if isinstance(stmt, Apply) and stmt.op in STORES and isinstance(stmt.args[0], Value):
                self.writes[stmt.args[0].name] = at
        self.yielded = {v.name for v in block.yields if isinstance(v, Value)}
        self.place: dict[int, int] = {}

    def block(self) -> Block:
        for at, stmt in enumerate(self.whole.stmts):
            write = self.overwritten(stmt, at)
            if write is not None:
                self.hasten(results_of(stmt)[0], write)
        if not self.place:
            return self.whole
        count = len(self.whole.stmts)
        # What moves comes before the statement it moves to, and in its old order otherwise.
        order = sorted(range(count), key=lambda k: (self.place.get(k, k), k not in self.place, k))
        return replace(self.whole, stmts=tuple(self.whole.stmts[k] for k in order))

    def overwritten(self, stmt: Stmt, at: int) -> int | None:
        """The write to the array that a statement takes a part of, where the part outlives it."""
        if not isinstance(stmt, Apply) or stmt.op != "load" or stmt.result.type.is_scalar:
            return None
        write = self.writes.get(getattr(stmt.args[0], "name", ""))
        later = self.uses[stmt.result.name]
        if write is None or write < at or not later or later[-1] <= write:
            return None
        return write

    def hasten(self, part: Value, write: int) -> None:
        """Have everything that is done with a part done before a write, if all of it can be."""
        later = [at for at in self.uses[part.name] if at >= write]
        if part.name in self.yielded:
            return
        moved: dict[int, int] = {}
        for at in later:
            if not self.may_move(self.whole.stmts[at], at, write, moved):
                return
            moved[at] = write
        for at in later:
            self.follow(at, write, moved)
        self.place |= moved

    def follow(self, at: int, write: int, moved: dict[int, int]) -> None:
        """What a moved statement is part of moves with it, so that it stays one expression."""
        while (after := self.only_use(at)) is not None and after not in moved:
            if not self.may_move(self.whole.stmts[after], after, write, moved):
                return
            moved[after] = write
            at = after

    def only_use(self, at: int) -> int | None:
        (result,) = results_of(self.whole.stmts[at])
        uses = self.uses[result.name]
        return uses[0] if len(uses) == 1 and result.name not in self.yielded else None

    def may_move(self, stmt: Stmt, at: int, write: int, moved: dict[int, int]) -> bool:
        if at == write or at in self.place or not isinstance(stmt, Apply):
            return False
        if not _is_pure(stmt) or stmt.result.name in self.primal:
            return False
        if not all(self.is_ready(operand, write, moved) for operand in reads_by(stmt)):
            return False
        array = stmt.args[0] if stmt.op in STORES else None
        # What is added to must not be read as it was before by what then comes after.
        return array is None or not any(write <= k < at for k in self.uses[name_of(array)])

    def is_ready(self, operand: Value, write: int, moved: dict[int, int]) -> bool:
        """Whether a value is there before the write, or a number that can be made there."""
        at = self.defined.get(operand.name, -1)
        there = self.place.get(at, at) < write or at in moved or self.place.get(at) == write
        return there or (operand.type.is_scalar and self.is_brought(at, write, moved))

    def is_brought(self, at: int, write: int, moved: dict[int, int]) -> bool:
        """Have a number made before the write, if it can be."""
        stmt = self.whole.stmts[at]
        if at in self.place or not isinstance(stmt, Apply) or not _is_pure(stmt):
            return False
        if stmt.result.name in self.primal:
            return False
        if not all(self.is_ready(operand, write, moved) for operand in reads_by(stmt)):
            return False
        moved[at] = write
        return True


def _is_pure(stmt: Apply) -> bool:
    """Whether a statement makes something new, or writes to an array."""
    row = TABLE[stmt.op]
    if stmt.op in STORES:
        return True
    made = row.kind in ("elementwise", "linear") and not row.alias and not row.effect
    return made and stmt.op not in WRITES and len(stmt.results) == 1

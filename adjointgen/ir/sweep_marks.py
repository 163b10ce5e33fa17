"""The marks at which the sweeps of an adjoint program begin; a reader finds their titles there."""

from __future__ import annotations

from typing import Literal

from adjointgen.ir.nodes import Apply, Block, Stmt, reads_of


def sweep(which: Literal["forward", "reverse"]) -> Apply:
    """The mark at which a sweep begins."""
    title = f"{which.capitalize()} sweep."
    return Apply((), "comment", (), (("sweep", which), ("text", title)))


def is_turn(stmt: Stmt) -> bool:
    """Whether this marks where a sweep begins: another derivative has sweeps of its own."""
    return isinstance(stmt, Apply) and stmt.option("sweep") is not None


def begins_reverse(stmt: Stmt) -> bool:
    """Whether a reverse sweep begins here."""
    return isinstance(stmt, Apply) and stmt.option("sweep") == "reverse"


def read_in_reverse(body: Block) -> set[str]:
    """The parameters that nothing reads before the last turn: seeds, of an adjoint."""
    turn = max((k for k, stmt in enumerate(body.stmts) if begins_reverse(stmt)), default=0)
    before = {value.name for value in reads_of(Block((), body.stmts[:turn], ()))}
    return {param.name for param in body.params} - before

"""The marks at which the sweeps of an adjoint program begin; a reader finds their titles there."""

from __future__ import annotations

from typing import Literal

from adjointgen.ir.nodes import Apply, Stmt


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

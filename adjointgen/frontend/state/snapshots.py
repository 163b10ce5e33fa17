"""All that an attempt to lower something may change, as one value.

Every field of `Context` is in one of the two lists: what a refused attempt has changed in it is
undone, or what is left in it says nothing about what is lowered afterwards.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from adjointgen.frontend.state.context import Context, Frame
from adjointgen.frontend.state.live_facts import Facts
from adjointgen.frontend.state.program_state import State
from adjointgen.ir.nodes import Stmt
from adjointgen.records import dataclass

UNDONE = (
    *("frame", "live", "node"),
    *("catching", "handling", "strict", "inlining", "grows", "optional", "invariant", "between"),
    *("imports", "folded", "taped", "updates", "kinds", "ranks", "escaped"),
    *("views", "shown", "growing", "grown", "renamed", "memo", "begun"),
)
"""Where the lowering is, and what it has found out about the program so far."""

KEPT = (
    *("handlers", "actions"),
    *("supply", "info", "frames", "tables", "known", "loose", "narrow", "negated", "tests"),
    *("liveness", "outlines"),
    *("copies", "parted", "zero_dim", "forwarded"),
)
"""Functions; facts of values, cells and frames, whose names and numbers are used once; what follows
from the source alone, or is left out of the program where nothing calls it; limits to all work."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A lowering at one point.

    `state` is the object that stood in the context then, with what it held as a copy.
    """

    state: State
    held: State
    fields: tuple[Any, ...]
    blocks: tuple[tuple[list[Stmt], tuple[Stmt, ...]], ...]
    looping: tuple[tuple[Frame, frozenset[str]], ...]
    facts: Facts


def snapshot(ctx: Context) -> Snapshot:
    return Snapshot(
        ctx.state,
        ctx.state.fork(),
        tuple(_copied(getattr(ctx, name)) for name in UNDONE),
        tuple((block, tuple(block)) for block in ctx.blocks),
        tuple((frame, frame.looping) for frame in ctx.frame.around()),
        ctx.outlines.facts.copy(),
    )


def restore(ctx: Context, before: Snapshot) -> None:
    """Put the lowering back to the point; the snapshot can be used again."""
    state, held = before.state, before.held.fork()
    for name in State.__slots__:
        setattr(state, name, getattr(held, name))
    ctx.state = state
    for name, value in zip(UNDONE, before.fields, strict=True):
        setattr(ctx, name, _copied(value))
    ctx.blocks[:] = [block for block, _ in before.blocks]
    for block, stmts in before.blocks:
        block[:] = stmts
    for frame, names in before.looping:
        frame.looping = names
    ctx.outlines.facts.become(before.facts)


def _copied(value: Any) -> Any:
    return copy(value) if isinstance(value, dict | set | list) else value

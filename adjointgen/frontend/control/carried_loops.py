"""Loops as they are carried, with or without constants in the objects that they change.

Numbers in an object that the loop writes to are carried as its other attributes are. Where the loop
is refused so, what is in the object is taken for what it was until an iteration changes it. (Wegman
and Zadeck 1991, of attributes only.)
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.control.loop_fixpoint import Carrying, Pieces, fixpoint
from adjointgen.frontend.domain.abstract_values import Struct
from adjointgen.frontend.source.name_liveness import Facts, Names
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.program_state import State
from adjointgen.ir.nodes import Const


def carry(
    ctx: Context,
    node: ast.AST,
    facts: Facts,
    live: Names,
    body: Callable[[], object],
    certain: Names = frozenset(),
    runs: bool = False,
) -> Pieces:
    """The loop under the least assumption that fits.

    `certain` are names that every iteration assigns before it reads them; a loop that `runs` has
    an iteration in every case.
    """

    def carried() -> Pieces:
        return fixpoint(Carrying(ctx, facts, live, certain, runs), node, body)

    if ctx.invariant or not _may_be_invariant(ctx.state):
        return carried()
    made = tried(ctx, carried)
    if not isinstance(made, Mismatch):
        return made
    ctx.invariant = True
    again = tried(ctx, carried)
    ctx.invariant = False
    if isinstance(again, Mismatch):
        raise made.error
    return again


def _may_be_invariant(state: State) -> bool:
    """Whether an object or dict holds a constant."""
    return any(
        isinstance(held, Struct) and any(isinstance(item, Const) for item in held.items)
        for held in state.cells.values()
    )

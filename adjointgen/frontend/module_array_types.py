"""The types of arrays of the module, from the expressions that make them.

A module that is only read says `TABLE = np.array([0.5, 1.0])`; lowering the expression, and
throwing the result away, gives dtype and rank. The lengths are left open: they belong to the time
of the run.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.functions.inlining import in_module
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.program_state import State
from adjointgen.frontend.state.snapshots import restore, snapshot
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.types import OBJECT, Type


def evaluated(ctx: Context, node: ast.expr) -> Type:
    """The type of a module's expression, or that of an object."""
    memo = ("outside", node)
    if memo not in ctx.memo:
        ctx.memo[memo] = OBJECT
        ctx.memo[memo] = _type(ctx, node)
    found: Type = ctx.memo[memo]
    return found


def _type(ctx: Context, node: ast.expr) -> Type:
    def made() -> Type:
        with ctx.block(State()):
            return read(ctx, in_module(ctx, ctx.frame.source, node)).type

    before = snapshot(ctx)
    found = or_none(ctx, made)
    restore(ctx, before)
    if found is None or found.kind != "array" or found.shape is None:
        return OBJECT
    return Type(found.dtype, (None,) * len(found.shape), "array")

"""`K[np.ix_(rows, columns)]`: as `K[rows[:, None], columns]`, of which the rank is known."""

from __future__ import annotations

import ast

from adjointgen.frontend.control.backtrack import or_none
from adjointgen.frontend.domain.abstract_values import Named, Seq
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Operand
from adjointgen.ir.types import INTEGER


def grid_key(ctx: Context, node: ast.expr) -> Seq | None:
    """The indices that `np.ix_` makes of two vectors of integers; None for other expressions."""
    if not isinstance(node, ast.Call) or len(node.args) != 2 or node.keywords:
        return None
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    callee = or_none(ctx, lambda: ctx.actions.callee(ctx, node.func))
    if not isinstance(callee, Named) or callee.spelling != "numpy.ix_":
        return None
    return or_none(ctx, lambda: _key(ctx, node))


def _key(ctx: Context, node: ast.Call) -> Seq:
    rows, columns = (_integers(ctx, arg) for arg in node.args)
    return Seq((ctx.apply("load", rows, index=":, None"), columns))


def _integers(ctx: Context, node: ast.expr) -> Operand:
    """A vector of integers; a mask and what is not known is left to NumPy."""
    operand = numeric(ctx, read(ctx, ctx.expression(node)))
    if operand.type.kind == "list":
        operand = ctx.apply("array", operand)
    numbers = operand.type.dtype in INTEGER and operand.type.dtype != "bool"
    if operand.type.kind != "array" or operand.type.rank != 1 or not numbers:
        ctx.refuse("AG104", "the indices of a grid are no integers", "give np.ix_ integers")
    return operand

"""A statement inside a `try` that reads a name which some paths have not bound.

    try:                          if y_bound:
        z = 2 * y                     z = 2 * y
    except NameError:      as     else:
        z = 0.0                       raise UnboundLocalError(...)

That stands for the statement where nothing fails that it evaluates before it reads the name.
"""

from __future__ import annotations

import ast
from typing import cast

from adjointgen.frontend.control.unbound_names import flag_of, may_be_bound
from adjointgen.frontend.domain.exception_classes import failures
from adjointgen.frontend.state.context import NO, Context
from adjointgen.ir.nodes import Apply, Block

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)


def by_bound(ctx: Context, stmt: ast.stmt) -> ast.stmt | None:
    """What stands for a statement; None where all names that it reads are bound.

    Raises Unsupported (AG102) where another exception may come before the name is read.
    """
    if not isinstance(stmt, _SIMPLE):
        return None
    for node in ast.walk(stmt):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            bound = may_be_bound(ctx, node.id)
            if bound is None or not bound:
                return _parted(ctx, stmt, node, bound)
    return None


def _parted(ctx: Context, stmt: ast.stmt, node: ast.Name, bound: bool | None) -> ast.stmt | None:
    code = _end(ctx, stmt, node.id)
    if code is None:
        what = f"{node.id} may not be bound here, inside `try`"
        ctx.refuse("AG102", what, "give it a value before", node=node)
    raised = ast.copy_location(cast(ast.Raise, ast.parse(code).body[0]), stmt)
    for part in ast.walk(raised):
        ast.copy_location(part, stmt)
    if bound is not None:
        return raised
    test = ast.copy_location(ast.Name(flag_of(ctx, node.id)[1], ast.Load()), node)
    return ast.copy_location(ast.If(test, [stmt], [raised]), stmt)


def _end(ctx: Context, stmt: ast.stmt, name: str) -> str | None:
    """The `raise` in which a statement ends for certain where a name is not bound."""
    catching, ctx.catching = ctx.catching, []
    with ctx.block(ctx.state.fork()) as stmts:
        ctx.state.names[flag_of(ctx, name)] = NO
        ctx.statement(stmt)
    ctx.catching = catching
    ends = (k for k, s in enumerate(stmts) if isinstance(s, Apply) and _is_unbound(s))
    end = next(ends, None)
    if end is None or failures(Block((), tuple(stmts[:end]), ()), ctx.strict > 0):
        return None
    return str(cast(Apply, stmts[end]).option("code"))


def _is_unbound(stmt: Apply) -> bool:
    return stmt.option("raises") in ("NameError", "UnboundLocalError")

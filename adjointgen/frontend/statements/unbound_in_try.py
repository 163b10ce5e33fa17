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

from adjointgen.frontend.control.unbound_names import flag_of, is_bound
from adjointgen.frontend.domain.exception_classes import failures
from adjointgen.frontend.state.context import NO, Context
from adjointgen.ir.nodes import Apply, Block, Const

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)


def by_bound(ctx: Context, stmt: ast.stmt) -> ast.stmt | None:
    """What stands for a statement; None where all names that it reads are bound.

    Raises Unsupported (AG102) where another exception may come before the name is read.
    """
    if not isinstance(stmt, _SIMPLE):
        return None
    for node in ast.walk(stmt):
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if not is_bound(ctx, node.id):
            return _parted(ctx, stmt, node)
    return None


def _parted(ctx: Context, stmt: ast.stmt, node: ast.Name) -> ast.stmt:
    code = _end(ctx, stmt, node.id)
    if code is None:
        what = f"{node.id} may not be bound here, inside `try`"
        ctx.refuse("AG102", what, "give it a value before", node=node)
    (raised,) = ast.parse(code).body
    for part in ast.walk(raised):
        ast.copy_location(part, stmt)
    flag = flag_of(ctx, node.id)
    if isinstance(ctx.state.names[flag], Const):
        return raised
    test = ast.copy_location(ast.Name(flag[1], ast.Load()), node)
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

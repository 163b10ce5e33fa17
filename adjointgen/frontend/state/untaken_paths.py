"""Paths that a program is not made for: it ends in an exception where one begins.

    if n > 3:                        if n > 3:
        y = table.look_up(n)             raise NotImplementedError("model.py:7: …")
    else:                      as    else:
        y = 2.0 * x                      y = 2.0 * x

Which paths these are, a run at the arguments of a call has told (`adjointgen/observe/`). The
exception leaves the function: where a handler around it would catch it, which is no such path
itself, the path is refused. Where
all handlers of a `try` begin such paths, which end in a `raise`, and none is around it, an
exception leaves the function in any case: what is tried need not be known to be able to fail.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NoReturn

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import Named
from adjointgen.frontend.domain.exception_classes import catches
from adjointgen.frontend.domain.untaken import Begins, Untaken
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Catch, Context
from adjointgen.ir.nodes import Const

EXCEPTION = Named("builtins.NotImplementedError", "NotImplementedError")


def with_ends(ctx: Context, stmts: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Statements in which an `if` has the `else` that it is not made for."""
    if not ctx.outlines.untaken:
        return stmts
    return [_with_else(ctx, stmt) for stmt in stmts]


def _with_else(ctx: Context, stmt: ast.stmt) -> ast.stmt:
    if not isinstance(stmt, ast.If) or stmt.orelse:
        return stmt
    untaken: Untaken = ctx.outlines.untaken
    said = untaken.of(ctx.frame.source.file, stmt.test, "else")
    if not said:
        return stmt
    if stmt not in untaken.changed:
        end = ast.copy_location(ast.Pass(), stmt.test)
        untaken.ends[end] = said
        untaken.changed[stmt] = ast.copy_location(ast.If(stmt.test, stmt.body, [end]), stmt)
    return untaken.changed[stmt]


def ends_here(ctx: Context, stmt: ast.stmt) -> bool:
    """Append the end of the path that a statement begins, if the program is not made for it."""
    said = _said(ctx, stmt, "statement")
    if said:
        _end(ctx, said)
    return bool(said)


def begins_untaken(ctx: Context, handler: ast.ExceptHandler) -> bool:
    """Whether a handler begins a path that the program is not made for."""
    return bool(_said(ctx, handler.body[0], "statement"))


def ended(ctx: Context, node: ast.AST) -> Const | None:
    """The end of the path that an expression begins, if the program is not made for it."""
    said = _said(ctx, node, "expression")
    return _end(ctx, said) if said else None


def _said(ctx: Context, node: ast.AST, begins: Begins) -> str:
    untaken: Untaken = ctx.outlines.untaken
    if not untaken:
        return ""
    return untaken.ends.get(node) or untaken.of(ctx.frame.source.file, node, begins)


def _end(ctx: Context, said: str) -> Const:
    for handler in (one for handlers in ctx.catching for one in handlers if not one.leaves):
        if any(catches(kind, EXCEPTION) is not False for kind in handler.kinds):
            _refuse(ctx, handler)
    return fails(ctx, EXCEPTION.text, said, known=False)


def _refuse(ctx: Context, handler: Catch) -> NoReturn:
    """Refuse at the handler: it may be a path that the program need not be made for, either."""
    try:
        ctx.refuse("AG132", "a handler would go on from the path", "leave it out of `try`")
    except AdjointgenError as error:
        error.span = handler.place or error.span
        raise

"""The one expression that a statement inside a `try` evaluates, and the statement with another."""

from __future__ import annotations

import ast


def value_of(stmt: ast.stmt) -> ast.expr | None:
    """The one expression that a statement evaluates."""
    match stmt:
        case ast.Assign(targets=[ast.Name() | ast.Tuple()], value=value):
            return value
        case ast.AugAssign(target=ast.Name(), value=value):
            return value
        case ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
            return value
        case ast.Expr(value=value) | ast.If(test=value) | ast.For(iter=value):
            return value
    return None


def with_value(stmt: ast.stmt, value: ast.expr) -> ast.stmt:
    """The statement with another expression in this place."""
    made: ast.stmt
    match stmt:
        case ast.Assign(targets=targets):
            made = ast.Assign(targets, value)
        case ast.AugAssign(target=target, op=op):
            made = ast.AugAssign(target, op, value)
        case ast.AnnAssign(target=target):
            made = ast.Assign([target], value)
        case ast.If(body=body, orelse=orelse):
            made = ast.If(value, body, orelse)
        case ast.For(target=target, body=body, orelse=orelse):
            made = ast.For(target, value, body, orelse)
        case ast.Return():
            made = ast.Return(value)
        case _:
            made = ast.Expr(value)
    return ast.copy_location(made, stmt)

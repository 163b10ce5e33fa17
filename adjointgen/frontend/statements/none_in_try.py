"""A statement inside a `try` that reads what is None on some paths, once for either.

    try:                              if b is None:
        y = a / b                         raise TypeError
    except TypeError:        as       else:
        y = 0.0                           y = a / b

In each of the two, it is known which it is: what fails with None fails for certain
(`certain_failures.py`), and elsewhere there is a value.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from adjointgen.frontend.domain.abstract_values import is_maybe
from adjointgen.frontend.state.call_mover import LAZY
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.statement_hoisting import is_ours
from adjointgen.frontend.statements.tried_statements import value_of

_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Expr)


def by_none(ctx: Context, stmt: ast.stmt) -> ast.If | None:
    """The statement for None and for a value; None where it reads nothing that may be either."""
    if not isinstance(stmt, _SIMPLE):
        return None
    value = stmt.value if isinstance(stmt, ast.AugAssign) else value_of(stmt)
    parts = [] if value is None else [*_read(value)]
    if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name | ast.Attribute):
        parts.insert(0, stmt.target)
    for part in parts:
        if _may_be_none(ctx, part):
            return _parted(stmt, part)
    return None


def _read(node: ast.AST) -> Iterator[ast.expr]:
    """The names and attributes that an expression reads as values, in order."""
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]):
            return
        case ast.Name() | ast.Attribute():
            yield node
        case _ if isinstance(node, LAZY):
            return
        case _:
            for inner in ast.iter_child_nodes(node):
                yield from _read(inner)


def _may_be_none(ctx: Context, node: ast.expr) -> bool:
    """Whether a name, or an attribute that a name leads to, is None on some paths."""
    inner = node
    while isinstance(inner, ast.Attribute):
        inner = inner.value
    if not isinstance(inner, ast.Name) or ctx.key(inner.id) not in ctx.state.names:
        return False
    if isinstance(node, ast.Name):
        return is_maybe(lookup(ctx, node.id))
    if is_ours(ctx, _loaded(node)):
        return False
    with ctx.block(ctx.state.fork()):
        first = ctx.perhaps(_loaded(node))
        # What is read from an object each time is not known by a test of what was read before.
        again = ctx.perhaps(_loaded(node)) if is_maybe(first) else first
    return is_maybe(first) and is_maybe(again) and first.items[0] == again.items[0]


def _loaded(node: ast.expr) -> ast.expr:
    """An attribute as it is read."""
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    return node


def _parted(stmt: ast.stmt, part: ast.expr) -> ast.If:
    none = ast.copy_location(ast.Constant(None), part)
    test = ast.copy_location(ast.Compare(_loaded(part), [ast.Is()], [none]), part)
    return ast.copy_location(ast.If(test, [stmt], [stmt]), stmt)

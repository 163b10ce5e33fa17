"""What is refused in code that is copied as it stands, and what it is noted to write."""

from __future__ import annotations

import ast

from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.introspection import check
from adjointgen.frontend.state.scope_lookup import mangled


def check_copied(ctx: Context, node: ast.AST) -> None:
    """Refuse code that cannot be copied, and note what it writes."""
    check(ctx, node)
    _check_walruses(ctx, node)
    _check_private(ctx, node)
    ctx.outlines.facts.write_in(node)


def _check_private(ctx: Context, node: ast.AST) -> None:
    """A private name that is set means another outside of its class."""
    for part in ast.walk(node):
        stored = isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load)
        if isinstance(part, ast.Attribute) and stored and mangled(ctx, part.attr) != part.attr:
            what = f"the private name {part.attr} is set in code that is copied as it stands"
            ctx.refuse("AG101", what, "set it before", node=part)


def _check_walruses(ctx: Context, node: ast.AST) -> None:
    """Names that copied code binds are bound there alone."""
    for part in ast.walk(node):
        elsewhere = ctx.live | ctx.frame.lent | ctx.frame.shared
        if isinstance(part, ast.NamedExpr) and part.target.id in elsewhere:
            what = f"{part.target.id} is bound in code that is copied as it stands"
            ctx.refuse("AG101", what, "bind it before", node=part)

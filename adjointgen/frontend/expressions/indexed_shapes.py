"""`x.shape[0]` is the same length however many axes follow; other uses of a shape tell the rank."""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.state.context import Context


def indexed(ctx: Context, node: ast.Subscript) -> Abstract:
    """What is indexed. A length that is counted from the first axis decides nothing by the rank."""
    before = {*ctx.ranks}
    base = ctx.expression(node.value)
    single = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
    if single and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        ctx.ranks &= before
    return base

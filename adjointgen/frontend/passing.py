"""The arguments of a call, with starred tuples spread."""

from __future__ import annotations

import ast

from adjointgen.frontend.context import Context
from adjointgen.frontend.iterate import entries
from adjointgen.frontend.values import Abstract


def arguments(ctx: Context, node: ast.Call) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The arguments of a call; starred tuples are spread."""
    args: list[Abstract] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            items = entries(ctx, ctx.expression(arg.value))
            if items is None:
                ctx.refuse(
                    "AG103", "how many arguments this is, is not known", "name them", node=arg
                )
            args += items
        else:
            args.append(ctx.expression(arg))
    if any(k.arg is None for k in node.keywords):
        ctx.refuse("AG103", "keyword arguments from a dictionary", "name them", node=node)
    return args, {k.arg: ctx.expression(k.value) for k in node.keywords if k.arg}

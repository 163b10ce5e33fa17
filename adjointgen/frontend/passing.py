"""The arguments of a call, with starred tuples and dicts spread."""

from __future__ import annotations

import ast

from adjointgen.frontend.cells import content
from adjointgen.frontend.context import Context
from adjointgen.frontend.iterate import entries
from adjointgen.frontend.values import Abstract, Class, Struct


def arguments(
    ctx: Context, node: ast.Call, ours: bool = False
) -> tuple[list[Abstract], dict[str, Abstract]]:
    """The arguments of a call; starred tuples are spread. Those of `our` functions may be None."""
    of = ctx.perhaps if ours else ctx.expression
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
            args.append(of(arg))
    keywords: dict[str, Abstract] = {}
    for keyword in node.keywords:
        value = of(keyword.value) if keyword.arg else ctx.expression(keyword.value)
        keywords |= {keyword.arg: value} if keyword.arg else _spread(ctx, value, keyword)
    return args, keywords


def _spread(ctx: Context, value: Abstract, node: ast.AST) -> dict[str, Abstract]:
    """`**d`, of a dict whose keys are known."""
    known = content(ctx, value)
    if not isinstance(known, Struct) or isinstance(known.kind, Class):
        ctx.refuse("AG103", "keyword arguments from a dictionary", "name them", node=node)
    return dict(zip(map(str, known.keys), known.items, strict=True))

"""Functions with some of their arguments: `functools.partial`, and calls of abstract functions.

    g = partial(f, a, k=b);  g(c)        f(a, c, k=b)

The arguments are what they were when the partial function was made; an array among them is the same
array.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from adjointgen.frontend.calls import Call, Special, apply_row
from adjointgen.frontend.cells import hold
from adjointgen.frontend.context import Context
from adjointgen.frontend.outline import outline
from adjointgen.frontend.values import Abstract, Closure, Named, Partial
from adjointgen.rules.table import TABLE


def partial(call: Call) -> Abstract | None:
    """`functools.partial(f, ...)`."""
    if not call.args:
        return None
    function, *args = call.args
    if not isinstance(function, Closure | Named | Partial):
        return None
    ctx = call.ctx
    keywords = tuple((name, hold(ctx, value, name)) for name, value in call.keywords.items())
    return Partial(function, tuple(hold(ctx, value, "") for value in args), keywords)


def applied(
    ctx: Context,
    function: Abstract,
    args: Sequence[Abstract],
    keywords: Mapping[str, Abstract],
    node: ast.Call,
) -> Abstract:
    """The call of a function that no expression of the text stands for."""
    match function:
        case Partial(function=inner, args=first, keywords=given):
            return applied(ctx, inner, [*first, *args], dict(given) | {**keywords}, node)
        case Closure():
            return outline(ctx, function, args, keywords, node)
        case Named(spelling=spelling):
            one = Call(ctx, node, function, list(args), dict(keywords))
            special: Special | None = ctx.actions["special"](spelling)
            if special is not None and (found := special(one)) is not None:
                return found
            row = TABLE.find(spelling)
            if row is not None:
                return apply_row(one, row, spelling)
    return ctx.refuse(
        "AG102", "a function without source has some of its arguments here", "call it", node=node
    )


SPECIAL: dict[str, Special] = {"functools.partial": partial, "_functools.partial": partial}

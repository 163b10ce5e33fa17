"""Calls of methods, of classes, and of instances with `__call__`."""

from __future__ import annotations

import ast

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.domain.abstract_values import Abstract, Bound, Class, Named, Ref
from adjointgen.frontend.expressions.construction import construct
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.state.context import Context


def of_class(
    ctx: Context, node: ast.Call, function: Bound | Class | Ref | Named
) -> Abstract | None:
    """A call of a method, of a class, of an instance or an entry of an enumeration, or None."""
    if isinstance(function, Ref | Named):
        called = special(ctx, function, "__call__")
        if called is None:
            return None
        function = Bound(called, function)
    args, keywords = arguments(ctx, node, ours=True)
    ctx.node = node
    if isinstance(function, Class):
        return construct(ctx, function, args, keywords, node)
    return inline(ctx, function.function, [function.owner, *args], keywords, node)

"""Calls of methods, of classes, and of instances with `__call__`."""

from __future__ import annotations

import ast

import numpy as np

from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.domain.abstract_values import Abstract, Bound, Class, Named, Ref
from adjointgen.frontend.domain.structures import base_of
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
        if base_of(function.type) is not np.ndarray:
            return construct(ctx, function, args, keywords, node)
        made = tried(ctx, lambda: construct(ctx, function, args, keywords, node))
        return unknown(ctx, node, False) if isinstance(made, Mismatch) else made
    return inline(ctx, function.function, [function.owner, *args], keywords, node)

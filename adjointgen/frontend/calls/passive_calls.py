"""Calls of functions of a module that are given no float: dates, texts, integers, objects.

    days = schedule(START, 4)     lowered like any other; what cannot be lowered runs as it stands

Nothing that is differentiated goes in, so nothing that is differentiated comes out.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.calls.live_calls import lowered_or_copied
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.domain.abstract_values import Abstract, Closure
from adjointgen.frontend.functions.numpy_definitions import holds_floats
from adjointgen.frontend.functions.specialization import outline
from adjointgen.frontend.source.contained_functions import is_contained
from adjointgen.frontend.state.context import Context


def of_source(
    ctx: Context,
    node: ast.Call,
    function: Closure,
    args: list[Abstract],
    keywords: dict[str, Abstract],
) -> Abstract:
    """The result of a call of a function with source."""

    def make() -> Abstract:
        return outline(ctx, function, args, keywords, node)

    named, untaken = function.named, ctx.outlines.untaken
    given = (*args, *keywords.values())
    if named is None or not untaken.calls or holds_floats(ctx, given) or not is_contained(function):
        return make()
    taken = untaken.kind_of(ctx.frame.source.file, node)
    if taken is not None and taken[0] in ("list", "tuple"):
        # A list that is made elsewhere has no other name here.
        ctx.node = node
        return unknown(ctx, node, False, named)
    return lowered_or_copied(ctx, node, function, make, named, False)

"""Calls of methods of objects that the program did not make.

    MODEL.energy(x)       lowered here, with MODEL as its first argument
    MODEL.describe()      what cannot be lowered is called as it stands

A call that stands as it is has no derivative; the refusal of an active one says what stood in the
way of lowering it, and whether that may be lengths or integers that a caller has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.calls.call_arguments import arguments
from adjointgen.frontend.calls.opaque_calls import unknown
from adjointgen.frontend.control.backtrack import Mismatch, tried
from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Named, Outside
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.functions.inlining import inline
from adjointgen.frontend.library import interpolator_calls
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import outside
from adjointgen.ir.nodes import Apply, Value
from adjointgen.records import replace
from adjointgen.rules.framework.opaque_writes import ANYTHING


def live_call(
    ctx: Context, node: ast.Call, function: Closure, owner: Abstract, discarded: bool
) -> Abstract:
    """`owner.m(...)`, or `owner(...)`."""
    args, keywords = arguments(ctx, node, ours=True)
    ctx.node = node

    def make() -> Abstract:
        return inline(ctx, function, [owner, *args], keywords, node)

    return lowered_or_copied(ctx, node, function, make, None, discarded)


def lowered_or_copied(
    ctx: Context,
    node: ast.Call,
    function: Closure,
    make: Callable[[], Abstract],
    named: Named | None,
    discarded: bool,
) -> Abstract:
    """The result of a function that is lowered; where it is refused, its call as it stands."""
    made = _tried(ctx, function, make)
    if not isinstance(made, Mismatch):
        return made
    # As it stands it may raise, and a handler around it would not see that.
    if (named is None and _is_another(node, function)) or ctx.catching:
        raise made.error
    start = len(ctx.blocks[-1])
    result = unknown(ctx, node, discarded, named)
    for k, stmt in enumerate(ctx.blocks[-1][start:], start):
        if isinstance(stmt, Apply) and stmt.option("code"):
            options = dict(stmt.options) | {"because": _reason(function, made.error)}
            # It may read all that the module holds.
            read: Any = stmt.option("outside") or ()
            options["outside"] = (*read, ANYTHING)
            if made.error.mismatch is Kind.UNLIKE:
                options["unlike"] = True
            ctx.blocks[-1][k] = replace(stmt, options=tuple(sorted(options.items())))
    return result


def _tried(ctx: Context, function: Closure, make: Callable[[], Abstract]) -> Abstract | Mismatch:
    """What `make` gives; a function that was refused many times is not tried again.

    Functions that call each other in several places would be tried for every path between them.
    """
    source = function.source
    before = ctx.outlines.refused.setdefault((source.file, source.first_line), [])
    if len(before) >= _TRIALS:
        return Mismatch(before[-1])
    made = tried(ctx, make)
    if isinstance(made, Mismatch):
        before.append(made.error)
    return made


_TRIALS: Final = 8


def object_call(
    ctx: Context, node: ast.Call, function: Outside | Value, discarded: bool
) -> Abstract | None:
    """A call of an object of the module: by its `__call__`, or as an interpolator."""
    called = special(ctx, function, "__call__")
    if called is None:
        return interpolator_calls.called(ctx, node, function)
    held = function if isinstance(function, Value) else outside(ctx, function)
    return live_call(ctx, node, called, held, discarded)


def _reason(function: Closure, error: AdjointgenError) -> str:
    place = f" ({error.span.text()})" if error.span is not None else ""
    return f"{function.source.name} cannot be lowered: {error.args[0]}{place}"


def _is_another(node: ast.Call, function: Closure) -> bool:
    """Whether the text of a call does not say which function it calls."""
    match node.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return True
        case ast.Attribute(attr=name):
            return bool(name != function.source.name)
    return bool(function.source.name != "__call__")

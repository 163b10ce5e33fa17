"""Lowering one way, and another way where the first is refused.

A loop that cannot be carried, since a list grows in it or arrays are chosen by its index, is known
iteration by iteration where its length is known. Whether it can be carried is found by trying.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.state.context import Context

T = TypeVar("T")

UNLIKE = ("AG104", "AG106", "AG110", "AG401", "AG411")
"""Refusals of what differs from one iteration to the next, or has to be known in each."""


def attempt(
    ctx: Context, action: Callable[[], T], instead: Callable[[], Callable[[], T] | None]
) -> T:
    """The result of an action, or of what is done instead where it is refused as unlike."""
    undo, depth = remembered(ctx), len(ctx.blocks)
    try:
        return action()
    except AdjointgenError as error:
        if error.code not in UNLIKE:
            raise
        assert len(ctx.blocks) == depth
        undo()
        other = instead()
        if other is None:
            raise
        try:
            return other()
        except AdjointgenError as second:
            if second.code in UNLIKE:
                raise error from None
            raise


def remembered(ctx: Context) -> Callable[[], None]:
    """What a lowering has in hand, beyond the statements of the arms themselves."""
    frame, live, node, state = ctx.frame, ctx.live, ctx.node, ctx.state
    kept = ctx.state.fork()
    looping = [(f, f.looping) for f in frame.around()]
    length, strict, escaped = len(ctx.blocks[-1]), ctx.strict, ctx.escaped
    catching, handling = list(ctx.catching), list(ctx.handling)
    growing, grown = dict(ctx.growing), dict(ctx.grown)
    imports, folded = dict(ctx.imports), dict(ctx.folded)

    def undo() -> None:
        ctx.frame, ctx.live, ctx.node, ctx.state = frame, live, node, state
        state.names, state.cells, state.tangled = kept.names, kept.cells, kept.tangled
        state.reads, state.dead, state.lent = kept.reads, kept.dead, kept.lent
        for one, names in looping:
            one.looping = names
        del ctx.blocks[-1][length:]
        ctx.strict, ctx.escaped = strict, escaped
        ctx.catching, ctx.handling = catching, handling
        ctx.growing, ctx.grown = growing, grown
        ctx.imports, ctx.folded = imports, folded

    return undo

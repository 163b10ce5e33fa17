"""Lowering one way, and another way where the first is refused.

A loop that cannot be carried, since a list grows in it or arrays are chosen by its index, is known
iteration by iteration where its length is known. Whether it can be carried is found by trying.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.context import Context

T = TypeVar("T")

UNLIKE = ("AG106", "AG110", "AG401", "AG411")
"""Refusals of what differs from one iteration to the next."""


def attempt(
    ctx: Context, action: Callable[[], T], instead: Callable[[], Callable[[], T] | None]
) -> T:
    """The result of an action, or of what is done instead where it is refused as unlike."""
    state, live, length = ctx.state.fork(), ctx.live, len(ctx.blocks[-1])
    frame, looping, depth = ctx.frame, ctx.frame.looping, len(ctx.blocks)
    growing, catching, handling = dict(ctx.growing), [*ctx.catching], [*ctx.handling]
    try:
        return action()
    except AdjointgenError as error:
        if error.code not in UNLIKE:
            raise
        assert len(ctx.blocks) == depth
        del ctx.blocks[-1][length:]
        ctx.state, ctx.live, ctx.frame, frame.looping = state, live, frame, looping
        ctx.growing, ctx.catching, ctx.handling = growing, catching, handling
        other = instead()
        if other is None:
            raise
        return other()

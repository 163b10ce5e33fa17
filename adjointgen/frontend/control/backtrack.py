"""Lowering one way, and another way where the first is refused.

A loop that cannot be carried, since a list grows in it or arrays are chosen by its index, is known
iteration by iteration where its length is known. Whether it can be carried is found by trying.
What a refused attempt has done is undone, all of it: what is accepted afterwards does not depend on
how far the attempt came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.snapshots import restore, snapshot
from adjointgen.records import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An attempt that was refused, and undone."""

    error: AdjointgenError


def tried(ctx: Context, action: Callable[[], T], kind: Kind = Kind.OTHER) -> T | Mismatch:
    """The result of an action; where it is refused as this kind says, all is as it was before.

    This is the one place where a refusal is not the user's.
    """
    before = snapshot(ctx)
    try:
        return action()
    except AdjointgenError as error:
        if not _is_kind(ctx, error, kind):
            raise
        restore(ctx, before)
        return Mismatch(error)


def _is_kind(ctx: Context, error: AdjointgenError, kind: Kind) -> bool:
    if kind is Kind.PARTED:
        return error is ctx.parted.error
    unlike = kind is Kind.UNLIKE and error.mismatch is Kind.MAYBE_NONE
    return kind in (Kind.OTHER, error.mismatch) or unlike


def or_none(ctx: Context, action: Callable[[], T]) -> T | None:
    """The result of an action, or None where it is refused for any reason."""
    made = tried(ctx, action)
    return None if isinstance(made, Mismatch) else made


def attempt(
    ctx: Context, action: Callable[[], T], instead: Callable[[], Callable[[], T] | None]
) -> T:
    """The result of an action, or of what is done instead where it is refused as unlike."""
    made = tried(ctx, action, Kind.UNLIKE)
    if not isinstance(made, Mismatch):
        return made
    other = instead()
    if other is None:
        raise made.error
    second = tried(ctx, other, Kind.UNLIKE)
    if isinstance(second, Mismatch):
        raise made.error from None
    return second

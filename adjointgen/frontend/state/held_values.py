"""The numbers and lists that instances of subclasses of `float` and `list` are."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Struct
from adjointgen.frontend.domain.structures import HELD
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content


def held_in(ctx: Context, value: Abstract) -> Abstract | None:
    """The number or list that an instance of a subclass of these is; None for other values."""
    known = content(ctx, value)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return known.get(HELD)
    return None


def as_held(ctx: Context, value: Abstract) -> Abstract:
    """A value without the subclass that it is an instance of."""
    inner = held_in(ctx, value)
    return value if inner is None else inner

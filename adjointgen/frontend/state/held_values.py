"""The numbers, lists and arrays that instances of subclasses of these are."""

from __future__ import annotations

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Struct
from adjointgen.frontend.domain.qualified_names import plain_value
from adjointgen.frontend.domain.structures import HELD, base_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.rules.framework.builder import const


def held_in(ctx: Context, value: Abstract) -> Abstract | None:
    """The number or list that an instance of a subclass of these is; None for other values."""
    known = content(ctx, value)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return known.get(HELD)
    return None


def array_in(ctx: Context, value: Abstract) -> Abstract | None:
    """The array that an instance of a class derived from NumPy's is; None for other values."""
    known = content(ctx, value)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return known.get(HELD) if base_of(known.kind.type) is np.ndarray else None
    return None


def as_held(ctx: Context, value: Abstract) -> Abstract:
    """A value without the subclass that it is an instance of: of an `IntEnum`, the integer.

    What is computed from an array of a derived class is of that class, so it stays one.
    """
    if isinstance(value, Named):
        number = plain_value(value.spelling)
        return value if number is None else const(number)
    if array_in(ctx, value) is not None:
        return value
    inner = held_in(ctx, value)
    return value if inner is None else inner

"""The numbers, lists and arrays that instances of subclasses of these are."""

from __future__ import annotations

import numpy as np

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Method, Named, Seq, Struct
from adjointgen.frontend.domain.qualified_names import plain_value
from adjointgen.frontend.domain.structures import HELD, base_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const


def as_tuple(ctx: Context, value: Abstract) -> Abstract:
    """A named tuple as the tuple that it is, where its class says nothing else."""
    known = content(ctx, value)
    if isinstance(known, Struct) and isinstance(known.kind, Class):
        return Seq(known.items, "tuple") if issubclass(known.kind.type, tuple) else value
    return value


def method_of_tuple(ctx: Context, method: Method) -> Method:
    """`count` and `index` of a named tuple as those of the tuple that it is."""
    owner = as_tuple(ctx, method.owner) if method.name in ("count", "index") else method.owner
    return method if owner is method.owner else replace(method, owner=owner)


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

"""Truth values as places of lists and tuples: the number 0 or 1, where an array takes a mask.

(a, b)[x > 1.0]       (a, b)[int(x > 1.0)]
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.framework.builder import const


def as_place(ctx: Context, base: Abstract, key: Abstract) -> Abstract:
    """The index as a number, where it is a truth value and what is indexed is no array."""
    found = content(ctx, key)
    if not isinstance(found, Const | Value) or not found.type.is_scalar:
        return key
    if found.type.dtype != "bool" or not _is_sequence(ctx, base):
        return key
    if isinstance(found, Const):
        return const(int(found.value is True))
    return ctx.apply("cast", found, dtype="int64")


def _is_sequence(ctx: Context, base: Abstract) -> bool:
    known = content(ctx, base)
    if isinstance(known, Seq):
        return known.kind in ("list", "tuple")
    return isinstance(known, Value | Ref) and read(ctx, known).type.kind == "list"

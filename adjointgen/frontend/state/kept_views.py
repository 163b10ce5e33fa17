"""Parts of arrays that objects may keep, as views of the storage of the whole.

v = u[:2]
v[0] = 1.0          v is a value of its own, which is put into u
LOG.append(v)       LOG gets u[:2], which sees what is written to u later
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Ref
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Operand, Value


def all_of(ctx: Context, array: Abstract) -> Abstract:
    """A view of all entries, in their order: the array, but for what `is` says of the two."""
    if isinstance(array, Ref):
        ctx.memo[_VIEWED, array.cell] = True
    return array


def has_views(ctx: Context, array: Ref) -> bool:
    """Whether there are such views of an array."""
    return (_VIEWED, array.cell) in ctx.memo


_VIEWED = "viewed"


def read_view(ctx: Context, value: Abstract) -> Operand:
    """The value as an operand that objects may keep.

    What was written to a part last stands for it where it is read, and is no view.
    """
    if not (isinstance(value, Ref) and value.steps):
        return read(ctx, value)
    version = ctx.state.cells[value.cell]
    if isinstance(version, Value):
        for k in range(1, len(value.steps) + 1):
            part = (Ref(value.cell, value.steps[:k]), version)
            if part in ctx.forwarded:
                ctx.state.reads.pop(part, None)
    return read(ctx, value)

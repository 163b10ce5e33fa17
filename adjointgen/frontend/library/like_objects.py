"""Arrays like a list of objects: NumPy takes each for an entry, so they are as long as the list.

np.ones_like(self.layers, dtype=float)      np.ones(3, dtype=float)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.calls.row_calls import apply_row
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Seq, Struct
from adjointgen.frontend.expressions.special_methods import special
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import count_of_objects
from adjointgen.frontend.state.storage_cells import content
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE

_PROTOCOLS: Final = ("__array__", "__len__", "__getitem__", "__iter__", "__float__", "__index__")


def like_objects(call: Call) -> Abstract | None:
    """An array of a dtype that is given; without one it holds objects."""
    count = _count(call.ctx, call.args[0]) if len(call.args) == 1 else None
    if count is None or list(call.keywords) != ["dtype"] or not isinstance(call.function, Named):
        return None
    spelling = call.function.spelling.removesuffix("_like")
    row = TABLE.find(spelling)
    one = Call(call.ctx, call.node, Named(spelling, spelling), [const(count)], {**call.keywords})
    return None if row is None else apply_row(one, row, spelling)


def _count(ctx: Context, value: Abstract) -> int | None:
    """How many objects that are no sequences or arrays a list holds, if it holds nothing else."""
    known = content(ctx, value)
    if not isinstance(known, Seq):
        entries: Sequence[Abstract] = ctx.actions.entries(ctx, value) or ()
        return len(entries) if count_of_objects(ctx, value) and _are_plain(ctx, entries) else None
    instances = [content(ctx, item) for item in known.items]
    if not instances or not all(
        isinstance(i, Struct) and isinstance(i.kind, Class) for i in instances
    ):
        return None
    return len(instances) if _are_plain(ctx, known.items) else None


def _are_plain(ctx: Context, objects: Sequence[Abstract]) -> bool:
    return not any(special(ctx, one, name) for one in objects for name in _PROTOCOLS)


SPECIAL: dict[str, Special] = dict.fromkeys(("numpy.ones_like", "numpy.zeros_like"), like_objects)

"""The order of a dict's keys: a program that reads it is made for this order.

for name, value in params.items(): ...      params is an argument, with its keys in some order
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Struct
from adjointgen.frontend.state.context import Context


def note_order(ctx: Context, value: Abstract) -> None:
    """Note that the keys of a dict are run over, if it is one of the caller's."""
    if isinstance(value, Struct) and value.kind == "dict" and value.place is not None:
        ctx.outlines.ordered = True

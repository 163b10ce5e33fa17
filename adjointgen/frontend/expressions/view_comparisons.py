"""`==` of the keys and items of dicts, which are sets.

d.keys() == {"a", "b"}          whether the keys are these, in any order
d.keys() == ["a", "b"]          False: a list is no set
"""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Seq, Zipped
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.set_order import SETS, are_keys
from adjointgen.frontend.state.storage_cells import content


def views_are_equal(ctx: Context, left: Abstract, right: Abstract) -> bool | None:
    """Whether two sets are equal, of which one is a view of a dict; None for other values.

    Raises Unsupported (AG102) where the entries are no constants.
    """
    if not any(isinstance(v, Zipped) and v.how in ("keys", "items") for v in (left, right)):
        return None
    sides = [_entries(ctx, side) for side in (left, right)]
    if None in sides:
        known = all(isinstance(content(ctx, side), Seq) for side in (left, right))
        return False if known else None
    if not all(are_keys(side) for side in sides if side is not None):
        ctx.refuse("AG102", "views of dicts are compared", "compare sorted lists of the entries")
    one, other = (set(side) for side in sides if side is not None)
    return one == other


def _entries(ctx: Context, value: Abstract) -> tuple[Abstract, ...] | None:
    """The entries of a set or view that are known; None for other values."""
    known = content(ctx, value)
    is_set = isinstance(value, Zipped) or (isinstance(known, Seq) and known.kind in SETS)
    return known.items if isinstance(known, Seq) and is_set else None

"""Arrays that objects may hold of which nothing is known: a later call may write to them.

    o = make(y)         o may hold y
    z = y.sum()
    o.bump()            so y may be another afterwards: a new version of it

What is *lent* stays so. A call of which nothing is known gets the lent arrays as operands beside
its own, and gives a new version of each. It writes to them `through` storage that it has already,
so that they are never handed over as copies (`storage/shared_versions.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.frontend.domain.abstract_values import Ref
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.reachability import reachable
from adjointgen.ir.nodes import Value


def lend(ctx: Context, refs: Iterable[Ref | None]) -> None:
    """Arrays that an object may hold from now on."""
    found = {ref.cell for ref in refs if ref is not None and _is_lent(ctx, ref.cell)}
    if found:
        ctx.state.lent |= found


def reach(ctx: Context, holes: Holes) -> dict[str, object]:
    """Add the lent arrays to the operands of a call that may write to them; the option for them."""
    if not ctx.state.lent:
        return {}
    given = {ref.cell for ref in holes.refs if ref is not None and not ref.steps}
    cells = reachable(ctx.state.names.values(), ctx.state.cells)
    places = []
    for cell in sorted(ctx.state.lent & cells.keys() - given):
        held = ctx.state.cells[cell]
        if isinstance(held, Value) and held not in holes.operands:
            places.append(len(holes.operands))
            holes.operands.append(held)
            holes.refs.append(Ref(cell))
    return {"through": tuple(places)} if places else {}


def _is_lent(ctx: Context, cell: int) -> bool:
    held = ctx.state.cells.get(cell)
    return isinstance(held, Value) and held.type.is_array

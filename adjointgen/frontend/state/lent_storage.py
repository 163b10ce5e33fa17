"""Arrays and lists that objects may hold, which the function may go on to write to.

    o = make(y)         o may hold y
    z = y.sum()
    o.bump()            so y may be another afterwards: a new version of it

What is *lent* stays so. A call of which nothing is known gets the lent arrays as operands beside
its own, and gives a new version of each. It writes to them `through` storage that it has already,
so that they are never handed over as copies (`storage/shared_versions.py`). What the function
itself stores is `published`: the storage is that which the object holds, and what is read of
objects is read after it.

    LOG.append(y)       LOG holds y
    y[0] = 1.0          in place, and visible in LOG

Lists, dicts and sets that are put into an object are known entry by entry as long as nothing
changes them. Where something may, the lowering begins again, and they are objects from there on
(`Facts.becomes_object`).
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.frontend.domain.abstract_values import Abstract, Ref, Seq, Struct
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes
from adjointgen.frontend.state.reachability import reachable
from adjointgen.frontend.state.shared_defaults import check_kept
from adjointgen.ir.nodes import Value


def lend(ctx: Context, refs: Iterable[Ref | None]) -> None:
    """Arrays that an object may hold from now on."""
    found = {ref.cell for ref in refs if ref is not None and _is_lent(ctx, ref.cell)}
    check_kept(ctx, found)
    if found:
        ctx.state.lent |= found


def holes_of_kept(ctx: Context, value: Abstract) -> Holes:
    """The holes of a statement that puts a value into an object."""
    as_objects = ctx.outlines.facts.becomes_object
    if not as_objects:
        cells = reachable([value], ctx.state.cells)
        check_kept(ctx, cells)
        ctx.state.lent |= {c for c in cells if isinstance(ctx.state.cells.get(c), Seq | Struct)}
    return Holes(ctx, writes=as_objects)


def note_change(ctx: Context) -> None:
    """Code may change what objects hold: a list of the function's among that."""
    _note_change(ctx, _in_reach(ctx))


def _note_change(ctx: Context, lent: frozenset[int]) -> None:
    held = (ctx.state.cells.get(cell) for cell in lent)
    ctx.outlines.facts.changed |= any(isinstance(h, Seq | Struct) for h in held)


def _in_reach(ctx: Context) -> frozenset[int]:
    """The lent cells that names still lead to."""
    if not ctx.state.lent:
        return frozenset()
    return ctx.state.lent & reachable(ctx.state.names.values(), ctx.state.cells).keys()


def reach(ctx: Context, holes: Holes) -> dict[str, object]:
    """Add the lent arrays to the operands of a call that may write to them; the option for them."""
    lent = _in_reach(ctx)
    _note_change(ctx, lent)
    given = {ref.cell for ref in holes.refs if ref is not None and not ref.steps}
    places = []
    for cell in sorted(lent - given):
        held = ctx.state.cells[cell]
        if isinstance(held, Value) and held not in holes.operands:
            places.append(len(holes.operands))
            holes.operands.append(held)
            holes.refs.append(Ref(cell))
    return {"through": tuple(places)} if places else {}


def _is_lent(ctx: Context, cell: int) -> bool:
    held = ctx.state.cells.get(cell)
    return isinstance(held, Value) and held.type.kind in ("array", "list")

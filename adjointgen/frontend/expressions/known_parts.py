"""Parts of known lists and tuples, of which it may be known at run time only which they are."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import (
    ABSENT,
    Abstract,
    Functions,
    Named,
    Ref,
    Seq,
    SliceOf,
    Struct,
)
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.domain.qualified_names import enum_member
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.static_options import static
from adjointgen.frontend.state.storage_cells import new_cell, read, view
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INTEGER, OBJECT


def known_part(ctx: Context, seq: Seq, key: Abstract) -> Abstract | None:
    """An entry or slice of a tuple or list, where the index is known."""
    match key:
        case Const(value=int(number)):
            if not -len(seq.items) <= number < len(seq.items):
                what = f"there are {len(seq.items)} entries, and no number {number}"
                ctx.refuse("AG107", what, "use an index in range", mismatch=Kind.PAST_THE_END)
            return seq.items[number]
        case Value() if key.type == OBJECT:
            # A number gives an entry, a slice a list, which is no array.
            static(ctx, key, "index")
        case SliceOf(lower, upper, step):
            bounds = [number_of(b) for b in (lower, upper, step)]
            if [b is None for b in bounds] == [b is None for b in (lower, upper, step)]:
                return Seq(seq.items[bounds[0] : bounds[1] : bounds[2]], seq.kind)
    return None


def number_of(bound: Operand | None) -> int | None:
    """The number that a bound is known to be."""
    return bound.value if isinstance(bound, Const) and isinstance(bound.value, int) else None


def stacked(ctx: Context, seq: Seq, key: Abstract) -> Abstract | None:
    """A row of a list of arrays or lists, chosen at run time: that of a matrix, which fails to be
    made where lengths differ.

    The matrix is a copy, so neither what is chosen nor the rows may be written to from now on; in a
    loop, where this may come after a write, rows have to be as the caller gave them.
    """
    rows = [item for item in seq.items if isinstance(item, Ref) and not item.steps]
    held = [ctx.state.cells[row.cell] for row in rows]
    given = all(isinstance(h, Value) and ("given", h.name) in ctx.memo for h in held)
    types = [h.type for h in held if isinstance(h, Value)]
    fits = len(types) == len(seq.items) > 0 and all(t.rank == 1 for t in types)
    if not fits or isinstance(key, SliceOf) or (ctx.frame.looping and not given):
        return None
    index = read(ctx, key)
    kinds = {t.kind for t in types}
    if not index.type.is_scalar or index.type.dtype not in INTEGER or len(kinds) > 1:
        return None
    matrix = new_cell(ctx, read(ctx, ctx.actions.array_of(ctx, seq)), "")
    ctx.shown |= {matrix.cell, *(row.cell for row in rows)}
    if kinds == {"list"}:
        entries = ctx.apply("load", read(ctx, matrix), index, index="_")
        chosen = new_cell(ctx, ctx.apply("tolist", entries), "")
        ctx.shown |= {chosen.cell}
        return chosen
    return view(ctx, matrix, "load", index, index="_")


def numbers_only(ctx: Context, seq: Seq) -> None:
    """Refuse to choose at run time among arrays that have storage of their own."""
    if any(isinstance(item, Ref | Seq | Struct) for item in seq.items):
        ctx.unlike(
            "AG106",
            "which array of the list this is, is known only at run time",
            "loop over the list itself, or use one array with an axis more",
        )


def chosen(ctx: Context, table: Functions, key: Abstract) -> Abstract:
    """A function of a table."""
    member = enum_member(key.spelling) if isinstance(key, Named) else None
    if not isinstance(key, Const) and member is None:
        ctx.refuse("AG102", "which function this is, is known only at run time", "use `if`")
    asked = key.value if isinstance(key, Const) else member
    found = table.get(asked)
    if found == ABSENT:
        known = ", ".join(map(repr, table.keys))
        ctx.refuse("AG107", f"there is no entry {asked!r}", f"choose from {known}")
    return found

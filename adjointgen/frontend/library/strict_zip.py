"""`zip(..., strict=True)`: the program says before the first entry where lengths are unlike.

Python says so after the last entry that all of them have: what it ends in is the same.
"""

from __future__ import annotations

from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Outside,
    Range,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import FEW, layout
from adjointgen.frontend.state.passthrough import statement, verbatim
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import INT
from adjointgen.rules.framework.builder import const


def require_one_length(call: Call, strict: Abstract) -> None:
    """Ask for the lengths of what is run over together."""
    ctx = call.ctx
    lengths = [_length(ctx, part) for part in call.args]
    first = lengths[0] if lengths else None
    unlike = {
        k: n
        for k, n in enumerate(lengths, 1)
        if n is not None and first is not None and not _is_same_length(n, first)
    }
    if None in lengths or not isinstance(strict, Const) or (unlike and ctx.catching):
        what = "whether these are of one length is not known"
        ctx.refuse("AG103", what, "compare their lengths before, and leave `strict` out")
    for k, other in unlike.items():
        than = "argument 1" if k == 2 else f"arguments 1-{k - 1}"
        how = '"shorter" if _1_ < _0_ else "longer"'
        raising = f'raise ValueError("zip() argument {k} is " + ({how}) + " than {than}")'
        assert first is not None
        statement(ctx, f"if _0_ != _1_: {raising}", (first, other))
    known = next((n.value for n in lengths if isinstance(n, Const)), None)
    if isinstance(known, int) and known <= FEW:
        call.args[:] = [_one_by_one(ctx, part, known) for part in call.args]


def _one_by_one(ctx: Context, value: Abstract, count: int) -> Abstract:
    """The entries of what has so many."""
    if isinstance(content(ctx, value), Seq | Range):
        return value
    return Seq(tuple(ctx.actions.part(ctx, value, const(k)) for k in range(count)), "tuple")


def _length(ctx: Context, value: Abstract) -> Operand | None:
    """How many entries there are, where that is known before they are taken."""
    known = content(ctx, value)
    if isinstance(known, Seq):
        return const(len(known.items))
    items = entries(ctx, value) if isinstance(known, Range) else None
    if items is not None:
        return const(len(items))
    if not isinstance(value, Ref | Value | Outside) or isinstance(known, Struct):
        return None
    array = read(ctx, value)
    table = layout(ctx, array)
    if isinstance(table, Table) and table.kind in ("list", "tuple"):
        return verbatim(ctx, "len(_0_)", (array,), INT, pure=True)
    return length(ctx, array, 0) if array.type.kind in ("array", "list") else None


def _is_same_length(one: Operand, other: Operand) -> bool:
    same = one.type.value is not None and one.type.value == other.type.value
    return one == other or same

"""What rows make of an array with storage: a view where NumPy makes one."""

from __future__ import annotations

from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Ref
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import read, view, with_storage
from adjointgen.ir.nodes import Value
from adjointgen.rules.framework.table import TABLE, Row


def row_view(
    ctx: Context, row: Row, operands: list[Abstract], options: dict[str, Any]
) -> Abstract | None:
    """What a row makes of an array with storage, where it looks into that."""
    if row.view in ("", "each") or not operands:
        return None
    base = operands[0] = with_storage(ctx, operands[0])
    if not (isinstance(base, Ref) or (row.view == "locked" and isinstance(base, Value))):
        return None
    first, *rest = [read(ctx, o) for o in operands]
    if not row.looks_into([o.type for o in (first, *rest)], options):
        return None
    certain = row.view != "layout" or ("order" not in options and _is_view(ctx, base, row))
    return view(ctx, base, row.name, *rest, certain=certain, **options)


def _is_view(ctx: Context, ref: Abstract, row: Row) -> bool:
    """Whether a reshape of this is certain to be a view: of a vector it always is."""
    if not isinstance(ref, Ref) or (row.name == "reshape" and read(ctx, ref).type.rank == 1):
        return True
    return ctx.info[ref.cell].contiguous and all(
        TABLE[s.op].view == "layout" and s.writable for s in ref.steps
    )

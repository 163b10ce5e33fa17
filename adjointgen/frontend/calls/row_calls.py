"""Rows of the table as calls.

A row binds its arguments as the Python function would; what the row calls an option must be known
when the program is generated. Which function the user called is kept as the option `spelling`, the
qualified name or `.method`, where it is not the row's first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.frontend.calls.guessed_shapes import of_user
from adjointgen.frontend.calls.known_calls import Call
from adjointgen.frontend.calls.named_options import name_options
from adjointgen.frontend.calls.opaque_calls import positions, unknown
from adjointgen.frontend.calls.row_arguments import bind, is_list_itself
from adjointgen.frontend.calls.row_views import row_view
from adjointgen.frontend.calls.where_masks import masked, unwritten
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Ref,
    Seq,
)
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.state.assignment_shapes import fails_as_called, gives, into, own_dtype
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.numeric_tables import lone_number, numeric
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.sequential_copies import check_unread
from adjointgen.frontend.state.storage_cells import content, perhaps, read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import Type
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import Row


def apply_row(one: Call, row: Row, spelling: str) -> Abstract:
    """The operation of a row."""
    ctx = one.ctx
    name_options(one, row, spelling)
    out = one.keywords.pop("out", None)
    mask = one.keywords.pop("where", None) if _is_masked(one, row, spelling) else None
    named = own_dtype(ctx, one.keywords, row)
    bound = None if named == "" else bind(one, row, spelling.startswith("."))
    if bound is None or not gives(ctx, row, bound, named) or is_list_itself(one, row, bound):
        return unknown(ctx, one.node, one.discarded, one.function)
    operands, options = bound
    if _has_unknown(ctx, row, operands):
        return unknown(ctx, one.node, one.discarded, one.function)
    if row.symbol or spelling != row.spellings[0]:
        options["spelling"] = spelling
    if mask is not None:
        made = _masked(one, row, operands, options, out, mask)
        return unknown(ctx, one.node, one.discarded, one.function) if made is None else made
    if (shown := row_view(ctx, row, operands, options)) is not None:
        return shown
    kept = lone_number if spelling.startswith("math.") else numeric
    numbers = [kept(ctx, read(ctx, o)) for o in operands]
    known = _known(ctx, row, numbers, options, spelling)
    results = None if known is None else _results(ctx, row, known, options)
    if results is None:
        return unknown(ctx, one.node, one.discarded, one.function)
    if len(results) != 1:
        return _several(ctx, row, operands, results)
    given = of_user(ctx, row, operands, results[0])
    return _into(one, row, out, given, spelling)


def _known(
    ctx: Context, row: Row, operands: list[Operand], options: dict[str, Any], spelling: str
) -> list[Operand] | None:
    """The operands, with objects as they are now: the program may change them before the reverse
    sweep. None where a number makes another shape than a list, and nothing is differentiated.

    Raises Unsupported (AG102) where something is.
    """
    objects = [o for o in operands if isinstance(o, Value) and o.type.kind == "object"]
    if not objects or ctx.outlines.primal or spelling.startswith("math."):
        return operands
    differentiable = any(o.type.is_differentiable for o in operands if isinstance(o, Value))
    chosen = row.entries in ("chosen", "assembled")
    if chosen or _depends_on_shape(ctx, row, operands, options):
        if not differentiable:
            return None
        what = f"nothing is known of {objects[0].root or 'an argument'} of {spelling}"
        ctx.unlike("AG102", what, "write float(...) or np.asarray(..., float) around it")
    if not differentiable:
        return operands
    ctx.imports["import copy"] = None
    return [verbatim(ctx, "copy.copy(_0_)", (o,)) if o in objects else o for o in operands]


_ANY_ARRAY = Type(shape=None, kind="array")


def _depends_on_shape(
    ctx: Context, row: Row, operands: Sequence[Operand], options: Mapping[str, Any]
) -> bool:
    """Whether the results have another shape where objects among the operands are arrays."""
    if row.kind == "elementwise" or row.loop == "entries":
        return True
    arrays = [replace(o, type=_ANY_ARRAY) if o.type.kind == "object" else o for o in operands]
    try:
        found, others = (ctx.typed(row, given, options) for given in (operands, arrays))
    except NoRule:
        return True
    pairs = zip(found, others, strict=True)
    return any(a.shape is not None and a.shape != b.shape for (a, _), (b, _) in pairs)


def _has_unknown(ctx: Context, row: Row, operands: Sequence[Abstract]) -> bool:
    """Whether an object of which nothing is known is given to a row that may be given None."""
    if all(p.required or p.variadic for p in row.parameters if p.operand):
        return False
    given = (numeric(ctx, read(ctx, o)) for o in operands if o != const(None))
    return any(isinstance(value, Value) and value.type.kind == "object" for value in given)


def _parts(value: Abstract) -> Sequence[Abstract]:
    return value.items if isinstance(value, Seq) else (value,)


def _results(
    ctx: Context, row: Row, operands: list[Operand], options: dict[str, Any]
) -> tuple[Value, ...] | None:
    """The results of a row; None where it is not for arrays of these ranks."""
    try:
        return ctx.apply_many(row.name, operands, options)
    except NoRule as error:
        if error.span is not None:  # refused, whatever the ranks are
            raise
        return None


def _several(
    ctx: Context, row: Row, operands: Sequence[Abstract], results: Sequence[Value]
) -> Abstract:
    items = tuple(perhaps(ctx, r, operands) if row.view == "each" else r for r in results)
    return Seq(items, "list" if row.name in _LISTS else "tuple")


def _is_masked(one: Call, row: Row, spelling: str) -> bool:
    """Whether this is a ufunc that is told which entries to compute."""
    mask = one.keywords.get("where")
    known = isinstance(mask, Const) and mask.value is True
    return mask is not None and not known and positions(spelling)[-1:] == ("out",)


def _masked(
    one: Call,
    row: Row,
    operands: list[Abstract],
    options: dict[str, Any],
    out: Abstract | None,
    mask: Abstract,
) -> Abstract | None:
    ctx = one.ctx
    read_all = [numeric(ctx, read(ctx, o)) for o in operands]
    chosen = read(ctx, mask)
    if out is None or out == const(None):
        out = unwritten(ctx, row, read_all, options, chosen)
        if out is None:
            return None
    return masked(ctx, row.name, read_all, options, out, chosen, one.node)


_LISTS = ("split", "array_split", "vsplit", "hsplit", "dsplit")
"""What gives a list of results."""


def _into(one: Call, row: Row, out: Abstract | None, result: Abstract, spelling: str) -> Abstract:
    """`out=`: the result is written into the array, if there is one."""
    if out is None or out == const(None):
        return result
    if isinstance(out, Seq) and len(out.items) == 1:
        out = out.items[0]
    if not isinstance(out, Ref):
        what = "`out` is no array with a name"
        one.ctx.unlike("AG104", what, "assign the result instead", node=one.node)
    if any(p.name == "arrays" for p in row.parameters):
        check_unread(one.ctx, out, [a for o in one.args for a in _parts(content(one.ctx, o))])
    value = read(one.ctx, result)
    written = into(one.ctx, out, value, isinstance(live(spelling)[1], np.ufunc), row.exact_out)
    if written is not None:
        return written
    if isinstance(live(spelling)[1], np.ufunc):
        return fails_as_called(one.ctx, one.function, one.args, {**one.keywords, "out": out})
    return unknown(one.ctx, one.node, one.discarded, one.function)

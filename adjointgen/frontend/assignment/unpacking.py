"""`a, b = value` and `a, *rest = value`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from adjointgen.frontend.domain.abstract_values import Abstract, Seq, SliceOf
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.expressions.array_instances import plain
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.state.asked_lengths import asked
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import has_length, layout
from adjointgen.frontend.state.passthrough import statement, verbatim
from adjointgen.frontend.state.storage_cells import hold, read
from adjointgen.ir.nodes import Operand
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.builder import const


def unpack(ctx: Context, targets: Sequence[ast.expr], value: Abstract, node: ast.expr) -> None:
    """Assign the entries of a value to as many targets, one of which may be starred."""
    ctx.node = node
    items = entries(ctx, value)
    stars = [k for k, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if items is None:
        items = _entries_asked_for(ctx, value, len(targets), stars)
    elif stars and len(items) >= len(targets) - 1:
        (k,), spare = stars, len(items) - len(targets) + 1
        items = (*items[:k], Seq(items[k : k + spare], "list"), *items[k + spare :])
    if len(items) != len(targets):
        ctx.refuse(
            "AG103", f"{len(items)} values for {len(targets)} names", "unpack all values", node=node
        )
    for target, item in zip(targets, items, strict=True):
        ctx.actions.assign(ctx, target, item)


def _is_table(ctx: Context, operand: Operand) -> bool:
    """Whether this is a list or tuple of the module, of whose entries something is known."""
    table = layout(ctx, operand)
    return isinstance(table, Table) and table.kind in ("list", "tuple")


def _require_length(ctx: Context, type: Type) -> None:
    """A program that is made for arguments at hand is made for the lengths that are unpacked."""
    if wanted := asked(ctx, type.shape[0] if type.shape else None):
        what = "how many values this has is not known"
        ctx.refuse("AG103", what, "", wanted=wanted)


def _check_length(ctx: Context, operand: Operand, count: int) -> None:
    """The program says where there are others than so many entries, which it does not read."""
    length = operand.type.shape[0] if operand.type.shape else None
    if length == Dim("", count):
        return
    if length is not None and not length.symbol:
        what = f"{length.offset} values for {count} names"
        ctx.refuse("AG103", what, "unpack all values")
    names = ", ".join("_" * count)
    code = f"{names} = _0_" if count > 1 else f"({names},) = _0_"
    statement(ctx, code, (operand,), raises="ValueError")


def _check_least(ctx: Context, operand: Operand, count: int) -> None:
    """The program says where there are fewer than so many entries, with a star for the others."""
    length = operand.type.shape[0] if operand.type.shape else None
    known = None if length is None else length.known
    if count and (known is None or known < count):
        statement(ctx, f"{'_, ' * count}*_ = _0_", (operand,), raises="ValueError")


def _entries_asked_for(
    ctx: Context, value: Abstract, count: int, stars: Sequence[int]
) -> tuple[Abstract, ...]:
    """The entries of an array or list of unknown length, as many as there are targets.

    The program says how many there are: too few, or without a star any other number, fails there.
    """
    operand = read(ctx, plain(ctx, value))
    part = ctx.actions.part
    if not stars and operand.type.is_array:
        _require_length(ctx, operand.type)
    if not stars and has_length(ctx, operand, count):
        return tuple(part(ctx, value, const(k)) for k in range(count))
    if not stars and (operand.type.kind in ("array", "list") or _is_table(ctx, operand)):
        _check_length(ctx, operand, count)
        return tuple(part(ctx, value, const(k)) for k in range(count))
    if not stars and operand.type.kind == "object":
        row = verbatim(ctx, "tuple(_0_)", (operand,))
        return tuple(part(ctx, row, const(k)) for k in range(count))
    if operand.type.kind not in ("array", "list") or operand.type.rank != 1:
        ctx.refuse("AG103", "how many values this has is not known", "use an index")
    (k,), last = stars, count - stars[0] - 1
    _check_least(ctx, operand, count - 1)
    # What stands behind the star is counted from the end of what the names before it leave.
    rest = part(ctx, value, SliceOf(const(k), None, None)) if k else value
    behind = [part(ctx, rest, const(j - last)) for j in range(last)]
    starred = read(ctx, part(ctx, rest, SliceOf(None, const(-last), None)) if last else rest)
    starred = ctx.apply("copy" if operand.type.kind == "list" else "tolist", starred)
    before = [part(ctx, value, const(j)) for j in range(k)]
    return (*before, hold(ctx, starred, ""), *behind)

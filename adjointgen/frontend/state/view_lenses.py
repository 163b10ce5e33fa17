"""Writing through views: the update of its base, for each operation that gives a view.

v = y[i]              y after v is written is y with v at i
v = y.reshape(n, m)   v in the shape of y
v = np.flip(y)        any rearrangement is put back by its transpose
"""

from __future__ import annotations

from contextlib import suppress

from adjointgen.errors import NoRule
from adjointgen.frontend.domain.abstract_values import Step
from adjointgen.frontend.state.context import Context
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.table import TABLE, Row


def put(ctx: Context, step: Step, base: Operand, value: Operand) -> Operand:
    """The base after `value` was put where the step shows it."""
    options = dict(step.options)
    row, rank = TABLE[step.op], base.type.rank
    if step.op == "load":
        return ctx.apply("store", base, value, *step.args, **options)
    if row.view == "layout" and rank is not None:
        order = {"order": options["order"]} if "order" in options else {}
        lengths = [length(ctx, base, k) for k in range(rank)]
        return ctx.apply("reshape", value, *lengths, **order)
    if row.view == "whole":
        with suppress(NoRule):
            return _put_back(ctx, row, step, base, value)
    return ctx.refuse("AG111", f"a write through {step.op}", "write to the original with an index")


def _put_back(ctx: Context, row: Row, step: Step, base: Operand, value: Operand) -> Operand:
    """Every entry where it is in the base: what the transpose of a rearrangement does."""
    builder = Builder(ctx.supply)
    builder.span = ctx.span()
    handles = [builder.handle(operand) for operand in (value, base, *step.args)]
    result: Operand = row.transposes[0](*handles, **dict(step.options)).operand
    for stmt in builder.stmts:
        ctx.add(stmt)
    return result


def length(ctx: Context, array: Operand, axis: int) -> Operand:
    """The length of an axis: a number where it is known."""
    shape = array.type.shape
    dim = shape[axis] if shape is not None and axis < len(shape) else None
    if dim is not None and dim.known is not None:
        return Const(dim.known, Type("int64", value=dim))
    return ctx.apply("dim", array, axis=axis)

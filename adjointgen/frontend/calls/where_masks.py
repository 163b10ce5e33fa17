"""`np.divide(a, b, out=y, where=m)`: y[m] = a[m] / b[m], and the other entries of y stay.

The operation is made of the chosen entries alone, as NumPy does: what it would give elsewhere,
where it may have no derivative, does not enter.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.frontend.control.branches import choose
from adjointgen.frontend.domain.abstract_values import Abstract, Ref
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import read, write
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import broadcast
from adjointgen.rules.framework.table import Row


def masked(
    ctx: Context,
    op: str,
    operands: Sequence[Operand],
    options: Mapping[str, Any],
    out: Abstract,
    mask: Operand,
    node: ast.AST,
) -> Abstract | None:
    """What a ufunc gives with a mask; None where the rank of the result is not known."""
    whole = read(ctx, out)
    if not whole.type.is_array or whole.type.rank is None:
        return None
    if whole.type.rank == 0:
        result = choose(
            ctx,
            mask,
            lambda: ctx.apply_many(op, operands, options)[0],
            lambda: ctx.apply("load", whole, index="()"),
            node,
        )
        return _written(ctx, out, whole, read(ctx, result), ())
    chosen = _over(ctx, mask, whole)
    parts = [
        o if o.type.is_scalar else ctx.apply("load", _over(ctx, o, whole), chosen, index="_")
        for o in operands
    ]
    return _written(ctx, out, whole, ctx.apply_many(op, parts, options)[0], (chosen,))


def unwritten(
    ctx: Context, row: Row, operands: Sequence[Operand], options: Mapping[str, Any], mask: Operand
) -> Operand | None:
    """An array for the result, where none is given; None where its shape is not known.

    NumPy leaves in it what was in memory, where the mask does not hold: here these are zeros.
    """
    (type,) = row.infer(tuple(o.type for o in operands), options)
    shape = broadcast(type.shape, mask.type.shape)
    if not shape or None in shape:
        return None
    like = next((o for o in (*operands, mask) if o.type.is_array and o.type.shape == shape), None)
    return None if like is None else ctx.apply("zeros_like", like, dtype=type.dtype)


def _over(ctx: Context, part: Operand, whole: Operand) -> Operand:
    """An operand or mask in the shape of the result."""
    shape = part.type.shape
    known = shape is not None and None not in shape
    return part if known and shape == whole.type.shape else ctx.apply("spread", part, whole)


def _written(
    ctx: Context, out: Abstract, whole: Operand, value: Operand, index: tuple[Operand, ...]
) -> Abstract:
    version: Value = ctx.apply("store", whole, value, *index, index="_" if index else "...")
    if not isinstance(out, Ref):
        return version
    write(ctx, out, version)
    return out

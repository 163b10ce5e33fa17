"""NumPy's objects that are indexed to make arrays: `np.r_[a, b]`, `np.c_[a, b]`, `np.mgrid`."""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const


def side_by_side(ctx: Context, node: ast.Subscript, spelling: str) -> Abstract | None:
    """`np.r_[a, b]` along the first axis, `np.c_[a, b]` as columns; None for slices and strings."""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    found = [_beside(ctx, item) for item in items]
    operands = [operand for operand in found if operand is not None]
    if len(operands) < len(found):
        return None
    rank = max((o.type.rank if o.type.rank is not None else 3) for o in operands)
    if rank > 2 or any(o.type.kind not in ("array", "scalar") for o in operands):
        return None
    parts = [o if o.type.is_array and o.type.rank else ctx.apply("atleast_1d", o) for o in operands]
    if spelling == "numpy.c_":
        parts = [p if p.type.rank == 2 else ctx.apply("expand_dims", p, axis=-1) for p in parts]
        return ctx.apply("concatenate", *parts, axis=-1)
    if len({p.type.rank for p in parts}) > 1:
        return None
    return ctx.apply("concatenate", *parts)


def grid_type(node: ast.Subscript, spelling: str) -> Type:
    """`np.mgrid[a:b, c:d]` holds a matrix for each of its axes."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else None
    if spelling != "numpy.mgrid":
        return OBJECT
    whole = all(type(n.value) is int for n in ast.walk(node.slice) if isinstance(n, ast.Constant))
    rank = 1 if parts is None else len(parts) + 1
    return Type("int64" if whole else "float64", (None,) * rank, "array")


def _beside(ctx: Context, item: ast.expr) -> Operand | None:
    """One of what is joined; `a:b:c` is a range, `a:b:5j` five numbers, a list is its array."""
    match item:
        case ast.Starred() | ast.Constant(value=str()):
            return None
        case ast.Slice(upper=ast.expr() as upper):
            ends = [item.lower or ast.Constant(0), upper]
            bounds = [read(ctx, ctx.expression(ast.copy_location(e, upper))) for e in ends]
            step = None if item.step is None else read(ctx, ctx.expression(item.step))
            if isinstance(step, Const) and isinstance(step.value, complex):
                return ctx.apply("linspace", *bounds, const(int(abs(step.value))))
            return ctx.apply("arange", *bounds, *([] if step is None else [step]))
        case ast.Slice():
            return None
    found = read(ctx, ctx.expression(item))
    return ctx.apply("array", found) if found.type.kind == "list" else found

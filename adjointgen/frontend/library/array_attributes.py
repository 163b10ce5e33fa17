"""Attributes of arrays: their shape, and the views that are written as attributes."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Outside, Ref, Seq
from adjointgen.frontend.library.processes import number
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.foreign_views import maker
from adjointgen.frontend.state.kept_views import all_of
from adjointgen.frontend.state.storage_cells import content, flat, read, view
from adjointgen.frontend.state.view_lenses import length
from adjointgen.ir.edit import name_of
from adjointgen.ir.nodes import Apply, Block, Const, Dtype, Operand, Value, walk
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.complex_convention import may_be_complex
from adjointgen.rules.framework.table import TABLE

_OF_RANK = ("shape", "ndim", "size", "T")
"""What is another thing for an array with more axes."""


def fact(ctx: Context, owner: Abstract, name: str) -> Abstract | None:
    """`owner.name` of an array, where it is no method."""
    if not isinstance(content(ctx, owner), Value | Const | Ref | Outside):
        return None
    type = read_type(ctx, owner)
    if type.kind in ("object", "list"):
        return number(ctx, owner, name)
    if name in _OF_RANK and (name != "T" or type.rank in (0, 1)):
        ctx.ranks.add(name_of(read(ctx, owner)))
    match name:
        case "shape":
            return shape(ctx, owner)
        case "ndim":
            if is_perhaps_empty(ctx, read(ctx, owner)):
                return ctx.apply("ndim", read(ctx, owner))
            return None if type.rank is None else const(type.rank)
        case "size":
            return size(ctx, owner)
        case "dtype":
            ctx.check_dtype(array := read(ctx, owner))
            ctx.kinds.add(name_of(array))
            return const(Dtype(type.dtype))
        case "T":
            return _turned(ctx, owner, type.rank)
        case "mT" | "strides" if type.rank:
            return (matrices if name == "mT" else _strides)(ctx, owner, type.rank)
        case "flat" if isinstance(owner, Ref):
            return flat(ctx, owner)
        case "real" | "imag":
            return _part(ctx, owner, name, type)
    return None


def _turned(ctx: Context, owner: Abstract, rank: int | None) -> Abstract:
    """`a.T`, which has the entries of a vector in their order."""
    if rank in (0, 1):
        return all_of(ctx, owner)
    return view(ctx, owner, "transpose", spelling=".T")


def is_perhaps_empty(ctx: Context, array: Operand) -> bool:
    """Whether this is an array of the rows of a list that may have none: then it has one axis."""
    made = maker(ctx, array) if (array.type.rank or 0) > 1 else None
    if made is None or not made.args or made.args[0].type.kind != "list":
        return False
    lengths = made.args[0].type.shape
    return lengths is None or lengths[0] is None or lengths[0].known is None


def is_perhaps_complex(ctx: Context, value: Abstract) -> bool:
    """Whether a number that counts as real may be complex in Python, after a power of one."""
    if not (isinstance(value, Value) and value.type.is_scalar and value.type.is_differentiable):
        return False
    stmts = (stmt for block in ctx.blocks for stmt in walk(Block((), tuple(block), ())))
    return any(isinstance(stmt, Apply) and may_be_complex(stmt) for stmt in stmts)


def _part(ctx: Context, owner: Abstract, name: str, type: Type) -> Abstract:
    """The real or imaginary part, which is a view; a real number or array is its own."""
    if type.dtype.startswith("complex") or is_perhaps_complex(ctx, owner):
        row = TABLE.by_spelling["." + name]
        return view(ctx, owner, row.name, spelling="." + name)
    ctx.kinds.add(name_of(read(ctx, owner)))
    if name == "real":
        return owner
    if type.is_scalar:
        return const(0.0 if type.is_differentiable else 0)
    return ctx.apply("zeros_like", read(ctx, owner))


def matrices(ctx: Context, owner: Abstract, rank: int) -> Abstract:
    """Each matrix of a stack turned."""
    if rank == 2:
        return view(ctx, owner, "transpose", spelling=".T")
    return view(ctx, owner, "swapaxes", axis1=-1, axis2=-2)


def _strides(ctx: Context, owner: Abstract, rank: int) -> Seq:
    array = read(ctx, owner)
    return Seq(tuple(ctx.apply("stride", array, axis=k) for k in range(rank)))


def read_type(ctx: Context, owner: Abstract) -> Type:
    return owner.type if isinstance(owner, Outside) else read(ctx, owner).type


def shape(ctx: Context, owner: Abstract) -> Abstract | None:
    """The lengths, one by one where the rank is known."""
    array = read(ctx, owner)
    if array.type.rank is None:
        return None
    return Seq(tuple(length(ctx, array, axis) for axis in range(array.type.rank)))


def size(ctx: Context, owner: Abstract) -> Operand | None:
    """The number of entries, as a product of lengths."""
    found = shape(ctx, owner)
    if not isinstance(found, Seq):
        return None
    total: Operand = const(1)
    for one in found.items:
        assert isinstance(one, Value | Const)
        if isinstance(total, Const) and isinstance(one, Const):
            assert isinstance(total.value, int) and isinstance(one.value, int)
            total = const(total.value * one.value)
        elif total == const(1):
            total = one
        else:
            total = ctx.apply("mul", total, one)
    return total

"""What stands between brackets, as a pattern in which `_` stands for the next operand."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Named,
    Outside,
    Range,
    Ref,
    Seq,
    SliceOf,
)
from adjointgen.frontend.domain.module_tables import Table
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.numeric_tables import numeric
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.ranges import positions
from adjointgen.frontend.state.storage_cells import content, read, read_ref
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import Type
from adjointgen.records import dataclass, field
from adjointgen.rules.arrays.indexing import load_type
from adjointgen.rules.framework.builder import const


@dataclass(slots=True)
class Index:
    """A pattern and its operands; `fancy` where arrays select, `integers` where only these do."""

    pattern: str = ""
    operands: list[Operand] = field(default_factory=list)
    fancy: bool = False
    integers: bool = True


def _selecting(ctx: Context, part: Abstract, known: Abstract) -> Operand:
    """What numbers entries: an empty list is one of integers here, and of floats elsewhere."""
    if isinstance(known, Range):
        return positions(ctx, known)
    empty = isinstance(known, Seq) and not known.items
    return ctx.apply("zeros", const(0), dtype="int64") if empty else read(ctx, part)


def index_of(ctx: Context, value: Abstract) -> Index:
    """What a value selects as an index."""
    index = Index()
    known = content(ctx, value)
    parts = known.items if isinstance(known, Seq) and known.kind == "tuple" else (value,)
    texts = [_part(ctx, part, index) for part in parts]
    index.pattern = ", ".join(texts) if texts else "()"
    return index


def _part(ctx: Context, part: Abstract, index: Index) -> str:
    known = content(ctx, part)
    match known:
        case Const(value=bool()) | Const(value=str()):
            return ctx.refuse(
                "AG107", "an index that is a string or a truth value", "use an integer"
            )
        case Const(value=int(number)):
            return str(number)
        case Const(value=None):
            index.integers = False
            return "None"
        case Named(spelling="numpy.newaxis"):
            index.integers = False
            return "None"
        case Outside(text="..."):
            index.integers = False
            return "..."
        case SliceOf(lower, upper, step):
            index.integers = False
            texts = ["" if b is None else _bound(ctx, b, index) for b in (lower, upper, step)]
            return ":".join(texts[:2]) + (f":{texts[2]}" if texts[2] else "")
    operand = _listed(ctx, _selecting(ctx, part, known))
    ctx.check_dtype(operand)
    index.fancy |= operand.type.kind != "scalar"
    index.integers &= operand.type.kind == "scalar"
    index.operands.append(operand)
    return "_"


def _listed(ctx: Context, operand: Operand) -> Operand:
    """A list of the module as an array, which chooses the same entries; an object as it is now."""
    table = ctx.tables.get(operand.name) if isinstance(operand, Value) else None
    if isinstance(table, Table) and table.kind == "list":
        return numeric(ctx, operand)
    if operand.type.kind != "object" or not isinstance(operand, Value) or ctx.outlines.primal:
        return operand
    # It may be a list that is another one when the reverse sweep comes here.
    ctx.imports["import copy"] = None
    return verbatim(ctx, "copy.copy(_0_)", (operand,))


def _bound(ctx: Context, bound: Operand, index: Index) -> str:
    ctx.check_dtype(bound)
    if isinstance(bound, Const) and isinstance(bound.value, int):
        return str(bound.value)
    index.operands.append(bound)
    return "_"


def check_masks(ctx: Context, array: Type, index: Index) -> None:
    """Refuse a truth value as the index of an array with axes: NumPy takes it for a mask, and gives
    an axis more."""
    types = (operand.type for operand in index.operands)
    truths = any(type.is_scalar and type.dtype == "bool" for type in types)
    if array.kind == "array" and array.rank != 0 and truths:
        ctx.refuse("AG107", "an index that is a string or a truth value", "use an integer")


def part_type(array: Type, index: Index) -> Type:
    """The type of what an index shows of an array."""
    types = (array, *(o.type for o in index.operands))
    (type,) = load_type(types, {"index": index.pattern})
    return type


def joined(ctx: Context, base: Ref, index: Index) -> tuple[Ref, Index]:
    """`A[i][j]` as `A[i, j]`, where the first index is of integers."""
    if not base.steps or base.steps[-1].op != "load":
        return base, index
    step = base.steps[-1]
    outer = Ref(base.cell, base.steps[:-1])
    pattern = str(dict(step.options)["index"])
    plain = all(p.strip() == "_" or p.strip().lstrip("-").isdigit() for p in pattern.split(","))
    plain &= all(number.type.is_scalar for number in base.steps[-1].args)
    if not plain or read_ref(ctx, outer).type.kind != "array" or index.pattern == "()":
        return base, index
    joined = Index(f"{pattern}, {index.pattern}", [*step.args, *index.operands])
    joined.fancy, joined.integers = index.fancy, index.integers
    return outer, joined

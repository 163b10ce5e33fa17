"""A structure, or an attribute of an object, as a value in code that is copied."""

from __future__ import annotations

from adjointgen.frontend.cells import read
from adjointgen.frontend.context import Context
from adjointgen.frontend.tables import Known, attribute_of
from adjointgen.frontend.values import Method, Struct
from adjointgen.frontend.verbatim import Holes, verbatim
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import OBJECT, Type


def structure(ctx: Context, value: Struct) -> Value:
    """A dict or instance as an object; of constants it is one wherever it is made."""
    holes = Holes(ctx)
    code = holes.fill(value)
    if all(isinstance(operand, Const) for operand in holes.operands):
        return verbatim(ctx, code, holes.operands, pure=True)
    return verbatim(ctx, code, holes.operands)


def member(ctx: Context, method: Method) -> Value:
    """An attribute of an object, as a value."""
    owner = read(ctx, method.owner)
    table = ctx.tables.get(owner.name) if isinstance(owner, Value) else None
    found = attribute_of(table, method.name)
    holes = Holes(ctx)
    code = f"{holes.fill(owner)}.{method.name}"
    result = verbatim(ctx, code, holes.operands, found if isinstance(found, Type) else OBJECT)
    if isinstance(found, Known):
        ctx.tables[result.name] = found
    return result

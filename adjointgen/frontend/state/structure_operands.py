"""A structure, or an attribute of an object, as a value in code that is copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjointgen.frontend.domain.abstract_values import Method, Struct
from adjointgen.frontend.domain.module_tables import Known, attribute_of, part_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.introspection import check_value
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const, Operand, Value
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
    check_value(ctx, method)
    owner = read(ctx, method.owner)
    table = ctx.tables.get(owner.name) if isinstance(owner, Value) else None
    found = attribute_of(table, method.name)
    holes = Holes(ctx)
    code = f"{holes.fill(owner)}.{method.name}"
    result = verbatim(ctx, code, holes.operands, found if isinstance(found, Type) else OBJECT)
    if isinstance(found, Known):
        ctx.tables[result.name] = found
    return result


def from_table(
    ctx: Context,
    base: Operand,
    code: str,
    operands: Sequence[Operand],
    key: object,
    sure: bool = False,
) -> Value:
    """An expression that takes an entry out of `base`; its type where the module's table says.

    That the entry is there may be `sure`.
    """
    table = ctx.tables.get(base.name) if isinstance(base, Value) else None
    found = part_of(table, key) if table is not None else None
    options: dict[str, Any] = {"sure": True} if sure else {}
    type = found if isinstance(found, Type) else OBJECT
    result = verbatim(ctx, code, operands, type, **options)
    if isinstance(found, Known):
        ctx.tables[result.name] = found
    return result

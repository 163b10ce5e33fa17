"""A structure, or an attribute of an object, as a value in code that is copied."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from inspect import getattr_static
from typing import Any, NoReturn

import numpy as np

from adjointgen.errors import AdjointgenError
from adjointgen.frontend.domain.abstract_values import Class, Method, Struct
from adjointgen.frontend.domain.module_tables import (
    Known,
    Layout,
    Living,
    Table,
    attribute_of,
    container,
    holds_attribute,
    holds_entry,
    part_of,
)
from adjointgen.frontend.domain.structures import HELD, base_of
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.introspection import check_value
from adjointgen.frontend.state.live_facts import Facts, attribute_key, entries_key
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import OBJECT, Type


def structure(ctx: Context, value: Struct) -> Operand:
    """A dict or instance as an object; of constants it is one wherever it is made."""
    if (held := value.get(HELD)) is not None:
        assert isinstance(value.kind, Class)
        operand = read(ctx, held)
        if base_of(value.kind.type) is np.ndarray and not operand.type.is_scalar:
            what = f"a {value.kind.text} is used where only its class says what becomes of it"
            ctx.unlike("AG102", what, "take np.asarray(...) of it")
        return operand
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
    _check_promoted(ctx, owner, table, method.name)
    _check_others(ctx, owner, table, method.name)
    found = _kind(ctx, table, attribute_of(table, method.name), method.name)
    holes = Holes(ctx)
    code = f"{holes.fill(owner)}.{method.name}"
    type = found if isinstance(found, Type) else OBJECT
    there = isinstance(table, Living) and holds_attribute(table.value, method.name)
    options: dict[str, Any] = {"quiet": True, "sure": True} if there else {}
    result = verbatim(ctx, code, holes.operands, type, **options)
    if isinstance(found, Known):
        ctx.tables[result.name] = found
    return result


def _check_others(ctx: Context, owner: Operand, table: Known | None, name: str) -> None:
    """Refuse to read an attribute that the program may set on an object of the caller's."""
    if owner.type.kind == "object" and isinstance(table, Living | None):
        cls = object if table is None else type(table.value)
        if ctx.outlines.facts.read_other(cls, name):
            refuse_other(ctx, name)


def refuse_other(ctx: Context, name: str, node: ast.AST | None = None) -> NoReturn:
    """The attribute of the caller's object is set at the end, and has a derivative.

    That holds for the program, also where the code is copied as it stands instead.
    """
    what = f"{name} is read of an object of the module, which may be the argument that has it set"
    try:
        ctx.refuse("AG112", what, "reach the object by one name", node=node)
    except AdjointgenError as error:
        ctx.outlines.facts.clashes.append(error)
        raise


def _check_promoted(ctx: Context, owner: Operand, table: Known | None, name: str) -> None:
    """Refuse to read an attribute that may be a variable of the program, from an object."""
    promoted = ctx.outlines.facts.promoted
    if not promoted or owner.type.kind != "object":
        return
    own = isinstance(table, Living) and (id(table.value), name) in promoted
    unknown = table is None and any(n == name for _, n in promoted)
    if own or unknown or (name == "__dict__" and not isinstance(table, Table)):
        what = f"this may be the attribute {name} that the function sets"
        ctx.refuse("AG102", what, "read it from the object by its name")


def _kind(ctx: Context, table: Known | None, now: Layout | None, name: str) -> Layout | None:
    """What an attribute is, of what is there now and of what the program writes."""
    if not isinstance(table, Living):
        return now
    there = holds_attribute(table.value, name)
    facts: Facts = ctx.outlines.facts
    found = facts.kind(attribute_key(table.value, name), now, there)
    # Until it is set, the class may say that there is none.
    return None if not there and getattr_static(type(table.value), name, 0) is None else found


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
    if (held := container(table)) is not None:
        there = bool(held) if not isinstance(key, str | int) else holds_entry(held, key)
        # What a factory makes of a key is written by no statement.
        made = hasattr(held.__class__, "__missing__") and not there
        found = None if made else ctx.outlines.facts.kind(entries_key(held), found, there)
    options: dict[str, Any] = {"sure": True} if sure else {}
    if held.__class__ in (list, tuple, dict):
        # It may raise, and does nothing else.
        options["reads"] = True
    type = found if isinstance(found, Type) else OBJECT
    result = verbatim(ctx, code, operands, type, **options)
    if isinstance(found, Known):
        ctx.tables[result.name] = found
    return result

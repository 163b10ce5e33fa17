"""Entries of enumerations where paths meet: objects of the program."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Named, Outside
from adjointgen.frontend.domain.qualified_names import enum_member
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import OBJECT


def are_entries(a: Abstract, b: Abstract) -> bool:
    """Whether these are entries of enumerations, or one is and the other a value."""
    named = [one for one in (a, b) if isinstance(one, Named)]
    known = all(enum_member(one.spelling) is not None for one in named)
    return bool(named) and known and all(isinstance(o, Named | Value | Outside) for o in (a, b))


def entry_or_value(ctx: Context, value: Abstract) -> Operand:
    """An entry of an enumeration as an object of the program; the value that anything else is."""
    if not isinstance(value, Named):
        return read(ctx, value)
    if value.line:
        ctx.imports[value.line] = None
    return verbatim(ctx, value.text, (), OBJECT, pure=True)

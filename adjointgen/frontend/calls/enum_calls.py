"""Calls of enumerations: `Mode("fast")` is `Mode.FAST`, and so is `Mode(Mode.FAST)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from adjointgen.frontend.domain.abstract_values import Abstract, Named
from adjointgen.frontend.domain.constants import entry_of_enumeration
from adjointgen.frontend.domain.qualified_names import enum_class, enum_member
from adjointgen.ir.nodes import Const


def entry_of(
    function: Named, args: Sequence[Abstract], keywords: Mapping[str, Abstract]
) -> Named | None:
    """The entry that a call gives; None where that is not known, or it raises."""
    kind = enum_class(function.spelling)
    if kind is None or len(args) != 1 or keywords:
        return None
    entries: tuple[Enum, ...] = tuple(kind)
    match args[0]:
        case Const(value=value):
            given = [e for e in entries if type(e.value) is type(value) and e.value == value]
        case Named(spelling=spelling):
            given = [e for e in entries if e is enum_member(spelling)]
        case _:
            return None
    if not given:
        return None
    return entry_of_enumeration(given[0], f"{function.text}.{given[0].name}", function.line)

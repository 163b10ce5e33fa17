"""Classes that abstract values stand for."""

from __future__ import annotations

from types import NoneType

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.wrapping import held_under


def type_named(value: Abstract) -> type | None:
    """The class that a value is or names, if its module is loaded."""
    if isinstance(value, Class):
        return value.type
    if isinstance(value, Named) and value.spelling == "builtins.NoneType":
        return NoneType
    found = live(value.spelling)[1] if isinstance(value, Named) else None
    if isinstance(value, Named) and value.spelling.startswith("typing."):
        # `typing.Sequence` is asked for as the class behind it; `Numbers = Sequence[float]` is not.
        named = value.text.rpartition(".")[2] == value.spelling.rpartition(".")[2]
        found = held_under(found, "__origin__", found) if named else None
    return found if isinstance(found, type) else None


def may_be_class(value: Abstract) -> bool:
    """Whether a value is a class that is known, or one of a module that is not loaded."""
    return type_named(value) is not None or (
        isinstance(value, Named) and live(value.spelling)[1] is None
    )

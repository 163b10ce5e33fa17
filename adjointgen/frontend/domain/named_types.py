"""Classes that abstract values stand for."""

from __future__ import annotations

from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named
from adjointgen.frontend.domain.qualified_names import live


def type_named(value: Abstract) -> type | None:
    """The class that a value is or names, if its module is loaded."""
    if isinstance(value, Class):
        return value.type
    found = live(value.spelling)[1] if isinstance(value, Named) else None
    return found if isinstance(found, type) else None

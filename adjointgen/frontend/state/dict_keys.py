"""Keys of dicts that are known when the program is generated.

{"a": x, (1, 2): y}               constants, tuples and frozen sets of them
{float: 3, Mode.FAST: 1}          classes, functions and entries of enumerations
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Closure,
    KnownKey,
    Named,
    Seq,
)
from adjointgen.frontend.domain.qualified_names import live
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const


def known_key(ctx: Context, key: Abstract) -> tuple[Any] | None:
    """The key of a dict in a box, where it is known."""
    match content(ctx, key):
        case Const(value=known):
            return (known,)
        case Seq(kind="tuple", items=items):
            parts = [known_key(ctx, item) for item in items]
            if all(parts):
                return (tuple(part[0] for part in parts if part),)
            return None
        case Seq(kind="frozenset", items=items):
            values = [item.value for item in items if isinstance(item, Const)]
            return (KnownKey(key, frozenset(values)),) if len(values) == len(items) else None
        case known:
            same = _identity(known)
            return None if same is None else (KnownKey(key, same),)


def _identity(known: Abstract) -> object:
    """What tells a key from others; None where its class may compare it in its own way."""
    match known:
        case Class(type=type_):
            return type_
        case Closure(source=source, frame=-1):
            return source.resolver.identity
        case Named(spelling=spelling):
            found = live(spelling)[1]
            own = isinstance(found, Enum) and type(found).__hash__ is not Enum.__hash__
            return None if own else found
    return None

"""Objects with attributes that some of the paths to a place have set, and others have not.

Beside such an attribute there is a flag, under a key that is no attribute's name, which says
whether it is set.
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Class, Struct
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import BOOL

_FLAG: Final = "%has "
_SET, _UNSET = Const(True, BOOL), Const(False, BOOL)


def flag_of(struct: Struct, name: str) -> Abstract | None:
    """The flag of an attribute; None where it is set on every path."""
    return struct.get(f"{_FLAG}{name}")


def flagged_name(key: object) -> str:
    """The attribute that a key is the flag of; "" for the key of an attribute."""
    return key.removeprefix(_FLAG) if isinstance(key, str) and key.startswith(_FLAG) else ""


def is_partial(struct: Struct) -> bool:
    """Whether an object lacks attributes on a path."""
    return any(map(flagged_name, struct.keys))


def set_everywhere(struct: Struct, name: str) -> Struct:
    """The same object where an attribute is certain to be set."""
    return _with({k: v for k, v in _entries(struct).items() if k != f"{_FLAG}{name}"}, struct)


def aligned(a: Struct, b: Struct) -> tuple[Struct, Struct] | None:
    """Two objects of a class with the attributes of both, and flags of those that one has not.

    None where they are no such objects: those of the caller's, and tuples, have all of them.
    """
    kinds = a.kind, b.kind
    if not (isinstance(kinds[0], Class) and isinstance(kinds[1], Class)):
        return None
    made = a.place is None and b.place is None and not issubclass(kinds[0].type, tuple)
    if kinds[0].type is not kinds[1].type or not made:
        return None
    names = [key for key in dict.fromkeys((*a.keys, *b.keys)) if not flagged_name(key)]
    first, second = _entries(a), _entries(b)
    for name in names:
        flag = f"{_FLAG}{name}"
        if name in first and name in second and flag not in first and flag not in second:
            continue
        for entries in (first, second):
            entries.setdefault(flag, _SET if name in entries else _UNSET)
            entries.setdefault(name, ABSENT)
    keys = [key for name in names for key in (name, f"{_FLAG}{name}") if key in first]
    return tuple(_with({k: e[k] for k in keys}, s) for e, s in ((first, a), (second, b)))  # type: ignore[return-value]


def _entries(struct: Struct) -> dict[object, Abstract]:
    return dict(zip(struct.keys, struct.items, strict=True))


def _with(entries: dict[object, Abstract], struct: Struct) -> Struct:
    return Struct(struct.kind, tuple(entries), tuple(entries.values()), struct.place)

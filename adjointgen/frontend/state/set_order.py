"""Sets of constants, in the order in which Python has their entries.

    {3, 1, 2}                   1, 2, 3
    s = {1, 3};  s |= {8, 16}   16, 1, 3, 8

For integers the order follows from all that has been done to a set: entries that were taken out
leave gaps, and the table is as large as it has been. So a set is known by its entries and by how it
was `made`, and what is done to it is done once more to a set of Python's. For texts the order is
that of this process: the user's own program has another one each time that it is started.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

SETS: Final = ("set", "frozenset")
KEYS: Final = "dict"
"""The kind of a sequence that stands for the keys of a dict, of which Python makes room at once."""


def spelled(entries: str, kind: str) -> str:
    """The text of a set with entries."""
    if kind == "frozenset":
        return f"frozenset({{{entries}}})" if entries else "frozenset()"
    return f"{{{entries}}}" if entries else "set()"


Making = tuple[Any, ...]
"""The entries that a set began with, and the methods that were called, each with its arguments."""


def set_of(items: Iterable[Abstract], kind: str = "set") -> Seq:
    """The `set` or `frozenset` of constants that are put into it one after the other."""
    return _made((_values(items),), kind)


def display(items: Sequence[Abstract]) -> Seq | None:
    """The set that `{a, b, c}` of constants makes; None where its order is not known.

    Python makes a frozen set of three or more constants when it reads the text, from which the set
    is filled. In which order that has its entries depends on where it comes from.
    """
    if len(items) < 3:
        return set_of(items)
    values = _values(items)
    made = _made(((), ("update", ("set", (values,)))), "set")
    again = _made(((), ("update", ("set", (values[::-1],)))), "set")
    return made if made.items == again.items == set_of(items).items else None


def after(known: Seq, name: str, *args: Abstract, kind: str = "") -> Seq:
    """The set that a method makes of one, or leaves in it; its arguments are constants, or lists
    and sets of these."""
    given = tuple(map(_argument, args))
    return _made((*_making(known), (name, *given)), kind or known.kind)


def _made(making: Making, kind: str) -> Seq:
    return Seq(tuple(const(value) for value in _replayed(making)), kind, making)


def _making(known: Seq) -> Making:
    return known.made or (_values(known.items),)


def _values(items: Iterable[Abstract]) -> tuple[object, ...]:
    known = tuple(items)
    assert all(isinstance(item, Const) for item in known)
    return tuple(item.value for item in known if isinstance(item, Const))


def _argument(value: Abstract) -> tuple[str, Any]:
    match value:
        case Seq(kind="set" | "frozenset"):
            return "set", _making(value)
        case Seq(items=items, kind=kind):
            values = _values(items)
            return "values", dict.fromkeys(values) if kind == KEYS else values
    return "value", _values((value,))[0]


def _replayed(making: Making) -> set[Any]:
    """The set that is made like this."""
    first, *steps = making
    held = set[Any]()
    for value in first:
        held.add(value)
    for name, *args in steps:
        given = (_replayed(arg) if how == "set" else arg for how, arg in args)
        result = getattr(held, name)(*given)
        held = result if isinstance(result, set) else held
    return held


def are_keys(items: Iterable[Abstract]) -> bool:
    """Whether entries are texts or integers, of which Python's equality is known: no truth value is
    among them, which would be equal to a number."""
    return all(isinstance(one, Const) and type(one.value) in (str, int) for one in items)


Items = tuple[Abstract, ...]


def without(x: Items, y: Items) -> Items:
    """The entries of one set that are not in the other."""
    return tuple(one for one in x if one not in y)


def within(x: Items, y: Items) -> Items:
    """The entries of one set that are in the other."""
    return tuple(one for one in x if one in y)


OPERATORS: Final = {"|": "or", "&": "and", "-": "sub", "^": "xor"}
"""The methods of sets that operators call, `__or__`, and in place `__ior__`."""

"""Sets of constants, in the order in which Python has their entries, and what is made of two.

{3, 1, 2}       1, 2, 3

For integers the order follows from how the set is made. For texts it is that of this process: the
user's own program has another one each time that it is started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from adjointgen.frontend.domain.abstract_values import Abstract, Seq
from adjointgen.ir.nodes import Const
from adjointgen.rules.framework.builder import const

SETS: Final = ("set", "frozenset")


def spelled(entries: str, kind: str) -> str:
    """The text of a set with entries."""
    if kind == "frozenset":
        return f"frozenset({{{entries}}})" if entries else "frozenset()"
    return f"{{{entries}}}" if entries else "set()"


def set_of(items: Iterable[Abstract], kind: str = "set") -> Seq:
    """The `set` or `frozenset` of constants that are put into it one after the other."""
    made = set[Any]()
    for item in items:
        assert isinstance(item, Const)
        made.add(item.value)
    return Seq(tuple(const(value) for value in made), kind)


def are_keys(items: Iterable[Abstract]) -> bool:
    """Whether entries are texts or integers, of which Python's equality is known: no truth value is
    among them, which would be equal to a number."""
    return all(isinstance(one, Const) and type(one.value) in (str, int) for one in items)


Items = tuple[Abstract, ...]
Operation = Callable[[Items, Items], Items]


def without(x: Items, y: Items) -> Items:
    """The entries of one set that are not in the other."""
    return tuple(one for one in x if one not in y)


def within(x: Items, y: Items) -> Items:
    """The entries of one set that are in the other."""
    return tuple(one for one in x if one in y)


OPERATIONS: Final[dict[str, Operation]] = {
    "|": lambda x, y: (*x, *without(y, x)),
    "&": within,
    "-": without,
    "^": lambda x, y: (*without(x, y), *without(y, x)),
}
"""The entries of a set that an operator makes of two."""

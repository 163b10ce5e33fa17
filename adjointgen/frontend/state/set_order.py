"""Sets of constants, in the order in which Python has their entries.

{3, 1, 2}       1, 2, 3

For integers the order follows from how the set is made. For texts it is that of this process: the
user's own program has another one each time that it is started.
"""

from __future__ import annotations

from collections.abc import Iterable
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

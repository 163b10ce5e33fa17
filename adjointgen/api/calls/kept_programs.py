"""Where programs are kept between calls: with the function that they were made from.

    for step in range(n):
        x -= rate * grad(f)(x)          the second `grad(f)` finds the programs of the first

They live as long as the function, and hold no reference to it. A function whose code or defaults
are replaced has none; what else may have changed is asked of each program before it runs.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from types import FunctionType
from typing import Any, Final

from adjointgen.api.arguments.argument_tests import Asked
from adjointgen.api.arguments.lists_apart import Lists
from adjointgen.api.arguments.pack_structures import Fit
from adjointgen.api.specialize.length_guards import Relation
from adjointgen.api.specialize.load_program import Made
from adjointgen.records import dataclass
from adjointgen.watch import Look, State

NAME: Final = "__adjointgen__"
"""The attribute of a function that has its programs."""
MOST: Final = 64
"""Derivatives of one function whose programs are kept; the oldest goes first."""


@dataclass(frozen=True, slots=True)
class Specialisation:
    """A generated program for one guard, and what it depends on outside of the function."""

    run: Callable[..., Any]
    made: Made
    looks: tuple[Look, ...]
    current: Callable[[], bool]
    fit: Fit | None = None
    lists: Lists | None = None
    roots: tuple[Any, ...] = ()
    """The objects of the module that it looked at, where it writes to something."""

    def stands(self, values: tuple[Any, ...]) -> bool:
        """Whether every name outside the function, and in its objects, still means what it did."""
        return (self.fit is None or self.fit.holds(values)) and self.current()


Quick = tuple[Callable[[tuple[Any, ...]], bool], Asked, Specialisation]
"""A test of arguments, what it was made of, and the program for them."""


class Kept:
    """The programs of one derivative of a function, as it was when they were made."""

    def __init__(self, state: State | None) -> None:
        self.state = state
        self.known: dict[tuple[Any, ...], tuple[Specialisation, ...]] = {}
        self.lock = threading.Lock()
        self.quick: tuple[Quick, ...] = ()
        """What is known of calls with arguments that have a test of their own."""
        self.exact: frozenset[str] = frozenset()
        """The integers and lists whose values and lengths a program was made for."""
        self.alike: tuple[Relation, ...] = ()
        """The lengths of arguments that a program took to be a fixed number apart."""


class Table:
    """The programs of a function, by derivative. A copy, as wrappers make of attributes, has none.

    Two threads may each make a table at first, of which one is lost, with nothing in it but time.
    """

    def __init__(self, owner: FunctionType | None = None) -> None:
        self.owner = (lambda: None) if owner is None else weakref.ref(owner)
        self.kept: dict[Hashable, Kept] = {}

    def __reduce__(self) -> Any:
        return Table, ()


def kept_for(function: object, way: Hashable) -> Kept:
    """The programs of a derivative that is made in this way; new ones where there are none."""
    if not isinstance(function, FunctionType):
        return Kept(None)
    table = vars(function).get(NAME)
    if not isinstance(table, Table) or table.owner() is not function:
        table = vars(function)[NAME] = Table(function)
    found = table.kept.get(way)
    if found is None or found.state is None or not found.state.holds(function):
        found = Kept(State(function))
        for oldest in list(table.kept)[: max(0, len(table.kept) + 1 - MOST)]:
            table.kept.pop(oldest, None)
        table.kept[way] = found
    return found

"""What a generated program depends on outside the function that it was made from.

Live names are folded or followed while a function is lowered, so each look-up is noted: the table,
the name, and what it held, or that it held nothing. A program stands as long as every look-up still
gives the same object. Rules that a user declares may change any program; they are counted.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CellType, ModuleType
from typing import Any, ClassVar, Final, Protocol
from weakref import WeakKeyDictionary

from adjointgen.records import dataclass


class Missing:
    """What a table without the name holds."""

    def __repr__(self) -> str:
        return "missing"


MISSING: Final = Missing()


class Table(Protocol):
    """Where a live name is looked up."""

    def get(self, name: str, default: object, /) -> object: ...


@dataclass(frozen=True, slots=True)
class Cell:
    """A closure cell as a table with one name."""

    cell: CellType

    def get(self, name: str, default: object, /) -> object:
        """What the cell holds; the default while it is empty."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return default


@dataclass(frozen=True, slots=True)
class Members:
    """A module as a table, attributes that it computes included."""

    module: ModuleType

    def get(self, name: str, default: object, /) -> object:
        return getattr(self.module, name, default)


@dataclass(frozen=True, slots=True)
class Entries:
    """A table of the user's, `TABLE = {"linear": f}`, with its entries under `TABLE['linear']`."""

    table: Any
    text: str

    def get(self, name: str, default: object, /) -> object:
        """The entry that a text like this denotes, or the number of entries for another text."""
        if not name.startswith(f"{self.text}["):
            return len(self.table)
        try:
            return self.table[literal_eval(name[len(self.text) + 1 : -1])]
        except LookupError:
            return default


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a class itself holds as a table, not what it inherits."""

    owner: type

    def get(self, name: str, default: object, /) -> object:
        return vars(self.owner).get(name, default)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """An object of the user's as a table, of which `read` takes something."""

    owner: object
    read: Callable[[Any], object]

    def get(self, name: str, default: object, /) -> object:
        try:
            return self.read(self.owner)
        except Exception:
            return default


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One look-up: the name, where, and what was found."""

    table: Table
    name: str
    value: object

    def stands(self) -> bool:
        """Whether the name still means the same object."""
        return self.table.get(self.name, MISSING) is self.value


Looks = dict[tuple[int, str], Look]
_looks: ContextVar[Looks | None] = ContextVar("looks", default=None)


@contextmanager
def watched() -> Iterator[Looks]:
    """Collect the look-ups meanwhile, each once, in their order."""
    found: Looks = {}
    token = _looks.set(found)
    try:
        yield found
    finally:
        _looks.reset(token)


def look(table: Table, name: str) -> object:
    """What a table holds under a name, or `MISSING`; the look-up is noted."""
    value = table.get(name, MISSING)
    found = _looks.get()
    if found is not None:
        found.setdefault((_place(table), name), Look(table, name, value))
    return value


def _place(table: Table) -> int:
    match table:
        case (
            Cell(cell=place)
            | Members(module=place)
            | Entries(table=place)
            | Attributes(owner=place)
            | Held(owner=place)
        ):
            return id(place)
        case _:
            return id(table)


class Declared:
    """How many rules have been declared by users, and which functions have an equation."""

    count = 0
    equations: ClassVar[WeakKeyDictionary[Any, Any]] = WeakKeyDictionary()

"""What a generated program depends on outside the function that it was made from.

Live names are folded or followed while a function is lowered, so each look-up is noted: the table,
the name, and what it held, or that it held nothing. A program stands as long as every look-up still
gives the same object. Rules that a user declares may change any program; they are counted.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import is_
from types import CellType, FunctionType, ModuleType
from typing import Any, ClassVar, Final, Protocol
from weakref import WeakKeyDictionary, WeakValueDictionary

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


class State:
    """What a function is besides its name: its code, and its defaults."""

    __slots__ = ("code", "defaults", "keywords")

    def __init__(self, function: FunctionType) -> None:
        self.code = function.__code__
        self.defaults = function.__defaults__
        self.keywords = dict(function.__kwdefaults__ or {})

    def holds(self, function: FunctionType) -> bool:
        """Whether a function still is this."""
        now, then = function.__kwdefaults__, self.keywords
        return (
            function.__code__ is self.code
            and function.__defaults__ is self.defaults
            and ((not now and not then) or _are_same(now or {}, then))
        )


def _are_same(now: dict[str, Any], then: dict[str, Any]) -> bool:
    return now.keys() == then.keys() and all(now[name] is then[name] for name in now)


class Definition:
    """A function of the user's as a table: its code and defaults may be replaced."""

    __slots__ = ("function", "state")

    def __init__(self, function: FunctionType) -> None:
        self.function, self.state = function, State(function)

    def get(self, name: str, default: object, /) -> object:
        """The state that it had when it was read, while it has that."""
        return self.state if self.state.holds(self.function) else default


@dataclass(frozen=True, slots=True)
class Hidden:
    """An object among the arguments, at a place, as a table of what it holds in front of its class.

    A call has objects of its own: they are looked at with the arguments (`Layout.bare`).
    """

    place: tuple[Any, ...]

    def get(self, name: str, default: object, /) -> object:
        """Nothing: else the attribute would have been read."""
        return default


@dataclass(frozen=True, slots=True)
class Kinds:
    """The globals of a module as a table of the types of their values."""

    globals: dict[str, Any]

    def get(self, name: str, default: object, /) -> object:
        return type(self.globals[name]) if name in self.globals else default


def look_at_form(owner: Any, step: str = "", read: Callable[[Any], Any] | None = None) -> None:
    """Note what kind of object this is, or one that is reached from it: programs read such objects
    when they run, and hold for others of their kind."""
    if read is None and type(owner) in CONSTANT:
        return
    found = form_look(owner, step, read) if read else form_look(owner, step)
    look(found.table, found.name)


def form_look(owner: Any, step: str = "", read: Callable[[Any], Any] = lambda value: value) -> Look:
    """The look-up that gives the kind of an object while that is what it is now."""
    seen = read(owner)
    found, unchanged = form(seen), _unchanged(seen)

    def same(now: Any) -> object:
        held = read(now)
        return found if unchanged(held) or form(held) == found else MISSING

    return Look(Held(owner, same), f"<form>{step}", found)


def _unchanged(seen: Any) -> Callable[[Any], bool]:
    """What tells at little cost that an object certainly is of the form that it was seen with."""
    kind = type(seen)
    if kind in (list, dict) and len(seen) <= SHORT:
        keys = list(seen) if kind is dict else None
        values = [*seen.values()] if isinstance(seen, dict) else [*seen]
        if all(type(value) in CONSTANT for value in values):
            count = len(values)

            def same_entries(now: Any) -> bool:
                if type(now) is not kind or len(now) != count:
                    return False
                entries: Iterable[Any] = now.values() if isinstance(now, dict) else now
                return (keys is None or list(now) == keys) and all(map(is_, entries, values))

            return same_entries
    if not _is_array(seen):
        return lambda now: False
    dtype, shape = seen.dtype, seen.shape
    return lambda now: type(now) is kind and now.dtype is dtype and now.shape == shape


CONSTANT: Final = (float, int, complex, bool, str, bytes, type(None))
SHORT: Final = 16
"""Entries that are told apart; of longer containers, only what kinds of entries there are."""


def form(value: Any) -> Any:
    """The kinds of an object and of what is in it, as far as programs may depend on them."""
    kind = type(value)
    if kind in CONSTANT:
        return kind
    if kind is list:
        kinds = {*map(type, value)}
        return kind, frozenset(kinds if kinds.issubset(CONSTANT) else map(form, value))
    if kind is tuple:
        return kind, (tuple if len(value) <= SHORT else frozenset)(map(form, value))
    if kind is dict:
        keys = tuple(value) if len(value) <= SHORT else ()
        return kind, keys, (tuple if keys else frozenset)(map(form, value.values()))
    if _is_array(value):
        return kind, value.dtype, tuple(n == 1 for n in value.shape)
    return kind


def _is_array(value: Any) -> bool:
    """Whether this is an array; only the class of an object is asked for attributes, unless it has
    them. A number with a unit may have them for arrays alone."""
    kind = type(value)
    known = getattr(kind, "dtype", None) is not None and getattr(kind, "shape", None) is not None
    return known and hasattr(value, "dtype") and isinstance(value.shape, tuple)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One look-up: the name, where, and what was found."""

    table: Table
    name: str
    value: object

    def stands(self) -> bool:
        """Whether the name still means the same object."""
        return self.table.get(self.name, MISSING) is self.value


_SPELLED: Final = ("numpy", "scipy", "math", "builtins")


def is_name(look: Look) -> bool:
    """Whether a program may read what was found by its name alone."""
    match look.table:
        case Kinds() | Definition() | Hidden() | Attributes():
            return False
        case Members(module=module):
            return module.__name__.partition(".")[0] not in _SPELLED
    return True


Looks = dict[tuple[int, str], Look]
_looks: ContextVar[Looks | None] = ContextVar("looks", default=None)
_meant: ContextVar[dict[str, object] | None] = ContextVar("meant", default=None)


@contextmanager
def meanings() -> Iterator[None]:
    """Note for a program what each name was first found to stand for."""
    token = _meant.set({}) if _meant.get() is None else None
    try:
        yield
    finally:
        if token is not None:
            _meant.reset(token)


@contextmanager
def watched() -> Iterator[Looks]:
    """Collect the look-ups meanwhile, each once, in their order."""
    found: Looks = {}
    token, outer = _looks.set(found), _meant.set({})
    try:
        yield found
    finally:
        _looks.reset(token)
        _meant.reset(outer)


def is_watched() -> bool:
    """Whether a program is made for arguments at hand, and again for others."""
    return _looks.get() is not None


def look(table: Table, name: str) -> object:
    """What a table holds under a name, or `MISSING`; the look-up is noted."""
    value = table.get(name, MISSING)
    found, meant = _looks.get(), _meant.get()
    if found is not None or meant is not None:
        noted = Look(table, name, value)
        if found is not None:
            found.setdefault((_place(table), name), noted)
        if meant is not None and value is not MISSING and is_name(noted):
            meant.setdefault(name, value)
    return value


def means_another(name: str, value: object) -> bool:
    """Whether a name has been found to stand for another object, in another module or cell."""
    meant = _meant.get()
    return meant is not None and meant.get(name, value) is not value


def _place(table: Table) -> int:
    match table:
        case (
            Cell(cell=place)
            | Members(module=place)
            | Entries(table=place)
            | Attributes(owner=place)
            | Held(owner=place)
            | Kinds(globals=place)
        ):
            return id(place)
        case Definition():
            return id(table.function)
        case _:
            return id(table)


class Declared:
    """How many rules have been declared by users, which functions have one, and an equation."""

    count = 0
    equations: ClassVar[WeakKeyDictionary[Any, Any]] = WeakKeyDictionary()
    functions: ClassVar[WeakValueDictionary[str, Any]] = WeakValueDictionary()

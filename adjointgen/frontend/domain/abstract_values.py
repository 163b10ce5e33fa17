"""What a name can stand for while a program is lowered.

Numbers and fresh arrays are IR operands. An array that has a name lives in a storage cell, and a
name is bound to a `Ref`: the cell, and how the part that the name shows is cut out of it. So `b =
a` binds the same cell, `v = a[1:3]` a view of it, and a write through either is a new version of
the cell. Everything else is known when the program is lowered and never reaches the IR: tuples,
slices, ranges, modules and functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, TypeGuard

from adjointgen.frontend.domain.module_tables import Known
from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import BOOL, INT, Type
from adjointgen.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Fixed:
    """An argument whose value is part of the specialisation: a string, a bool, None."""

    value: Any


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is an argument, itself part of the specialisation."""

    value: Any


@dataclass(frozen=True, slots=True)
class Parts:
    """An argument that is a structure: what it is, and its entries as far as they are used.

    `live` is the object. Of an instance, the entries are the attributes that have been asked for.
    """

    kind: str | type
    keys: tuple[Any, ...]
    parts: tuple[Type | Fixed | Parts, ...]
    live: Any = field(compare=False)


Place = tuple[Any, ...]
"""Where something is in the arguments: the parameter, then keys and names of attributes."""


@dataclass(frozen=True, slots=True)
class Step:
    """One way to see an array in another: `op(base, *args, **options)`.

    `writable` says whether the step is certain to be a view. Where it is not, `version` is the
    version of the base that it was made of, for which view and copy agree. NumPy does not let a
    `locked` view be written to. What `iterates` is NumPy's `a.flat`, of which parts are copies.
    """

    op: str
    args: tuple[Operand, ...]
    options: tuple[tuple[str, object], ...]
    writable: bool = True
    version: Operand | None = None
    locked: bool = False
    iterates: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """A storage cell, seen through a chain of views."""

    cell: int
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Seq:
    """A tuple, or the content of a list or set, whose length and entries are known.

    How a set was `made` decides on the order of its entries (`set_order.py`).
    """

    items: tuple[Abstract, ...]
    kind: str = "tuple"
    made: tuple[Any, ...] = ()

    def of(self, items: Iterable[Abstract]) -> Seq:
        """The same structure around other entries."""
        return Seq(tuple(items), self.kind)


@dataclass(frozen=True, slots=True)
class Struct:
    """A dict, named tuple or instance: its entries by key or by the name of the attribute.

    `kind` is `"dict"` or the class. `place` says where the caller's object of this content is
    among the arguments; it is empty for what the function makes itself.
    """

    kind: str | Class
    keys: tuple[Any, ...]
    items: tuple[Abstract, ...]
    place: Place | None = None

    def of(self, items: Iterable[Abstract]) -> Struct:
        """The same structure around other entries."""
        return Struct(self.kind, self.keys, tuple(items), self.place)

    def get(self, key: Any) -> Abstract | None:
        """The entry under a key."""
        for known, item in zip(self.keys, self.items, strict=True):
            if known == key and type(known) is type(key):
                return item
        return None

    def put(self, key: Any, value: Abstract) -> Struct:
        """With another entry under a key."""
        entries = dict(zip(self.keys, self.items, strict=True)) | {key: value}
        return Struct(self.kind, tuple(entries), tuple(entries.values()), self.place)


Whole = Seq | Struct
"""A structure whose entries are known when the program is generated."""


MAYBE = "maybe"


def maybe(there: Operand, value: Abstract) -> Struct:
    """What is a value where the flag holds, and None elsewhere (`none_flags.py`)."""
    return Struct(MAYBE, ("there", "value"), (there, value))


def is_maybe(value: object) -> TypeGuard[Struct]:
    return value.__class__ is Struct and value.kind == MAYBE


def as_maybe(value: Abstract) -> Struct | None:
    """A value or None as the same with a flag; None for what is neither."""
    match value:
        case Struct() if is_maybe(value):
            return value
        case Const(value=None):
            return maybe(Const(False, BOOL), ABSENT)
        case Value(type=type) | Const(type=type) if type.kind in ("scalar", "array"):
            return maybe(Const(True, BOOL), value)
        case Ref():
            return maybe(Const(True, BOOL), value)
    return None


def parts_of(value: Whole | Zipped | Lazy) -> tuple[Abstract, ...]:
    """What is directly in a structure, or is run over."""
    match value:
        case Zipped(parts=parts):
            return parts
        case Lazy(over=over):
            return (over,)
        case _:
            return value.items


def alike(a: Whole, b: Whole) -> bool:
    """Whether two structures differ in their entries, or in whose they are, alone."""
    return len(a.items) == len(b.items) and _form(a) == _form(b)


def _form(whole: Whole) -> tuple[Any, ...]:
    """The class of a structure, whatever it is called here, and its keys."""
    if isinstance(whole, Seq):
        return Seq, whole.kind
    return whole.kind.type if isinstance(whole.kind, Class) else whole.kind, whole.keys


def either_of(a: Whole, b: Whole) -> Whole:
    """The first of two structures, at no place of the caller's unless the other is there, too."""
    if isinstance(a, Struct) and isinstance(b, Struct) and a.place != b.place:
        return replace(a, place=None)
    return a


@dataclass(frozen=True, slots=True)
class Class:
    """A class of the user's, whose methods are lowered where they are called."""

    type: type
    text: str
    line: str = ""

    @property
    def is_local(self) -> bool:
        """Whether it is defined in the function, where no name of a program leads to it."""
        return self.type.__qualname__.startswith("<locals>.")


@dataclass(frozen=True, slots=True)
class Bound:
    """A method with source of the user's, bound to the instance that is its first argument."""

    function: Closure
    owner: Abstract


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method of `home`: the classes of `owner` after that one."""

    home: type
    owner: Abstract


@dataclass(frozen=True, slots=True)
class SliceOf:
    """`slice(lower, upper, step)`; None for a bound that is left out."""

    lower: Operand | None
    upper: Operand | None
    step: Operand | None


@dataclass(frozen=True, slots=True)
class Range:
    """`range(start, stop, step)`."""

    start: Operand
    stop: Operand
    step: Operand


@dataclass(frozen=True, slots=True)
class Zipped:
    """`zip(*parts)`, or `enumerate(part, start)`, or `reversed(part)`: `how` says which.

    What is a `view` of a dict shows what is in it when it is read; a `listed` one is a list.
    """

    how: str
    parts: tuple[Abstract, ...]
    start: Operand | None = None
    listed: bool = False


VIEWS = ("keys", "values", "items")


@dataclass(frozen=True, slots=True)
class Module:
    """An imported module: its name, and the expression that it is written as."""

    name: str
    text: str
    line: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A function, class or type from outside: its qualified name, and how the user writes it."""

    spelling: str
    text: str
    line: str = ""
    known: bool = True


@dataclass(frozen=True, slots=True)
class Method:
    """`owner.name`, not yet called."""

    owner: Abstract
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Closure:
    """A function with source: a helper, a nested function or a lambda, and the frame it stands in.

    `frame` is the number of the enclosing frame, or -1 for a function of a module; `home` is the
    class that a method is written in. `named` is what code calls it by that is copied. One that is
    `cached` is called through an object that keeps results.
    """

    source: Any
    frame: int = -1
    defaults: tuple[tuple[str, Abstract], ...] = ()
    home: type | None = None
    named: Named | None = field(default_factory=lambda: None, compare=False)
    cached: bool = False


class KnownKey:
    """A class, a function or an entry of an enumeration as the key of a dict: the same as another
    one that stands for the `same` object, or for an equal frozen set."""

    __slots__ = ("same", "value")

    def __init__(self, value: Abstract, same: object) -> None:
        self.value, self.same = value, same

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownKey) and self._mark() == other._mark()

    def __hash__(self) -> int:
        return hash(self._mark())

    def _mark(self) -> object:
        return self.same if isinstance(self.same, frozenset) else id(self.same)

    def __repr__(self) -> str:
        return repr(self.same)


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial(function, *args, **keywords)`."""

    function: Abstract
    args: tuple[Abstract, ...]
    keywords: tuple[tuple[str, Abstract], ...]


@dataclass(frozen=True, slots=True)
class Derived:
    """`grad(function, wrt)` and its kin, not yet called.

    `args` are what a function of a derivative has been given already: the pullback of `vjp`.
    """

    kind: str
    function: Abstract
    wrt: Any = ...
    args: tuple[Abstract, ...] = ()


@dataclass(frozen=True, slots=True)
class Lazy:
    """A generator: what it runs over, and the functions that say what an entry gives, and whether.

    Where it runs over more than one thing, an entry of the first gives a list.
    """

    over: Abstract
    make: Closure
    test: Closure | None = None
    lists: bool = False


@dataclass(frozen=True, slots=True)
class Generator:
    """What a call of a generator function gives: the frame of its names.

    `left` is what is left of its body, innermost first, once entries were taken one by one.
    """

    frame: int
    left: tuple[Any, ...] | None = None


REQUEST = "request"


def is_request(value: object) -> TypeGuard[Struct]:
    """Whether this is a request of MPI (`request_calls.py`)."""
    return value.__class__ is Struct and value.kind == REQUEST


ITERATOR = "iterator"
OVER, UNKNOWN = -1, -2
"""Where an iterator is that has no more entries, or where how far it has gone is not known."""


def iterator(value: Abstract) -> Struct:
    """What is run over once: how many entries were taken is kept in its cell."""
    return Struct(ITERATOR, ("of", "at"), (value, Const(0, INT)))


def is_iterator(value: object) -> TypeGuard[Struct]:
    return value.__class__ is Struct and value.kind == ITERATOR


def is_one_by_one(value: Abstract) -> bool:
    """Whether this gives its entries one by one, and has neither a length nor numbers for them."""
    zipped = isinstance(value, Zipped) and not value.listed and value.how not in VIEWS
    return zipped or is_iterator(value) or isinstance(value, Lazy | Generator)


def kind_of(value: Abstract) -> str:
    """What Python calls an iterator, or a view of a dict, in its messages."""
    if not isinstance(value, Zipped):
        return "iterator"
    return f"dict_{value.how}" if value.how in VIEWS else value.how


@dataclass(frozen=True, slots=True)
class Functions:
    """A dict of the module that holds functions, of which one is chosen by a constant."""

    keys: tuple[Any, ...]
    items: tuple[Abstract, ...]

    def get(self, key: object) -> Abstract:
        """The entry under a key; `ABSENT` where there is none."""
        found = (v for k, v in zip(self.keys, self.items, strict=True) if k == key)
        return next(found, ABSENT)


@dataclass(frozen=True, slots=True)
class Outside:
    """An object of the module that is read when the program runs; its type where it is known.

    What is `changing` is another at every read; `table` says what is in a list, tuple or dict.
    """

    text: str
    type: Type
    line: str = ""
    changing: bool = False
    table: Known | None = None


@dataclass(frozen=True, slots=True)
class Absent:
    """No value: the name is not bound on this path."""


ABSENT = Absent()

Abstract = (
    Value
    | Const
    | Ref
    | Seq
    | Struct
    | Class
    | Bound
    | Super
    | SliceOf
    | Range
    | Zipped
    | Lazy
    | Generator
    | Module
    | Named
    | Method
    | Closure
    | Partial
    | Derived
    | Functions
    | Outside
    | Absent
)
Handler = Callable[[Any, Any], Any]
Node = ast.AST

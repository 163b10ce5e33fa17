"""Programs of functions of one text: closures that are made anew, as in a loop over data.

    for batch in batches:
        loss = loss_of(batch)         def loss_of(batch): def loss(w): …; return loss
        w -= grad(loss)(w)            the second loss runs the program of the first

A program reads arrays and other objects when it runs, so it serves each function of the same code
whose names mean what they meant (`disk_lookup.py`). Numbers that a function captured are part of
its program. A float that has been another in each of a few functions is read when the program
runs, like an argument: from then on one program serves them all.
"""

from __future__ import annotations

import dis
from collections.abc import Hashable, Iterable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any, Final

from adjointgen.api.arguments.argument_binding import exactly
from adjointgen.api.cache.disk_lookup import again, rows_of
from adjointgen.api.cache.stable_description import described
from adjointgen.api.specialize.length_guards import holding
from adjointgen.api.specialize.load_program import Made
from adjointgen.records import dataclass, field, replace
from adjointgen.watch import CONSTANT, Declared, Look
from adjointgen.wrapping import plain

Values = Mapping[str, Any]

TEXTS: Final = 64
"""Texts with kinds of arguments whose programs are kept; the oldest goes first."""
MOST: Final = 8
"""Programs that are kept for one text and one kind of arguments."""
FEW: Final = 2
"""Programs that each have captured floats as constants, before these are read instead."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program without what it was made for: its look-ups as data, what they gave (`traits`), and
    what it takes to hold of arguments. The floats in `opened` are read when it runs."""

    made: Made
    rows: list[list[Any]]
    traits: tuple[Any, ...]
    opened: frozenset[str]
    known: tuple[Any, ...]

    def made_for(self, root: FunctionType, values: Values) -> Made | None:
        """The program for another function, if its names mean the same."""
        if self.known != _known(self.made, values):
            return None
        looks = again(root, self.rows, self.opened, _meaning)
        if looks is None or _traits(looks) != self.traits:
            return None
        return replace(self.made, looks=looks)


@dataclass(slots=True)
class Text:
    """What is kept for functions of one code, which is held so that its number is its own."""

    code: CodeType
    programs: tuple[Program, ...] = ()
    seen: list[dict[str, float]] = field(default_factory=list)
    closed: bool = False
    """Whether floats stay constants, since there is no program that reads them."""


known: dict[Hashable, Text] = {}


def text_of(function: Any, way: Hashable) -> Text | None:
    """What is kept for functions of this text; None where nothing can be."""
    root = plain(function)
    if Declared.count or not isinstance(root, FunctionType) or not root.__closure__:
        return None
    key = (id(root.__code__), way)
    found = known.get(key)
    if found is None:
        for oldest in list(known)[: max(0, len(known) + 1 - TEXTS)]:
            known.pop(oldest, None)
        found = known[key] = Text(root.__code__)
    return found


def recall(text: Text, function: Any, values: Values) -> Made | None:
    """The program of another function of this text, for arguments like these."""
    made = (program.made_for(plain(function), values) for program in text.programs)
    return next((one for one in made if one is not None), None)


def to_open(text: Text, function: Any) -> frozenset[str]:
    """The captured floats that are others in each function of this text, when they are noted."""
    now = {name: value for name, value in _floats(plain(function)) if value == value}
    if text.closed or not now:
        return frozenset()
    if len(text.seen) < FEW:
        text.seen += [] if now in text.seen else [now]
        return frozenset()
    return frozenset(n for n in now if any(one.get(n) != now[n] for one in text.seen))


def keep(text: Text, function: Any, made: Made, opened: frozenset[str], values: Values) -> None:
    """Keep a program for other functions of this text."""
    rows = rows_of(plain(function), made.looks, _meaning) if made.lasting else None
    if rows is None:
        text.closed = True
        return
    bare = replace(made, looks=())
    program = Program(bare, rows, _traits(made.looks), opened, _known(made, values))
    text.programs = (program, *text.programs[: MOST - 1])


def _known(made: Made, values: Values) -> tuple[Any, ...]:
    """What a program takes to hold of arguments, beside their kinds."""
    exact = tuple(exactly(values[name]) for name in sorted(made.exact))
    return (exact, holding(made.alike, values))


def _meaning(value: Any) -> Any:
    """What an object is to a program: a function is its code, the same object."""
    code = getattr(plain(value), "__code__", None)
    return (id(code), code) if isinstance(code, CodeType) else described(value)


def _traits(looks: Iterable[Look]) -> tuple[Any, ...]:
    """The classes and forms of what was found, and which of them are one object."""
    first: dict[int, int] = {}
    found: list[Any] = []
    for place, look in enumerate(looks):
        value = look.value
        if look.name == "<form>":
            found.append(value)
        elif type(value) in CONSTANT:
            found.append(type(value))
        else:
            found.append((type(value), first.setdefault(id(value), place)))
    return tuple(found)


def _floats(root: FunctionType) -> Iterator[tuple[str, float]]:
    """The floats that a function captured, and does not assign."""
    assigned = {*_assigned(root.__code__)}
    cells = zip(root.__code__.co_freevars, root.__closure__ or (), strict=True)
    for name, cell in cells:
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        if type(value) is float and name not in assigned:
            yield name, value


def _assigned(code: CodeType) -> Iterator[str]:
    """The names of outer functions that code assigns or deletes, in functions inside of it too."""
    for step in dis.get_instructions(code):
        if step.opname in ("STORE_DEREF", "DELETE_DEREF"):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _assigned(constant)

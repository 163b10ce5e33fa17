"""What is written, before it is text: one class per production of Python's grammar that is used.

The trees are abstract: they hold no parentheses, no spaces and no indentation, which `printer`
puts. `Code` and `Lines` are the user's own text, taken over as it stands. All of these are named
tuples, which are defined and made in a fraction of the time that frozen dataclasses take; a first
call defines all of them and makes hundreds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from adjointgen.emit.precedence import Level


class Name(NamedTuple):
    """A variable, or ``None``, ``True``, ``False``."""

    name: str


class Number(NamedTuple):
    """A literal number without a sign."""

    text: str


class Word(NamedTuple):
    """Another literal: a string, or ``...``."""

    text: str


class Code(NamedTuple):
    """An expression of the user's: its text, and how tightly that binds.

    `opens` says what the text is that needs its parentheses in some places only.
    """

    text: str
    level: Level
    opens: Literal["", "generator", "walrus", "yield"] = ""


class Unary(NamedTuple):
    """``-a``, ``+a``, ``~a``, ``not a``."""

    operator: str
    operand: Expression


class Binary(NamedTuple):
    """``left operator right``, arithmetic or ``and`` and ``or``."""

    operator: str
    left: Expression
    right: Expression


class Compare(NamedTuple):
    """``left < right``, and chains of it."""

    left: Expression
    rest: tuple[tuple[str, Expression], ...]


class Conditional(NamedTuple):
    """``body if test else orelse``."""

    body: Expression
    test: Expression
    orelse: Expression


class Call(NamedTuple):
    """``function(*arguments, **keywords)``, spelled out."""

    function: Expression
    arguments: tuple[Entry, ...]
    keywords: tuple[tuple[str, Expression], ...]


class Attribute(NamedTuple):
    """``owner.field``."""

    owner: Expression
    field: str


class Subscript(NamedTuple):
    """``owner[items]``."""

    owner: Expression
    items: tuple[Item, ...]


class Slice(NamedTuple):
    """``start:stop:step``, an item of a subscript."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


class Tuple(NamedTuple):
    """``(a, b)``; the slots that allow it drop the parentheses."""

    entries: tuple[Entry, ...]


class List(NamedTuple):
    """``[a, b]``."""

    entries: tuple[Entry, ...]


class Dict(NamedTuple):
    """``{key: value}``."""

    entries: tuple[tuple[Expression, Expression], ...]


class Starred(NamedTuple):
    """``*a``, an argument or an entry."""

    value: Expression


Expression = (
    Name
    | Number
    | Word
    | Code
    | Unary
    | Binary
    | Compare
    | Conditional
    | Call
    | Attribute
    | Subscript
    | Tuple
    | List
    | Dict
)
Entry = Expression | Starred
Item = Expression | Slice


def names(node: Entry | Item) -> Iterator[str]:
    """The variables that a tree without the user's own text mentions."""
    if isinstance(node, Name):
        yield node.name
        return
    for part in node:
        if isinstance(part, tuple):
            yield from names(part)  # type: ignore[arg-type]


class Assign(NamedTuple):
    """``target = value``, ``first = second = value``."""

    targets: tuple[Expression, ...]
    value: Expression
    above: tuple[str, ...] = ()
    comment: str = ""


class Declare(NamedTuple):
    """``target: note = value``."""

    target: Expression
    note: Expression
    value: Expression
    above: tuple[str, ...] = ()
    comment: str = ""


class Augment(NamedTuple):
    """``target operator= value``."""

    target: Expression
    operator: str
    value: Expression
    above: tuple[str, ...] = ()
    comment: str = ""


class Simple(NamedTuple):
    """``return a``, ``break``, ``assert a, b``; without a keyword, an expression for its effect."""

    keyword: Literal["", "return", "break", "raise", "assert"]
    values: tuple[Expression, ...] = ()
    above: tuple[str, ...] = ()
    comment: str = ""


class Import(NamedTuple):
    """``import a as b``; with an origin, ``from origin import a, b as c``."""

    origin: str
    names: tuple[tuple[str, str], ...]
    above: tuple[str, ...] = ()
    comment: str = ""


class Lines(NamedTuple):
    """A statement of the user's: the lines that are indented, without their common margin.

    What continues a line is part of it, and is never indented.
    """

    lines: tuple[str, ...]
    raises: bool = False
    above: tuple[str, ...] = ()
    comment: str = ""


class If(NamedTuple):
    """``if test: body else: orelse``."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


class For(NamedTuple):
    """``for target in iterable: body``."""

    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


class While(NamedTuple):
    """``while test: body``."""

    test: Expression
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


class Parameter(NamedTuple):
    """A parameter of a function; from the first that is `named` on, arguments give the name."""

    name: str
    annotation: Expression | None = None
    default: Expression | None = None
    named: bool = False


class Define(NamedTuple):
    """``def name(parameters) -> returns: body``."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Expression | None
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


Compound = If | For | While | Define
Statement = Assign | Declare | Augment | Simple | Import | Lines | Compound
"""`above` are the comments over a statement, blank lines among them; `comment` ends its head."""

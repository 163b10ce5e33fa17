"""What is written, before it is text: one class per production of Python's grammar that is used.

The trees are abstract: they hold no parentheses, no spaces and no indentation, which `printer`
puts. `Code` and `Lines` are the user's own text, taken over as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from adjointgen.emit.syntax.precedence import Level
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or ``None``, ``True``, ``False``."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A literal number without a sign."""

    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """Another literal: a string, or ``...``."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """An expression of the user's: its text, and how tightly that binds.

    `opens` says what the text is that needs its parentheses in some places only.
    """

    text: str
    level: Level
    opens: Literal["", "generator", "walrus", "yield"] = ""


@dataclass(frozen=True, slots=True)
class Unary:
    """``-a``, ``+a``, ``~a``, ``not a``."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """``left operator right``, arithmetic or ``and`` and ``or``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Compare:
    """``left < right``, and chains of it."""

    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """``body if test else orelse``."""

    body: Expression
    test: Expression
    orelse: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """``function(*arguments, **keywords)``, spelled out."""

    function: Expression
    arguments: tuple[Entry, ...]
    keywords: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Attribute:
    """``owner.field``."""

    owner: Expression
    field: str


@dataclass(frozen=True, slots=True)
class Subscript:
    """``owner[items]``."""

    owner: Expression
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """``start:stop:step``, an item of a subscript."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True)
class Tuple:
    """``(a, b)``; the slots that allow it drop the parentheses."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class List:
    """``[a, b]``."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Dict:
    """``{key: value}``."""

    entries: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Starred:
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


def names(target: Expression) -> Iterator[str]:
    """The variables that are assigned, wholly or in part, where a target is given a value."""
    match target:
        case Name(own):
            yield own
        case Attribute(owner) | Subscript(owner):
            yield from names(owner)
        case Tuple(entries):
            for entry in entries:
                if not isinstance(entry, Starred):
                    yield from names(entry)


@dataclass(frozen=True, slots=True)
class Assign:
    """``target = value``, ``first = second = value``."""

    targets: tuple[Expression, ...]
    value: Expression
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Declare:
    """``target: note = value``."""

    target: Expression
    note: Expression
    value: Expression
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Augment:
    """``target operator= value``."""

    target: Expression
    operator: str
    value: Expression
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Simple:
    """``return a``, ``break``, ``assert a, b``; without a keyword, an expression for its effect."""

    keyword: Literal["", "return", "break", "raise", "assert"]
    values: tuple[Expression, ...] = ()
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Import:
    """``import a as b``; with an origin, ``from origin import a, b as c``."""

    origin: str
    names: tuple[tuple[str, str], ...]
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """A statement of the user's: the lines that are indented, without their common margin.

    What continues a line is part of it, and is never indented.
    """

    lines: tuple[str, ...]
    raises: bool = False
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class If:
    """``if test: body else: orelse``."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class For:
    """``for target in iterable: body``."""

    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class While:
    """``while test: body``."""

    test: Expression
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class With:
    """``with manager as target: body``."""

    manager: Expression
    target: Expression | None
    body: tuple[Statement, ...] = ()
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Try:
    """``try: body finally: final``."""

    body: tuple[Statement, ...] = ()
    final: tuple[Statement, ...] = ()
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the body of a `With` or `Try` ends, or its other part begins; it is not printed."""

    kind: Literal["finally", "end"]
    above: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; arguments give the name of one that is `named`.

    One with a `star` takes the arguments that are left.
    """

    name: str
    annotation: Expression | None = None
    default: Expression | None = None
    named: bool = False
    star: str = ""


@dataclass(frozen=True, slots=True)
class Define:
    """``def name(parameters) -> returns: body``."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Expression | None
    body: tuple[Statement, ...]
    above: tuple[str, ...] = ()
    comment: str = ""


Compound = If | For | While | With | Try | Define
Statement = Assign | Declare | Augment | Simple | Import | Lines | Mark | Compound
"""`above` are the comments over a statement, blank lines among them; `comment` ends its head."""

"""Constructors of Python statements, and the comments and blank lines around them.

Comments and blank lines are given to a finished statement, which owns the lines above it; the blank
lines that black demands around definitions and imports are put by the block that holds the
statement.
"""

from collections.abc import Sequence
from itertools import pairwise, takewhile

from adjointgen.emit.syntax.expression_trees import boolean
from adjointgen.emit.syntax.tree import (
    Assign,
    Augment,
    Binary,
    Declare,
    Define,
    Expression,
    For,
    If,
    Import,
    Simple,
    Statement,
    While,
)
from adjointgen.records import replace


def assign(target: Expression, value: Expression) -> Assign:
    """``target = value``; to unpack, give a tuple as the target."""
    return Assign((target,), value)


def declare(target: Expression, note: Expression, value: Expression) -> Declare:
    """``target: note = value``."""
    return Declare(target, note, value)


def augmented(target: Expression, operator: str, value: Expression) -> Augment:
    """``target operator= value``, the operator as in `syntax.binary`."""
    return Augment(target, operator, value)


def expression_statement(value: Expression) -> Simple:
    """An expression for its effect."""
    return Simple("", (value,))


def return_(value: Expression) -> Simple:
    """``return value``, ``return first, second``."""
    return Simple("return", (value,))


def break_() -> Simple:
    """``break``."""
    return Simple("break")


def if_(test: Expression, body: Sequence[Statement], orelse: Sequence[Statement] = ()) -> If:
    """``if test: body else: orelse``; an `orelse` that is just one ``if`` becomes ``elif``.

    Where that does the same, both tests are one: ``if test or other: body``.
    """
    then = spaced(body, 1)
    match orelse:
        case [If(above=(), comment="", body=same) as other] if then and same == then:
            return If(_either(test, other.test), then, other.orelse)
    return If(test, then, spaced(orelse, 1))


def _either(first: Expression, second: Expression) -> Expression:
    """``first or second`` without parentheses around the second, which may be several."""
    match second:
        case Binary("or", left, right):
            return boolean("or", _either(first, left), right)
    return boolean("or", first, second)


def for_(target: Expression, iterable: Expression, body: Sequence[Statement]) -> For:
    """``for target in iterable: body``."""
    return For(target, iterable, spaced(body, 1))


def while_(test: Expression, body: Sequence[Statement]) -> While:
    """``while test: body``."""
    return While(test, spaced(body, 1))


def with_trailing_comment(statement: Statement, comment: str) -> Statement:
    """`statement` with ``# comment`` at the end of its (first) line."""
    return replace(statement, comment=comment)


def with_leading_comments(
    statement: Statement, comments: Sequence[str], blank: bool = False
) -> Statement:
    """`statement` below ``# comments``, one line each, and below a blank line if asked for."""
    lines = ("", *comments) if blank else tuple(comments)
    return replace(statement, above=(*lines, *statement.above)) if lines else statement


def with_blank_line(statement: Statement) -> Statement:
    """`statement` below a blank line; comments above it stay with it."""
    return with_leading_comments(statement, (), blank=True)


def spaced(body: Sequence[Statement], blanks: int) -> tuple[Statement, ...]:
    """`body` with blank lines around definitions, this many, and one after imports.

    A definition that opens the body of an ``if`` or a loop is left to black.
    """
    return (*body[:1], *(_below(above, own, blanks) for above, own in pairwise(body)))


def _below(above: Statement, own: Statement, blanks: int) -> Statement:
    wanted = 0
    if isinstance(above, Define) or isinstance(own, Define):
        wanted = blanks
    elif isinstance(above, Import) and not isinstance(own, Import):
        wanted = 1
    present = sum(1 for _ in takewhile(lambda line: not line, own.above))
    missing = ("",) * (wanted - present)
    return replace(own, above=(*missing, *own.above)) if missing else own

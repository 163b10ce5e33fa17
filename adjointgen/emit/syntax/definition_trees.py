"""Constructors of functions, imports and modules, and of the text in them that is not code.

black reformats a docstring, so one is written as black would leave it: margins stripped, a space
between its own quotation marks and those around it, the closing ones of a longer text on a line of
their own.
"""

import inspect
from collections.abc import Sequence

from adjointgen.emit.syntax.printer import INDENT, lines
from adjointgen.emit.syntax.statement_trees import expression_statement, spaced
from adjointgen.emit.syntax.tree import (
    Define,
    Expression,
    Import,
    Parameter,
    Simple,
    Statement,
    Word,
)


def function_def(
    name: str,
    parameters: Sequence[Parameter],
    body: Sequence[Statement],
    *,
    docstring: str = "",
    returns: Expression | None = None,
) -> Define:
    """``def name(parameters) -> returns: body``, at the top level of a module."""
    text = (_documented(docstring),) if docstring else ()
    return Define(name, tuple(parameters), returns, spaced((*text, *body), 1))


def _documented(text: str) -> Simple:
    """`text` as the docstring of a function."""
    stripped = "\n".join(line.rstrip() for line in inspect.cleandoc(text).split("\n")).strip()
    rows = _escaped(stripped).split("\n")
    inner = "\n".join([rows[0], *(row and INDENT + row for row in rows[1:])])
    start = " " if inner.startswith('"') else ""
    end = " " if inner.endswith('"') else ""
    if len(rows) > 1:
        end = "\n" + INDENT
    return expression_statement(Word(f'"""{start}{inner}{end}"""'))


def _escaped(text: str) -> str:
    """`text` for the inside of triple quotes; control characters become escapes."""
    plain = "".join(
        each if each == "\n" or (each.isprintable() and each != "\\") else repr(each)[1:-1]
        for each in text
    )
    return plain.replace('"""', '\\"\\"\\"')


def import_(module: str, as_: str = "") -> Import:
    """``import module``, ``import module as as_``."""
    return Import("", ((module, as_),))


def from_import(module: str, names: Sequence[tuple[str, str]]) -> Import:
    """``from module import name, other as alias``: pairs, of which the alias may be empty."""
    return Import(module, tuple(names))


def module(header: Sequence[str], body: Sequence[Statement]) -> str:
    """The text of a module below the comment lines of `header`."""
    statements = spaced(body, 2)
    blank = ("",) * (2 if isinstance(statements[0], Define) else 1) if header and statements else ()
    return "".join(f"{line}\n" for line in (*header, *blank, *lines(statements)))

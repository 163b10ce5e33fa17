"""Comments around the statements: sections, the user's own, and where reverse code comes from.

Sections have titles where there are two at least that hold a statement.
The user's comments stand before the first forward statement that comes from the line below them, or
from their own line; directives to tools are left out.
In the reverse sweep, the statement of the user's that statements are the derivative of is quoted
above the first of them; where it is not known, the head of a loop or branch and each change of the
source line at the top level end in `# model.py:5`, unless that would make the line too long for
black.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Final

from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.positions import Layer
from adjointgen.emit.syntax.printer import head
from adjointgen.emit.syntax.statement_trees import with_leading_comments, with_trailing_comment
from adjointgen.emit.syntax.tree import Compound, Statement
from adjointgen.emit.write.line_marks import mark
from adjointgen.ir.nodes import NESTED, Apply, Function, Quote, Stmt

WIDTH: Final = 88
_INDENT: Final = 4
_LEAST: Final = 40
_DIRECTIVE: Final = re.compile(r"#\s*(noqa|type:|pragma|pylint|mypy:|ruff:|fmt:|isort:)")


class Margin:
    """Decorates the statements of one function in the order in which they are written."""

    def __init__(self, function: Function, titled: bool) -> None:
        self._titled = titled
        self._comments: dict[int, list[str]] = {}
        for line, text in function.comments:
            if not _DIRECTIVE.match(text):
                self._comments.setdefault(line, []).append(text)
        self._file = _basename(function.origin.file)
        self._quotes = _by_line(function.quotes)
        self._quoted: dict[int, Quote] = {}
        self._section = ""
        self._reverse = False
        self._line = 0
        self._is_first = True

    def decorate(self, stmt: Stmt, lines: list[Statement], depth: int) -> list[Statement]:
        """The lines of a statement with the comments that belong to them."""
        return mark(stmt, self._decorated(stmt, lines, depth))

    def _decorated(self, stmt: Stmt, lines: list[Statement], depth: int) -> list[Statement]:
        if isinstance(stmt, Apply) and stmt.op == "comment":
            title = str(stmt.option("text"))
            self._reverse = self._reverse or stmt.option("sweep") == "reverse"
            self._section = title if self._titled else ""
            return lines
        if not lines:
            return lines
        if self._reverse:
            lines = self._with_source(stmt, lines, depth)
        elif stmt.span is not None and self._comments:
            texts, at = self._above(stmt), _head(stmt, lines)
            apart = bool(texts and self._section and depth == 0 and at == 0)
            above = with_leading_comments(lines[at], texts, blank=apart)
            lines = [*lines[:at], above, *lines[at + 1 :]]
        if self._section and depth == 0:
            head = with_leading_comments(lines[0], [f"# {self._section}"], blank=not self._is_first)
            lines, self._section = [head, *lines[1:]], ""
        self._is_first = self._is_first and depth > 0
        return lines

    def _above(self, stmt: Stmt) -> list[str]:
        """The comments directly above a statement of the user's, and those on its own lines."""
        span = stmt.span
        if span is None or (self._file and _basename(span.file) != self._file):
            return []
        first, last = span.line, span.end_line
        while first - 1 in self._comments:
            first -= 1
        if isinstance(stmt, NESTED):
            last = span.line
        numbers = [n for n in range(first, last + 1) if n in self._comments]
        return [text for n in numbers for text in self._comments.pop(n)]

    def _with_source(self, stmt: Stmt, lines: list[Statement], depth: int) -> list[Statement]:
        span = stmt.span
        if span is None:
            return lines
        if quote := self._quotes.get((span.file, span.line)):
            return self._with_quote(quote, stmt, lines, depth)
        compound = isinstance(stmt, NESTED)
        changed = depth == 0 and span.line != self._line
        if depth == 0:
            self._line = span.line
        if not compound and not changed:
            return lines
        at = _head(stmt, lines)
        comment = f"# {_basename(span.file)}:{span.line}"
        if _width(lines[at]) + len(comment) + 2 + _INDENT * (depth + 1) > WIDTH:
            return lines
        return [*lines[:at], with_trailing_comment(lines[at], comment), *lines[at + 1 :]]

    def _with_quote(
        self, quote: Quote, stmt: Stmt, lines: list[Statement], depth: int
    ) -> list[Statement]:
        """The statement of the user's above the first of those that come from it.

        The head of a loop or branch stands above a loop or branch alone, and not above what it
        starts from; a statement that is there again needs no quotation.
        """
        inside = [self._quoted.pop(d) for d in [*self._quoted] if d > depth]
        text = quote[-1]
        if text.endswith(":") and not isinstance(stmt, NESTED):
            return lines
        if _is_same(text.rstrip(":"), head(lines[_head(stmt, lines)]).rstrip(":")):
            return lines
        if self._quoted.get(depth) == quote or quote in inside:
            return lines
        self._quoted[depth] = quote
        if text.startswith("elif "):
            return lines
        comment = _shortened(f"# {printable(text)}", max(WIDTH - _INDENT * (depth + 1), _LEAST))
        at = _head(stmt, lines)
        return [*lines[:at], with_leading_comments(lines[at], [comment]), *lines[at + 1 :]]


def _by_line(quotes: Iterable[Quote]) -> dict[tuple[str, int], Quote]:
    """The innermost statement of each line."""
    found: dict[tuple[str, int], Quote] = {}
    for quote in quotes:
        file, first, last, text = quote
        if not _DIRECTIVE.match(f"# {text}"):
            found |= {(file, line): quote for line in range(first, last + 1)}
    return found


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 4].rstrip()} ..."


def _is_same(quoted: str, line: str) -> bool:
    """Whether a line says what is quoted: `0.0001` is `1e-4`."""
    if quoted == line or quoted.partition(" ")[0] != line.partition(" ")[0]:
        return quoted == line
    try:
        return ast.dump(ast.parse(quoted)) == ast.dump(ast.parse(line))
    except SyntaxError:
        return False


def _head(stmt: Stmt, lines: list[Statement]) -> int:
    """Which line is the statement: what a loop starts from stands before it."""
    heads = [k for k, s in enumerate(lines) if isinstance(s, Compound)]
    return heads[0] if heads and isinstance(stmt, NESTED) else 0


def is_titled(layer: Layer, folds: Folds) -> bool:
    """Whether two sections at least have statements to be printed."""
    sections = 0
    is_open = False
    for place in layer.places:
        if isinstance(place.stmt, Apply) and place.stmt.op == "comment":
            is_open = True
        elif is_open and not folds.is_folded(place.stmt):
            sections, is_open = sections + 1, False
    return sections > 1


def _width(statement: Statement) -> int:
    """The length of the first line of a statement."""
    return len(head(statement))


def _basename(file: str) -> str:
    name = PureWindowsPath(file).name if "\\" in file else PurePosixPath(file).name
    return printable(name)


def printable(text: str) -> str:
    """A text on one line: a file may have any name, and must not end the comment that it is in."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)

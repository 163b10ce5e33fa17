"""Which line of the source each line of a generated text comes from.

While texts are marked, a comment with the place stands above each statement; it is on a line of its
own, so what black does to the other lines is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from adjointgen.emit.syntax.statement_trees import with_leading_comments
from adjointgen.emit.syntax.tree import Statement
from adjointgen.ir.nodes import Stmt

Origins = tuple[tuple[str, int] | None, ...]
"""The file and line that each line of a text comes from, where that is known."""

_MARK: Final = "# from-line "
_marked: ContextVar[bool] = ContextVar("marked", default=False)


@contextmanager
def marking() -> Iterator[None]:
    """Texts that are emitted meanwhile have marks."""
    token = _marked.set(True)
    try:
        yield
    finally:
        _marked.reset(token)


def mark(stmt: Stmt, lines: list[Statement]) -> list[Statement]:
    """The lines of a statement, marked with its place if texts are to be marked."""
    if not lines or not _marked.get() or stmt.span is None:
        return lines
    said = _MARK + json.dumps([stmt.span.file, stmt.span.line])
    return [with_leading_comments(lines[0], [said]), *lines[1:]]


def unmarked(lines: Sequence[str]) -> tuple[list[str], Origins]:
    """The lines without marks and without blank ones, and where each comes from.

    What stands above the first mark of a function comes from nowhere.
    """
    found: list[str] = []
    origins: list[tuple[str, int] | None] = []
    here: tuple[str, int] | None = None
    for line in lines:
        if line.lstrip().startswith(_MARK):
            file, number = json.loads(line.strip().removeprefix(_MARK))
            here = file, number
            continue
        if line.startswith(("def ", "class ", "import ", "from ", "@")):
            here = None
        if line.strip():
            found.append(line)
            origins.append(here)
    return found, tuple(origins)

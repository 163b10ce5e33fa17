"""Directives: comments that tell adjointgen how to differentiate what follows.

    # adjointgen: checkpoint(log)
    for i in range(n):

One that is not known, or that stands where it means nothing, is refused: a misspelt one would
otherwise be ignored in silence.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final, NoReturn

from adjointgen.errors import SourceError, Span
from adjointgen.frontend.source.source import Source
from adjointgen.ir.schedules import FORMS, Schedule, schedule

KNOWN: Final[tuple[str, ...]] = ("checkpoint",)
_DIRECTIVE: Final = re.compile(r"#\s*adjointgen\s*:\s*(.*?)\s*")
_CALL: Final = re.compile(r"(\w+)\s*(?:\((.*)\))?")


def check_directives(source: Source) -> None:
    """Raise SourceError (AG012) for a directive in a function that is not known or not placed."""
    if "adjointgen" not in source.text:
        return
    loops = {node.lineno for node in _statements(source) if isinstance(node, ast.For | ast.While)}
    for line, text in _directives(source):
        at = _place(source, line)
        made = _schedule(source, line, text)
        if made is not None and at not in loops:
            _refuse(source, line, f"{text!r} stands above no loop", "write it above a `for`")


def schedule_of(source: Source, loop: ast.For | ast.While) -> Schedule | None:
    """The schedule that a directive above a loop names."""
    if "adjointgen" not in source.text:
        return None
    for line, text in _directives(source):
        if _place(source, line) == loop.lineno:
            return _schedule(source, line, text)
    return None


def _directives(source: Source) -> Iterator[tuple[int, str]]:
    """The directives of a function: their lines and texts."""
    for line, comment in source.comments():
        found = _DIRECTIVE.fullmatch(comment)
        if found:
            yield line, found[1]


def _statements(source: Source) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(source.node) if isinstance(node, ast.stmt))


def _place(source: Source, line: int) -> int:
    """The line of the statement that a comment is of: its own, or the next one."""
    return min((s.lineno for s in _statements(source) if s.lineno >= line), default=0)


def _schedule(source: Source, line: int, text: str) -> Schedule | None:
    found = _CALL.fullmatch(text)
    if found is None or found[1] not in KNOWN:
        _refuse(source, line, f"unknown directive {text!r}", f"known are {', '.join(KNOWN)}(...)")
    try:
        return schedule(found[2] or "")
    except ValueError as error:
        _refuse(source, line, str(error), f"checkpoint takes {FORMS}")


def _refuse(source: Source, line: int, message: str, help: str) -> NoReturn:
    text = source.text.splitlines()[line - 1]
    start = text.index("#")
    span = Span(source.file, line, start, line, len(text))
    raise SourceError(message, code="AG012", span=span, source=source.text, help=help)

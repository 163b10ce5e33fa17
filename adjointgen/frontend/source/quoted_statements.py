"""The statements of a function as they are written, each with its lines: what comments quote.

    (file, first line, last line, text)    outer before inner; of a compound statement its head

A statement of several lines is on one. Lambdas have none: the statement around one is quoted.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Final

from adjointgen.frontend.source.source import Source, lines_of
from adjointgen.ir.nodes import Quote

_SKIPPED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try, ast.Match)
_OPENED: Final = re.compile(r"(?<=[(\[{]) ")
_CLOSED: Final = re.compile(r",? (?=[)\]}])")


def quotes(sources: Iterable[Source]) -> tuple[Quote, ...]:
    """The statements of functions; a function that stands inside another counts once."""
    found = {quote: None for source in sources for quote in _statements(source)}
    return tuple(found)


def _statements(source: Source) -> Iterator[Quote]:
    if isinstance(source.node, ast.Lambda):
        return
    for node in (n for top in source.body for n in ast.walk(top)):
        if isinstance(node, ast.stmt) and not isinstance(node, _SKIPPED):
            yield from _quote(source, node)


def _quote(source: Source, node: ast.stmt) -> Iterator[Quote]:
    start, end, colon = source.span(node), source.span(node), ""
    match node:
        case ast.For(iter=last) | ast.While(test=last) | ast.If(test=last):
            end, colon = source.span(last), ":"
        case ast.With(items=[*_, ast.withitem(context_expr=last)]):
            end, colon = source.span(last), ":"
    if start is not None and end is not None:
        lines = list(lines_of(source.text)[start.line - 1 : end.end_line])
        lines[-1] = lines[-1][: end.end_column]
        lines[0] = lines[0][start.column :]
        yield start.file, start.line, end.end_line, _on_one_line(lines) + colon


def _on_one_line(lines: list[str]) -> str:
    if len(lines) > 1 and any("#" in line for line in lines):
        return f"{lines[0].strip()} ..."
    return _CLOSED.sub("", _OPENED.sub("", " ".join(line.strip() for line in lines)))

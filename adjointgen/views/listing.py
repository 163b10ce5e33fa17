"""Programs as lines, each with its place: where it comes from in the user's source.

Places are what the panels of the page have in common. Lines of a derivative take theirs from the
spans of the statements that they print.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.errors import Span
from adjointgen.frontend.source.source import FunctionNode, Source, lines_of
from adjointgen.ir.nodes import Function, Stmt, results_of, walk
from adjointgen.records import dataclass
from adjointgen.views.numbering import listing_lines, python_lines
from adjointgen.views.places import shown


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text. `number` is its own number in the user's file, where it is from there."""

    text: str
    place: Span | None = None
    number: int = 0
    active: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """A program. `key` is what the page calls it; `names` are the active values in it."""

    key: str
    title: str
    lines: tuple[Line, ...]
    language: Literal["python", "ssa"] = "python"
    names: frozenset[str] = frozenset()


def source_listing(source: Source, function: Function, facts: Activity) -> Listing:
    """The user's function, and below it the functions of the same file that are part of it."""
    stmts = [s for s in walk(function.body) if s.span and s.span.file == source.file]
    places = [(s.span.line, s) for s in stmts if s.span]
    active = {n for n, stmt in places if _is_active(stmt, facts)}
    text = lines_of(source.text)
    lines: list[Line] = []
    for part in _parts(source, {n for n, _ in places}):
        if lines:
            lines.append(Line(""))
        for n in part:
            place = Span(source.file, n, 0, n, len(text[n - 1]))
            lines.append(Line(text[n - 1], place, n, n in active))
    return Listing("source", f"{shown(source.file)}::{source.qualname}", tuple(lines))


def ssa_listing(function: Function, facts: Activity) -> Listing:
    """The function as single assignments."""
    lines = [
        Line(text, stmt.span if stmt else None, active=stmt is not None and _is_active(stmt, facts))
        for text, stmt in listing_lines(function)
    ]
    return Listing("ssa", "Single assignments", tuple(lines), "ssa", facts.varied & facts.useful)


def program_listing(key: str, title: str, function: Function) -> Listing:
    """A finished program as Python."""
    lines = [Line(text, stmt.span if stmt else None) for text, stmt in python_lines(function)]
    return Listing(key, title, tuple(lines))


def _is_active(stmt: Stmt, facts: Activity) -> bool:
    return any(map(facts.active, results_of(stmt)))


def _parts(source: Source, places: set[int]) -> list[range]:
    """The lines of the function, then those of the other functions that hold one of the places."""
    own = _lines(source.node)
    left = sorted(n for n in places if n not in own)
    parts = [own]
    for node in _outermost(ast.parse(source.text)) if left else ():
        lines = _lines(node)
        if any(n in lines for n in left) and not own.start <= lines.start < own.stop:
            parts.append(lines)
    return parts


def _outermost(tree: ast.AST) -> Iterator[FunctionNode]:
    """The functions of a module and its classes, those inside functions left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
        else:
            yield from _outermost(node)


def _lines(node: FunctionNode) -> range:
    """The lines of a function, with its decorators."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return range(first, (node.end_lineno or node.lineno) + 1)

"""Which statement each line of a printed program is of, found out with the printers as they are.

    f  ->  f with statement k at line 2k + 2, and that line's comment saying so

A printer that writes where a statement comes from (`ir.text.show` with spans, and the emitter with
the user's comments above the statements of their lines) then writes the number of the statement,
beside text that is the same as without. Lines are two apart because a comment also belongs to the
statement below it. The emitter leaves the user's comments out of the reverse sweep, which it knows
by its heading; so the headings go.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from adjointgen.emit.write.module import emit, format
from adjointgen.errors import Span
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Origin, Stmt
from adjointgen.ir.text import show
from adjointgen.records import dataclass, replace
from adjointgen.views.places import placed

_SPAN: Final = re.compile(r"  # :(\d+):1")

Lines = list[tuple[str, Stmt | None]]
"""The lines of a program, each with the statement that it is part of, which has its place."""


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A function whose statements stand at lines of their own, and its statements."""

    function: Function
    stmts: list[Stmt]

    def at(self, line: str) -> Stmt:
        return self.stmts[int(line) // 2 - 1]


def listing_lines(function: Function) -> Lines:
    """The lines of the listing."""
    numbered = _number(function)
    plain, marked = show(function), show(numbered.function, spans=True)
    lines = []
    for text, more in zip(plain.split("\n")[:-1], marked.split("\n")[:-1], strict=True):
        found = _SPAN.fullmatch(more, len(text))
        lines.append((text, numbered.at(found[1]) if found else None))
    return lines


def python_lines(function: Function) -> Lines:
    """The lines of a finished program as a formatted module."""
    text = format(emit([function])).lstrip("\n")
    lines = text.split("\n")[:-1]
    mark = _unused(text)
    numbered = _number(function, mark)
    marks = _marks(emit([numbered.function]), mark)
    owners: dict[int, Stmt] = {}
    for node, number in zip(_statements(ast.parse(text)), marks, strict=True):
        if number and not isinstance(node, ast.Return):
            owners |= dict.fromkeys(_own_lines(node), numbered.at(number))
    is_comment = [line.lstrip().startswith("#") for line in lines]
    return [(line, None if is_comment[k] else owners.get(k + 1)) for k, line in enumerate(lines)]


def _unused(text: str) -> str:
    """A mark that no comment of the user's is."""
    mark = "# @"
    while mark in text:
        mark += "@"
    return mark


def _number(function: Function, mark: str = "") -> _Numbered:
    stmts: list[Stmt] = []

    def operand(given: Operand) -> Operand:
        return given

    def block(inner: Block) -> Block:
        return replace(inner, stmts=tuple(map(numbered, inner.stmts)))

    def numbered(stmt: Stmt) -> Stmt:
        stmts.append(stmt)
        line = 2 * len(stmts)
        if isinstance(stmt, Apply) and stmt.op == "comment":
            stmt = replace(stmt, options=(("text", ""),))
        return replace(rebuild(stmt, operand, block), span=Span("", line, 0, line, 0))

    body = block(placed(function).body)
    comments = tuple((2 * k, f"{mark}{2 * k}") for k in range(1, len(stmts) + 1))
    origin = Origin("", function.origin.qualname, function.origin.doc)
    made = replace(function, body=body, comments=comments, origin=origin, quotes=())
    return _Numbered(made, stmts)


def _marks(text: str, mark: str) -> Iterator[str]:
    """The number of each statement: above it, else that of the statement before it in its block.

    What leaves a loop, `if flag: break`, is of the loop; a branch without its own mark has marks.
    """
    lines = text.split("\n")
    pattern = re.compile(rf"\s*{mark}(\d+)")

    def leaves(node: ast.stmt) -> bool:
        inner = lines[node.lineno : node.end_lineno]
        return isinstance(node, ast.If) and not any(map(pattern.fullmatch, inner))

    def inside(tree: ast.AST, number: str) -> Iterator[str]:
        for group in _groups(tree):
            last = number
            for node in group:
                found = pattern.fullmatch(lines[node.lineno - 2]) if node.lineno > 1 else None
                last = found[1] if found else last
                own = number if found is None and leaves(node) else last
                yield own
                yield from inside(node, own)

    yield from inside(ast.parse(text), "")


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """All statements, in the order of `_marks`."""
    for group in _groups(tree):
        for node in group:
            yield node
            yield from _statements(node)


def _groups(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of a statement or module."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        group = getattr(tree, name, None)
        if isinstance(group, list):
            yield group


def _own_lines(node: ast.stmt) -> range:
    """The lines of a statement, without those of its blocks."""
    inner = [child.lineno for group in _groups(node) for child in group]
    return range(node.lineno, min(inner) if inner else (node.end_lineno or node.lineno) + 1)

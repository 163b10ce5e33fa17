"""The paths that a run did not take, and which of them may be why a program is refused.

a path                                      its key is where this stands
an arm of `if`, a loop, `try`, `match`      its first statement
what follows a statement that left          the first of these statements
the `else` that an `if` has not             the test
one side of `a if c else b`, `a or b`       that side
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from linecache import getline, getlines
from os.path import abspath

from adjointgen.errors import Span
from adjointgen.frontend.domain.untaken import Begins, Place, lies_in, place_of
from adjointgen.observe.notes import FileNotes, Notes
from adjointgen.records import dataclass

_LONG = 60
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Path:
    """A path that was not taken: what it begins with, and the function and statement it is of."""

    file: str
    key: Place
    begins: Begins
    function: Place
    owner: Place
    whole: Place
    said: str
    """What is taken to hold, for people."""


def paths_not_taken(notes: Notes) -> tuple[Path, ...]:
    """All paths of the functions that ran which were not taken, the outermost of nested ones."""
    return tuple(path for file in notes.files for path in _paths_in(file, notes.files[file]))


def grounds(paths: Sequence[Path], span: Span) -> Iterator[tuple[Path, ...]]:
    """Sets of paths without which a refusal at a place may not be one, the smallest first."""
    file = abspath(span.file)
    place = in_bytes(file, span)
    # A path that is not taken is looked for around the place; then where paths meet there.
    here = [p for p in paths if abspath(p.file) == file]
    if inside := [p for p in here if lies_in(place, p.whole)]:
        yield tuple(inside)
    if around := [p for p in here if lies_in(place, p.owner)]:
        inner = max(p.owner[:2] for p in around)
        yield tuple(p for p in around if p.owner[:2] == inner)
        yield tuple(around)
    if own := [p for p in here if lies_in(place, p.function)]:
        yield tuple(own)
    if here:
        yield tuple(here)
    yield tuple(paths)


def in_bytes(file: str, span: Span) -> Place:
    """The place of a span, whose columns count characters."""
    ends = ((span.line, span.column), (span.end_line, span.end_column))
    first, last = (len(getline(file, line)[:column].encode()) for line, column in ends)
    return span.line, first, span.end_line, last


def _paths_in(file: str, notes: FileNotes) -> Iterator[Path]:
    for node in functions_in("".join(getlines(file))):
        body = node.body if isinstance(node.body, list) else [node.body]
        if notes.ran_through_any(body):
            yield from _Function(file, notes, node).paths(body)


@lru_cache(maxsize=32)
def functions_in(text: str) -> tuple[_FunctionNode, ...]:
    """All functions in a text."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


class _Function:
    """The paths of one function, without those of functions in it."""

    def __init__(self, file: str, notes: FileNotes, node: ast.AST) -> None:
        self.file, self.notes, self.node = file, notes, node

    def paths(self, nodes: Sequence[ast.AST]) -> Iterator[Path]:
        """Those in nodes of which the first ran."""
        for k, node in enumerate(nodes):
            if k > 0 and not self.notes.entered(nodes[k:]):
                yield self._path(node, nodes[k - 1], nodes[k:], self._not_reached(node))
                return
            yield from self._inside(node)

    def _inside(self, node: ast.AST) -> Iterator[Path]:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            return
        for arm in _arms(node):
            if self.notes.entered(arm):
                yield from self.paths(arm)
            else:
                yield self._path(arm[0], node, arm, self._not_reached(arm[0]))
        if isinstance(node, ast.If) and not node.orelse and not self.notes.passed_by(node):
            said = f"{node.lineno}: no derivative where `{_shortened(node.test)}` fails"
            yield self._path(node.test, node, [node.test], said, "else")
        inner = {id(one) for arm in _arms(node) for one in arm}
        for child in ast.iter_child_nodes(node):
            if id(child) not in inner:
                yield from self._inside(child)

    def _not_reached(self, node: ast.AST) -> str:
        line: int = node.lineno  # type: ignore[attr-defined]
        return f"{line}: no derivative of the path to `{_shortened(node)}`"

    def _path(
        self,
        key: ast.AST,
        owner: ast.AST,
        whole: Sequence[ast.AST],
        said: str,
        begins: Begins | None = None,
    ) -> Path:
        places = [place for node in whole if (place := place_of(node)) is not None]
        first, function = place_of(key), place_of(self.node)
        assert first is not None and function is not None
        own = place_of(owner) or first
        begins = begins or ("statement" if isinstance(key, ast.stmt) else "expression")
        all_of_it = (*places[0][:2], *places[-1][2:])
        return Path(self.file, first, begins, function, own, all_of_it, said)


def _shortened(node: ast.AST) -> str:
    """The first line of a node's text, cut where it is long."""
    text = ast.unparse(node).partition("\n")[0]
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."


def _arms(node: ast.AST) -> Iterator[Sequence[ast.AST]]:
    """What may run or not, within a statement or an expression."""
    match node:
        case ast.If(body=body, orelse=other) | ast.While(body=body, orelse=other):
            yield from filter(None, (body, other))
        case ast.For(body=body, orelse=other):
            yield from filter(None, (body, other))
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
            yield from filter(None, (body, *(h.body for h in handlers), other, last))
        case ast.With(body=body):
            yield body
        case ast.Match(cases=cases):
            yield from (case.body for case in cases)
        case ast.IfExp(body=one, orelse=another):
            yield from ([one], [another])
        case ast.BoolOp(values=[_, *values]):
            yield from ([value] for value in values)

"""Directives by keyword: those of comments, for every statement of a function that they are about.

    grad(f, directives="recompute(t)")

    store(x), recompute(x)      the statements that compute x
    joint(g), split(g)          the statements that call g; without a name, those that call anything
    independent(i)              the loops over i; without a name, the outermost `for` loops

What a comment says of a statement has precedence.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from adjointgen.errors import SourceError
from adjointgen.frontend.source.source import Source
from adjointgen.ir.directives import CLAIM, OF_CALLS
from adjointgen.records import replace


def with_directives(source: Source, texts: Sequence[str]) -> Source:
    """The function with directives for all statements that they are about.

    Raises SourceError (AG012) for one that is about none.
    """
    asked: list[tuple[int, str]] = []
    for text in texts:
        word, _, name = text.rstrip(")").partition("(")
        found = [stmt for stmt in _statements(source.node) if _is_about(stmt, word, name)]
        if word == CLAIM and not name:
            found = [*_outermost(source.body)]
        if not found:
            _refuse(source, text, word, name)
        said = text if word not in (*OF_CALLS, CLAIM) else word
        asked += [(stmt.lineno, said) for stmt in found]
    return replace(source, asked=tuple(dict.fromkeys(asked))) if asked else source


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements of a function, without those of functions in it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child)


def _is_about(stmt: ast.stmt, word: str, name: str) -> bool:
    own = [*_own(stmt)]
    if word == CLAIM:
        return (
            isinstance(stmt, ast.For)
            and isinstance(stmt.target, ast.Name)
            and (stmt.target.id == name)
        )
    if word in OF_CALLS:
        calls = (n for n in own if isinstance(n, ast.Call))
        return any(not name or ast.unparse(call.func) == name for call in calls)
    targets = (n for n in own if isinstance(getattr(n, "ctx", None), ast.Store))
    return any(_base(target) == name for target in targets)


def _own(stmt: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement, without those of statements in it."""
    waiting: list[ast.AST] = [stmt]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (c for c in ast.iter_child_nodes(node) if not isinstance(c, ast.stmt))


def _base(node: ast.AST) -> str:
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _outermost(body: Sequence[ast.stmt]) -> Iterator[ast.For]:
    for stmt in body:
        if isinstance(stmt, ast.For):
            yield stmt
        elif not isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (c for c in ast.iter_child_nodes(stmt) if isinstance(c, ast.stmt))
            yield from _outermost([*inner])


def _refuse(source: Source, text: str, word: str, name: str) -> None:
    whats = {CLAIM: "has no `for` loop" + (f" over {name}" if name else "")}
    whats |= dict.fromkeys(OF_CALLS, f"calls no {name}" if name else "calls nothing")
    what = whats.get(word, f"computes no {name}")
    raise SourceError(
        f"{source.name} {what}, which {text!r} is about",
        code="AG012",
        span=source.span(source.node),
        source=source.text,
        help="name what the function has, or leave the directive out",
    )

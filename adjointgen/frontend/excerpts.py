"""Pieces of code that are copied: which names are in them, and where these stand.

    f"{n=}"     f"a {x}"        the text of `n` is shown, so it has to stay: f"n={n!r}"
                f"b {y}"        before Python 3.12 the parser may not know where `y` stands

Code with formatted strings like these is written anew from its syntax, which says the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from copy import deepcopy
from itertools import pairwise

from adjointgen.frontend.source import Source, lines_of

Offset = Callable[[ast.AST], int]


def holds_strings(node: ast.AST) -> bool:
    """Whether there are formatted strings in a node."""
    return any(isinstance(part, ast.JoinedStr) for part in ast.walk(node))


def is_placed(text: str, node: ast.AST, at: Offset) -> bool:
    """Whether names in formatted strings stand where their nodes say, and none shows itself."""
    for string in ast.walk(node):
        if not isinstance(string, ast.JoinedStr):
            continue
        for before, value in pairwise(string.values):
            if isinstance(before, ast.Constant) and isinstance(value, ast.FormattedValue):
                shown = str(before.value).rstrip()
                if shown.endswith("=") and shown[:-1].rstrip().endswith(ast.unparse(value.value)):
                    return False
        for part in ast.walk(string):
            if isinstance(part, ast.Name) and not text.startswith(part.id, at(part)):
                return False
    return True


def rewritten(node: ast.AST, names: Mapping[ast.expr, str]) -> tuple[str, ast.AST, Offset]:
    """The code written anew, with names for some of its parts: its text, its tree, and where a
    node of that stands in the text."""
    memo: dict[int, ast.AST] = {id(part): ast.Name(own, ast.Load()) for part, own in names.items()}
    text = ast.unparse(deepcopy(node, memo))
    tree = ast.parse(text)
    found: ast.AST = tree.body[0]
    if isinstance(node, ast.expr) and isinstance(found, ast.Expr):
        found = found.value
    lines = [line.encode() for line in text.split("\n")]

    def at(part: ast.AST) -> int:
        line, column = part.lineno - 1, part.col_offset  # type: ignore[attr-defined]
        above = sum(len(each.decode()) + 1 for each in lines[:line])
        return above + len(lines[line][:column].decode(errors="ignore"))

    return text, found, at


def read_by_entry(node: ast.AST) -> list[ast.expr]:
    """The names of which a node reads entries only."""
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Subscript)]


def bound_inside(node: ast.AST) -> frozenset[str]:
    """Names that comprehensions and lambdas inside bind for themselves."""
    names = {
        n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
    }
    names |= {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    caught = (n.name for n in ast.walk(node) if isinstance(n, ast.ExceptHandler | ast.MatchAs))
    return frozenset(names | {name for name in caught if name})


def offset(source: Source, outer: ast.AST, inner: ast.AST) -> int:
    """Where the text of a node starts in that of a node around it."""
    start, place = source.span(outer), source.span(inner)
    assert start is not None and place is not None
    lines = lines_of(source.text)[start.line - 1 : place.line - 1]
    return sum(len(line) + 1 for line in lines) + place.column - start.column

"""Helpers that generated modules carry with them, known again as the operations they came from.

A generated module contains the text of the helper under a leading underscore. It is recognised by
its syntax, not by its name alone, so a function of the user's that is called the same stays the
user's.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from adjointgen.frontend.source.source import Source
from adjointgen.rules.framework.table import TABLE

FOLDER = Path(__file__).parents[2] / "runtime"
OTHERS = {"caught": "caught.py", "outcome": "caught.py", "kept": "managers.py"}


def operation_of(source: Source) -> str | None:
    """The operation that a helper is, if it is one of these."""
    op = source.name.removeprefix("_")
    row = TABLE.get(op)
    file = row.runtime if row.has_derivative else OTHERS.get(op)
    if not file or not isinstance(source.node, ast.FunctionDef):
        return None
    return op if _shape(source.node) == _known(op, file) else None


@lru_cache
def _known(op: str, file: str) -> str:
    tree = ast.parse((FOLDER / file).read_text("utf-8"))
    functions = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == op)
    return next(map(_shape, functions))


def _shape(node: ast.FunctionDef) -> str:
    """The statements, without names of functions and annotations."""
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    names = [a.arg for a in node.args.args]
    return repr((names, [ast.dump(stmt) for stmt in body]))

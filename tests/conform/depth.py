"""How much of a test was lowered: the statements of its program, and those with copied text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from adjointgen.api.programs import apply_step
from adjointgen.ir.nodes import Apply, Function, Stmt, walk

COPIED = ("verbatim", "statement")


def copied(stmt: Stmt) -> int:
    """How many statements of the user's a statement holds as they were written."""
    if not (isinstance(stmt, Apply) and stmt.op in COPIED):
        return 0
    code = str(stmt.option("code")).strip()
    try:
        return max(1, sum(isinstance(n, ast.stmt) for n in ast.walk(ast.parse(code))))
    except SyntaxError:
        return 1


def depth(function: Function) -> dict[str, int]:
    """The statements of a program that were lowered, and those that were copied."""
    found = {"lowered": 0, "copied": 0}
    for one in (function, *function.callees):
        for stmt in walk(one.body):
            number = copied(stmt)
            found["copied"] += number
            found["lowered"] += number == 0 and getattr(stmt, "op", "") != "comment"
    return found


@contextmanager
def measured() -> Iterator[dict[str, int]]:
    """What the programs that are generated meanwhile are made of."""
    found: dict[str, int] = {}
    plain = apply_step.held

    def noting(function: Function) -> Function:
        made = plain(function)
        found.update(depth(made))
        return made

    with patch.object(apply_step, "held", noting):
        yield found

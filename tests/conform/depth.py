"""How much of a test was lowered: the statements of its program, and those with copied text."""

from __future__ import annotations

import ast


def statements_in(text: str) -> dict[str, int]:
    """How many statements a generated program has."""
    return {"statements": sum(isinstance(n, ast.stmt) for n in ast.walk(ast.parse(text)))}

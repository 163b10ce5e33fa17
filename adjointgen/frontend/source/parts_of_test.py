"""Expressions in the place of a test: `if a == b and c < d` asks each comparison for its truth."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def parts_of_test(node: ast.AST) -> Iterator[ast.AST]:
    """The expressions of whose value only the truth counts where a test is asked for its own."""
    yield node
    if isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from parts_of_test(part)

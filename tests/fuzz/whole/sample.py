"""Programs that, together, have every production: the first ones of the first seeds that do."""

import ast
from collections.abc import Iterator

from tests.fuzz.whole.asdl import productions, required
from tests.fuzz.whole.draw import Whole, draw

MOST = 3000


def covering() -> Iterator[tuple[Whole, set[str]]]:
    """Programs with what is new in each; nothing is new in those that are left out."""
    missing = required()
    for seed in range(MOST):
        program = draw(seed)
        new = missing & productions(function(program))
        if new:
            missing -= new
            yield program, new
        if not missing:
            return
    raise AssertionError(f"no program has {sorted(missing)}")


def function(program: Whole) -> ast.AST:
    """The tree of a program's function."""
    (found,) = (
        node
        for node in ast.parse(program.source).body
        if isinstance(node, ast.FunctionDef) and node.name == "f"
    )
    return found

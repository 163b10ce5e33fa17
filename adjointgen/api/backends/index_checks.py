"""Compiled functions that compare every index with the length of its axis, as Python does.

    # Every index is compared with the length of its axis.
    def f_adjoint(x, k, y_bar):                  jit(f_adjoint, boundscheck=True)
        ...

The text says which these are, so that what is kept on disk is compiled in the same way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from adjointgen.ir.nodes import Function

CHECKED: Final = "# Every index is compared with the length of its axis."


def names_of(functions: Sequence[Function]) -> frozenset[str]:
    """The functions of programs whose indices are compared."""
    every = (each for function in functions for each in (function, *function.callees))
    return frozenset(function.name for function in every if function.checked)


def marked(text: str, functions: Sequence[Function]) -> str:
    """The text of a program with a line above each such function."""
    names = names_of(functions)
    return with_lines(text, lambda name: CHECKED if name in names else "") if names else text


def with_lines(text: str, above: Callable[[str], str]) -> str:
    """The text with a line above every function for which there is one, by its name."""
    lines = text.split("\n")
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and (line := above(node.name)):
            lines.insert(node.lineno - 1, line)
    return "\n".join(lines)


def checked_in(lines: Sequence[str]) -> frozenset[str]:
    """The names of such functions in the lines of a program."""
    return frozenset(
        after.removeprefix("def ").partition("(")[0]
        for line, after in pairwise(lines)
        if line.rstrip("\n") == CHECKED
    )

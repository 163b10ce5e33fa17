"""Paths that a program is not made for, by the place and the kind of what they begin with."""

from __future__ import annotations

import ast
import os
from collections.abc import Mapping
from typing import Literal

from adjointgen.records import dataclass, field

Begins = Literal["statement", "expression", "else"]
"""With a statement, an expression, or the failed test of an `if` without `else`."""
Place = tuple[int, int, int, int]
"""First line, first column, last line, last column; columns in bytes."""
Key = tuple[str, Place, Begins]


def place_of(node: ast.AST) -> Place | None:
    """Where a node stands."""
    names = ("lineno", "col_offset", "end_lineno", "end_col_offset")
    place = tuple(getattr(node, name, None) for name in names)
    return None if None in place else place  # type: ignore[return-value]


def lies_in(inner: Place, outer: Place) -> bool:
    """Whether one place is within another."""
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


@dataclass(slots=True)
class Untaken:
    """The paths, each with what the exception says in which the program ends there.

    `ends` are nodes that stand for paths without a node, `changed` the statements that have them.
    """

    said: Mapping[Key, str] = field(default_factory=dict)
    ends: dict[ast.AST, str] = field(default_factory=dict)
    changed: dict[ast.stmt, ast.stmt] = field(default_factory=dict)

    def of(self, file: str, node: ast.AST, begins: Begins) -> str:
        """What is said where a path begins with a node; empty where none does."""
        place = place_of(node)
        return self.said.get((os.path.abspath(file), place, begins), "") if place else ""

    def __bool__(self) -> bool:
        return bool(self.said)

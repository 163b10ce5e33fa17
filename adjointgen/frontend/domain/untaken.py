"""What a program takes to hold, by place in the text.

A path is not taken that begins in a certain way; a value has the kind that it had in one run; code
runs as it stands.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final, Literal

from adjointgen.records import dataclass, field

Begins = Literal["statement", "expression", "else"]
"""With a statement, an expression, or the failed test of an `if` without `else`."""
COPIED: Final = "copied"
"""A statement or expression that runs as it stands."""
CALLS: Final = "", (0, 0, 0, 0), "calls"
"""That functions which are given no float are called as they stand, where they are refused."""
KIND: Final = "kind "
"""What stands before the kind that the value of an expression is taken to have."""
TEXT: Final = "text "
"""What stands before the text that a value is, in place of its kind."""
NUMBER: Final = "number "
"""The same for an integer, which is one in addition to its kind."""
LENGTHS: Final = "lengths "
"""The same for the shape of an array, how many entries a list has, or the keys of a dict:
`lengths (3, 2)`, `lengths ('a', 'b')`."""
NAMED: Final = "named "
"""The same for a function, a class or an entry of an enumeration, by module and name."""
OUTCOME: Final = "outcome"
"""A test that goes the way that it went in one run, in each call and iteration."""
Place = tuple[int, int, int, int]
"""First line, first column, last line, last column; columns in bytes."""
Key = tuple[str, Place, str]
"""The file, the place, and how a path begins, or the kind of a value: `kind float`."""
Asked = tuple[tuple[int, ...], frozenset[tuple[str, int, int]], bool]
"""Where a test was asked, and what was found: the lines of the calls that lead there, and the
iterations of loops, each with its file and line."""
Outcomes = Mapping[tuple[str, Place], Sequence[Asked]]
"""Which way tests went, by file and place."""


@dataclass(slots=True)
class Lowered:
    """How many expressions have been lowered so far for a call, and the files of their text."""

    expressions: int = 0
    files: set[str] = field(default_factory=set)


class Assumed(dict[Key, str]):
    """What is taken to hold, and what the exception says in which a program ends where it does not.

    With the outcomes of the tests that go as in one run, and what has been `lowered` so far.
    """

    outcomes: Outcomes = MappingProxyType({})

    def __init__(self) -> None:
        super().__init__()
        self.lowered = Lowered()


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken to hold of an expression, or that code runs as it stands: `begins` as in a key,
    and what is said of it, for people."""

    file: str
    key: Place
    begins: str
    said: str = ""


def found(module: str, path: str) -> object:
    """What a module that is loaded has under a dotted name; None where it has nothing."""
    value: object = sys.modules.get(module)
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def _is_within(lines: Sequence[int], calls: Sequence[int]) -> bool:
    """Whether some of the calls are at these lines, in this order."""
    left = iter(calls)
    return all(line in left for line in lines)


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
    """The paths and kinds, each with what the exception says in which the program ends there.

    `ends` are nodes that stand for paths without a node, `changed` the statements that have them.
    `within` are the places that are being copied: a part may stand at the place of its whole.
    """

    said: Mapping[Key, str] = field(default_factory=dict)
    ends: dict[ast.AST, str] = field(default_factory=dict)
    changed: dict[ast.stmt, ast.stmt] = field(default_factory=dict)
    within: list[tuple[str, Place | None]] = field(default_factory=list)
    _kinds: dict[tuple[str, Place, bool], str] | None = None
    _copied: frozenset[Place] | None = None

    def of(self, file: str, node: ast.AST, begins: Begins) -> str:
        """What is said where a path begins with a node; empty where none does."""
        place = place_of(node)
        return self.said.get((os.path.abspath(file), place, begins), "") if place else ""

    def is_copied(self, file: str, node: ast.AST) -> bool:
        """Whether a statement or expression runs as it stands."""
        if self._copied is None:
            self._copied = frozenset(key[1] for key in self.said if key[2] == COPIED)
        place = place_of(node) if self._copied else None
        if place not in self._copied or (file, place) in self.within:
            return False
        return (os.path.abspath(file), place, COPIED) in self.said

    @contextmanager
    def copying(self, file: str, node: ast.AST) -> Iterator[None]:
        """Within an expression that is copied."""
        self.within.append((file, place_of(node)))
        try:
            yield
        finally:
            self.within.pop()

    def kind_of(self, file: str, node: ast.AST) -> tuple[str, str] | None:
        """The kind that the value of an expression is taken to have, and what is said else."""
        return self._of(file, node, False)

    def lengths_of(self, file: str, node: ast.AST) -> tuple[str, str] | None:
        """The same for the lengths, as text."""
        return self._of(file, node, True)

    def _of(self, file: str, node: ast.AST, lengths: bool) -> tuple[str, str] | None:
        if self._kinds is None:
            kinds = (key for key in self.said if key[2].startswith(KIND))
            self._kinds = {(*key[:2], key[2].startswith(KIND + LENGTHS)): key[2] for key in kinds}
        place = place_of(node) if self._kinds else None
        kind = self._kinds.get((os.path.abspath(file), place, lengths)) if place else None
        if place is None or kind is None:
            return None
        said = self.said[os.path.abspath(file), place, kind]
        return kind.removeprefix(KIND).removeprefix(LENGTHS), said

    def outcome(
        self, file: str, node: ast.AST, lines: Sequence[int], loops: Iterable[tuple[str, int, int]]
    ) -> tuple[bool, str] | None:
        """Which way a test is taken to go, and what is said else; None where that is not known."""
        place, file = place_of(node), os.path.abspath(file)
        said = self.said.get((file, place, OUTCOME), "") if place else ""
        if place is None or not said or not isinstance(self.said, Assumed):
            return None
        wanted = {(os.path.abspath(name), line, count) for name, line, count in loops}
        found = {
            went
            for calls, known, went in self.said.outcomes.get((file, place), ())
            if wanted <= known and _is_within(lines, calls)
        }
        return (found.pop(), said) if len(found) == 1 else None

    def count(self) -> None:
        """Count one expression."""
        if isinstance(self.said, Assumed):
            self.said.lowered.expressions += 1

    def note(self, file: str) -> None:
        """Note the file of a statement."""
        if isinstance(self.said, Assumed):
            self.said.lowered.files.add(file)

    @property
    def has_outcomes(self) -> bool:
        """Whether tests are taken to go as in one run."""
        return isinstance(self.said, Assumed) and bool(self.said.outcomes)

    @property
    def calls(self) -> bool:
        """Whether functions are called as they stand that are given no float."""
        return CALLS in self.said

    def __bool__(self) -> bool:
        return bool(self.said)

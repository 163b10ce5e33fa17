"""What the names of a program stand for at one point of it, and what is in their storage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Lazy,
    Ref,
    Seq,
    Struct,
    Whole,
    Zipped,
    parts_of,
)
from adjointgen.ir.nodes import Operand, Value
from adjointgen.records import dataclass, field

Key = tuple[int, str]

# A name of the frame that is over; no Python name looks like this.
OVER = "%over"
_WHOLES = (Seq, Struct, Zipped, Lazy)
MANY = 2000
"""The most structures that are searched for a value."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What does not change about a storage cell: its name, and whether it is contiguous.

    `module` is the text of an array of the module that it is, or may be.
    """

    root: str
    contiguous: bool = False
    module: str = ""


@dataclass(slots=True)
class State:
    """What the names stand for at one point of the program.

    `tangled` cells may share storage with others depending on the path taken, for the reason given:
    they can be read and no longer written. `reads` remembers what a view showed of a version. A
    `dead` state is past a `raise`. `lent` cells are in objects of which nothing is known.
    """

    names: dict[Key, Abstract] = field(default_factory=dict)
    cells: dict[int, Operand | Whole] = field(default_factory=dict)
    tangled: dict[int, str] = field(default_factory=dict)
    reads: dict[tuple[Ref, Operand], Value] = field(default_factory=dict)
    dead: bool = False
    lent: frozenset[int] = frozenset()

    def fork(self) -> State:
        names, cells = dict(self.names), dict(self.cells)
        return State(names, cells, dict(self.tangled), dict(self.reads), self.dead, self.lent)

    def holds(self, value: Value) -> bool:
        """Whether a structure that is still read has, or may have, a value among its entries."""
        # Few names stand for structures, and this is asked for every name: quickly, then.
        stack: list[Any] = [v for v in self.cells.values() if isinstance(v, _WHOLES)]
        for key, v in self.names.items():
            if v.__class__ in _WHOLES and not key[1].startswith(OVER):
                stack.append(v)
        searched = 0
        while stack:
            searched += 1
            if searched > MANY:
                return True
            for item in parts_of(stack.pop()):
                if item == value:
                    return True
                if isinstance(item, _WHOLES):
                    stack.append(item)
        return value in self.reads.values()


def tangle(tangled: dict[int, str], more: Mapping[int, str]) -> None:
    """Add reasons; one that forbids writing stays."""
    for cell, reason in more.items():
        tangled[cell] = tangled.get(cell) or reason

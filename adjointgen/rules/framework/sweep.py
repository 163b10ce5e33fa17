"""What a row's `reverse` may ask of a sweep that holds an adjoint for each value.

Most rows say what their operands get, and `pull` adds it. Rows that write to a part of an array, or
that hand an array on, change the adjoint that stands there instead of making another, which a
reverse sweep alone can tell.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.rules.framework.builder import Builder


class Sweep(Protocol):
    """A reverse sweep at one statement.

    `bars` are the adjoints so far, by the names of their values. `fresh` are the stores that
    overwrite nothing active. `chosen` has the statements of those adjoints that are zero where a
    test does not hold.
    """

    builder: Builder
    bars: dict[str, Operand]
    fresh: Collection[str]
    chosen: dict[str, Apply]

    def active(self, operand: Operand) -> bool:
        """Whether the operand has an adjoint."""

    def primal(self, operand: Operand) -> Operand:
        """What holds a value of the program here."""

    def bar_or_zero(self, operand: Value) -> Operand:
        """The adjoint so far, or a zero."""

    def contribute(self, operand: Operand, bar: Operand, fits: bool = False) -> None:
        """`operand_bar += bar`, first fitted to the type of the operand."""

    def hand(self, operand: Operand, bar: Operand) -> None:
        """`operand_bar += bar` for the adjoint of the same value under another name."""

    def define(self, operand: Operand, bar: Operand) -> None:
        """`operand_bar = bar`, which includes what it was so far."""


def bar_root(operand: Value) -> str:
    """`y_bar` for a version of the variable `y`, nothing for a temporary."""
    return f"{operand.root}_bar" if operand.root else ""

"""How tightly Python's operators bind.

One total order of binding strengths decides, for an expression in a slot of another,

    parentheses  <=>  its level < the level that the slot demands.

The order is that of the operator table in the Python language reference (section 6.17), with the
slots read off the grammar (chapter 10).  What prints trees and what rewrites the user's own text
both ask this file, so that there is one answer.
"""

from enum import IntEnum
from typing import Final


class Level(IntEnum):
    """Binding strength, loosest first."""

    LOOSE = 0  # walrus, yield, bare tuple, bare generator
    LAMBDA = 1
    TEST = 2  # conditional expression
    OR = 3
    AND = 4
    NOT = 5
    COMPARISON = 6
    BIT_OR = 7
    BIT_XOR = 8
    BIT_AND = 9
    SHIFT = 10
    SUM = 11
    TERM = 12
    UNARY = 13
    POWER = 14
    AWAIT = 15
    PRIMARY = 16  # attribute, subscript, call
    ATOM = 17


INFIX: Final = {
    "or": Level.OR,
    "and": Level.AND,
    "|": Level.BIT_OR,
    "^": Level.BIT_XOR,
    "&": Level.BIT_AND,
    "<<": Level.SHIFT,
    ">>": Level.SHIFT,
    "+": Level.SUM,
    "-": Level.SUM,
    "*": Level.TERM,
    "/": Level.TERM,
    "//": Level.TERM,
    "%": Level.TERM,
    "@": Level.TERM,
    "**": Level.POWER,
}
"""The levels of the binary and boolean operators."""


def operand_levels(own: Level) -> tuple[Level, Level]:
    """The least levels of the left and right operand of an operator of this level.

    Arithmetic is left-associative and not associative in floating point, so the right operand
    must bind more tightly; ``and`` and ``or`` are associative and keep no parentheses; the
    exponent of ``**`` is a factor, which admits a unary minus.
    """
    if own is Level.POWER:
        return Level.AWAIT, Level.UNARY
    if own is Level.OR or own is Level.AND:
        return own, own
    return own, Level(own + 1)


OPERANDS: Final = {operator: operand_levels(own) for operator, own in INFIX.items()}
"""The least levels of the operands of the binary and boolean operators."""

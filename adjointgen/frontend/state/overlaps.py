"""Whether two views of one array may have an entry in common.

y[0], y[1]      y[:3], y[3:]      no
y[:n], y[n:]                      no, whatever n is
y, y[1:]          y[i], y[j]      perhaps
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from adjointgen.frontend.domain.abstract_values import Ref, Step
from adjointgen.ir.nodes import Const, Operand, Value

Bounds = tuple[Operand | int | None, Operand | int | None]
"""Of the first axis: from where, and up to where; None for its ends."""


def overlapping(pairs: Iterable[tuple[Ref, Ref]]) -> bool:
    """Whether any of these are two ways to see one entry."""
    return any(_may_overlap(one, other) for one, other in pairs)


def _may_overlap(one: Ref, other: Ref) -> bool:
    """Whether what is written through one may be seen through the other."""
    if one.cell != other.cell:
        return False
    for a, b in zip_longest(one.steps, other.steps):
        if a != b:
            return a is None or b is None or not _apart(_bounds(a), _bounds(b))
    return True


def _apart(one: Bounds | None, other: Bounds | None) -> bool:
    if one is None or other is None:
        return False
    return _is_up_to(one[1], other[0]) or _is_up_to(other[1], one[0])


def _is_up_to(stop: Operand | int | None, start: Operand | int | None) -> bool:
    """Whether nothing before `stop` is at `start` or after it."""
    if stop is None or start is None:
        return False
    if isinstance(stop, int) and isinstance(start, int):
        return stop <= start and (stop < 0) == (start < 0)
    return stop == start


def _bound(text: str, operands: Iterator[Operand]) -> Operand | int | None:
    if text != "_":
        return int(text) if text.lstrip("-").isdecimal() else None
    operand = next(operands)
    known = operand.value if isinstance(operand, Const) else operand
    return known if isinstance(known, Value | int) else None


def _bounds(step: Step) -> Bounds | None:
    """What a step takes of the first axis, in steps forwards; None where that is not known."""
    first = str(dict(step.options).get("index", "...")).split(", ")[0]
    operands = iter(step.args)
    found = [_bound(text, operands) for text in first.split(":")]
    if len(found) == 1:
        number = found[0]
        return (number, number + 1) if isinstance(number, int) and number >= 0 else None
    return (found[0], found[1]) if len(found) == 2 else None

"""The `range` of a loop, forwards and backwards.

The indices of `range(a, b, s)` in reverse order are `range(b - 1, a - 1, -1)` for `s = 1` and
`range(b + 1, a + 1)` for `s = -1`; the general case is `reversed(range(a, b, s))`. Where nothing
reads the index, its order does not matter, and a loop counts up.
"""

from __future__ import annotations

from typing import Protocol

from adjointgen.emit import PRANGE
from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.expression_trees import binary, call, literal, name
from adjointgen.emit.syntax.tree import Expression
from adjointgen.ir.nodes import Apply, Const, Loop, Operand


class Prints(Protocol):
    """What is needed of the printer of operands."""

    modules: Modules

    def operand(self, operand: Operand) -> Expression: ...
    def operation(self, operand: Operand) -> Apply | None: ...


def range_of(printer: Prints, loop: Loop, is_read: bool) -> Expression:
    """The iterable of a loop over integers; whether its index is read."""
    start, stop, step = loop.bounds
    unit = number(step)
    if not loop.backwards or (unit != -1 and not is_read):
        if unit != 1:
            return _range(*map(printer.operand, loop.bounds))
        bounds = [printer.operand(b) for b in (start, stop)[number(start) == 0 :]]
        if not loop.parallel:
            return _range(*bounds)
        printer.modules.used.add(f"numba.{PRANGE}")
        return call(name(PRANGE), bounds)
    if unit == 1:
        return _range(shifted(printer, stop, -1), shifted(printer, start, -1), literal(-1))
    if unit == -1:
        first = shifted(printer, stop, 1)
        last = shifted(printer, start, 1)
        return _range(last) if number(stop) == -1 else _range(first, last)
    return call(name("reversed"), [_range(*map(printer.operand, loop.bounds))])


def _range(*bounds: Expression) -> Expression:
    return call(name("range"), bounds)


def number(operand: Operand) -> int | None:
    """The integer that an operand is, or None."""
    value = operand.value if isinstance(operand, Const) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def shifted(printer: Prints, operand: Operand, by: int) -> Expression:
    """`operand + by`, with constants added up: `n - 1` shifted by 1 is `n`."""
    value = number(operand)
    if value is not None:
        return literal(value + by)
    stmt = printer.operation(operand)
    if stmt is not None and stmt.op in ("add", "sub"):
        left, right = stmt.args
        offset = number(right)
        if offset is not None:
            return _plus(printer.operand(left), by + (offset if stmt.op == "add" else -offset))
    return _plus(printer.operand(operand), by)


def _plus(text: Expression, by: int) -> Expression:
    if by == 0:
        return text
    return binary("+" if by > 0 else "-", text, literal(abs(by)))

"""Whole numbers that are certainly not negative: an index among them names its entry alone.

`a[-1]` and `a[n - 1]` are one entry, so that indices which may be negative tell nothing apart.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from adjointgen.ir.nodes import Apply, Const, Function, Loop, Operand, walk
from adjointgen.targets.loops.build.op_classes import is_count


def counting(function: Function) -> frozenset[str]:
    """The names of the whole numbers of a function that are certainly not negative."""
    least: dict[str, int] = {}
    for stmt in walk(function.body):
        match stmt:
            case Loop():
                low = _first(stmt, least)
                if low is not None:
                    least[stmt.index.name] = low
            case Apply(results=(result,)):
                low = _least(stmt, least)
                if low is not None:
                    least[result.name] = low
    return frozenset(name for name, low in least.items() if low >= 0)


def begins(loop: Loop, counts: Container[str]) -> bool:
    """Whether no index of a loop is negative."""
    start, stop, step = loop.bounds
    if not isinstance(step, Const) or not isinstance(step.value, int):
        return False
    if step.value > 0:
        return is_count(start, counts)
    return is_count(stop, counts) or (isinstance(stop, Const) and stop.value == -1)


def _first(loop: Loop, least: Mapping[str, int]) -> int | None:
    """A number that no index of a loop is below."""
    start, stop, step = loop.bounds
    if not isinstance(step, Const) or not isinstance(step.value, int) or step.value == 0:
        return None
    if step.value > 0:
        return _bound(start, least)
    low = _bound(stop, least)
    return None if low is None else low + 1


def _bound(operand: Operand, least: Mapping[str, int]) -> int | None:
    """A number that an operand is not below."""
    if isinstance(operand, Const):
        plain = isinstance(operand.value, int) and not isinstance(operand.value, bool)
        return int(str(operand.value)) if plain else None
    known = operand.type.value
    if known is not None and (not known.symbol or "." in known.symbol):
        return known.offset
    return least.get(operand.name)


def _least(stmt: Apply, least: Mapping[str, int]) -> int | None:
    """A number that what a statement computes is not below."""
    if stmt.op == "dim":
        return 0
    if stmt.op == "max":
        known = [low for low in (_bound(a, least) for a in stmt.args) if low is not None]
        return max(known, default=None)
    match [_bound(a, least) for a in stmt.args], stmt.args:
        case [int(a), int(b)], _ if stmt.op == "add":
            return a + b
        case [int(a), int(b)], _ if stmt.op == "min":
            return min(a, b)
        case [int(a), int(b)], _ if stmt.op == "mul" and a >= 0 and b >= 0:
            return a * b
        case [int(a), _], (_, Const(value=int(by))) if stmt.op == "sub":
            return a - by
        case [first, _], (_, Const(value=int(by))) if stmt.op in ("floordiv", "mod") and by > 0:
            return 0 if stmt.op == "mod" or (first is not None and first >= 0) else None
    return None

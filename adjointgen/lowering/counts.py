"""Whole numbers that are certainly not negative: an index among them names its entry alone.

`a[-1]` and `a[n - 1]` are one entry, so that indices which may be negative tell nothing apart.
"""

from __future__ import annotations

from collections.abc import Container

from adjointgen.ir.nodes import Apply, Const, Function, Loop, walk
from adjointgen.lowering.kinds import is_count


def counting(function: Function) -> frozenset[str]:
    """The names of the whole numbers of a function that are certainly not negative."""
    found: set[str] = set()
    for stmt in walk(function.body):
        match stmt:
            case Loop() if begins(stmt, found):
                found.add(stmt.index.name)
            case Apply(results=(result,)) if _counts(stmt, found):
                found.add(result.name)
    return frozenset(found)


def begins(loop: Loop, counts: Container[str]) -> bool:
    """Whether no index of a loop is negative."""
    start, stop, step = loop.bounds
    if not isinstance(step, Const) or not isinstance(step.value, int):
        return False
    if step.value > 0:
        return is_count(start, counts)
    return is_count(stop, counts) or (isinstance(stop, Const) and stop.value == -1)


def _counts(stmt: Apply, counts: Container[str]) -> bool:
    match stmt:
        case Apply(op="dim"):
            return True
        case Apply(op="add" | "mul" | "min", args=args):
            return all(is_count(a, counts) for a in args)
        case Apply(op="max", args=args):
            return any(is_count(a, counts) for a in args)
        case Apply(op="floordiv" | "mod", args=(first, Const(value=int(by)))):
            return by > 0 and (stmt.op == "mod" or is_count(first, counts))
    return False

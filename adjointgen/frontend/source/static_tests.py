"""Tests in a module that is only read: which way they go on every machine.

    if FAST:   if MODE == "fast":   if TYPE_CHECKING:   if sys.version_info >= (3, 9):

A module is read as one that is imported, so it is not `__main__`. Of Python's version it is known
that it is at least the oldest one that is supported.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from adjointgen.frontend.domain.constant_fold import evaluate

OLDEST: Final = (3, 11)
UNKNOWN: Final = object()
"""What stands for a value that is not known."""
Value = object
_CONSTANTS: Final = (bool, int, float, str, type(None), tuple)


def decided(test: ast.expr, name: Callable[[str], Value]) -> bool | None:
    """Whether a test holds; None where that is not known."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            held = decided(inner, name)
            return None if held is None else not held
        case ast.BoolOp(op=op, values=values):
            ends = isinstance(op, ast.Or)
            held_ones = [decided(value, name) for value in values]
            if ends in held_ones:
                return ends
            return None if None in held_ones else not ends
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return False
        case ast.Compare(left=ast.Attribute(attr="version_info"), ops=[op], comparators=[other]):
            return _version(op, evaluate(other, name))
        case ast.Compare(left=left, ops=[op], comparators=[other]):
            return _compared(op, evaluate(left, name), evaluate(other, name))
    value = evaluate(test, name)
    return bool(value) if isinstance(value, _CONSTANTS) else None


def _version(op: ast.cmpop, other: Any) -> bool | None:
    known = isinstance(other, tuple) and all(isinstance(part, int) for part in other)
    if not known or other > OLDEST:
        return None
    match op:
        case ast.GtE():
            return True
        case ast.Lt():
            return False
    return None


def _compared(op: ast.cmpop, a: Any, b: Any) -> bool | None:
    if not (_is_plain(a) and _is_plain(b)):
        return None
    try:
        match op:
            case ast.Eq():
                return bool(a == b)
            case ast.NotEq():
                return bool(a != b)
            case ast.Lt():
                return bool(a < b)
            case ast.LtE():
                return bool(a <= b)
            case ast.Gt():
                return bool(a > b)
            case ast.GtE():
                return bool(a >= b)
            case ast.Is() if a is None or b is None:
                return a is b
            case ast.IsNot() if a is None or b is None:
                return a is not b
    except TypeError:
        return None
    return None


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_plain, value))
    return isinstance(value, bool | int | float | str) or value is None

"""Arithmetic on the constants of a module that is only read, where it is certain to be small."""

from __future__ import annotations

import ast
from collections.abc import Callable


def arithmetic(op: ast.operator, a: object, b: object) -> object:
    if not (isinstance(a, int | float) and isinstance(b, int | float)):
        return object()
    try:
        match op:
            case ast.Add():
                return a + b
            case ast.Sub():
                return a - b
            case ast.Mult():
                return a * b
            case ast.Div():
                return a / b
            case ast.FloorDiv():
                return a // b
            case ast.Pow() if abs(b) < 64 and abs(a) < 1e6:
                return a**b
    except (ZeroDivisionError, OverflowError):
        return object()
    return object()


def evaluate(node: ast.expr, name: Callable[[str], object]) -> object:
    """The value of a constant expression, or a fresh object for what is none."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Tuple(elts=elts):
            return tuple(evaluate(e, name) for e in elts)
        case ast.Name(id=own):
            return name(own)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = evaluate(operand, name)
            return -inner if isinstance(inner, int | float | complex) else object()
        case ast.BinOp(left=left, op=op, right=right):
            return arithmetic(op, evaluate(left, name), evaluate(right, name))
    return object()


def number(node: ast.expr) -> int | float | None:
    """The value of an expression of nothing but literal numbers."""
    found = evaluate(node, lambda _: object())
    known = isinstance(found, int | float) and not isinstance(found, bool)
    return found if known else None  # type: ignore[return-value]

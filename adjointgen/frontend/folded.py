"""Arithmetic on the constants of a module that is only read, where it is certain to be small."""

from __future__ import annotations

import ast


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


def number(node: ast.expr) -> int | float | None:
    """The value of an expression of nothing but literal numbers."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = number(operand)
            return None if inner is None else -inner
        case ast.BinOp(left=left, op=op, right=right):
            found = arithmetic(op, number(left), number(right))
            return found if isinstance(found, int | float) else None
    return None

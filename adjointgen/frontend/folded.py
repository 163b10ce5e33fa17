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

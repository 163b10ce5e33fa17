"""Algebraic simplification, to what a person would write: `-a * b`, `2.0 * x`, `x / b`, `a - b`.

Signs move to the leftmost factor, and from there into the sum that the product is added to;
constants meet in front of a product. They are computed only where the result is exact, so that
`0.1 + 0.2` does not become `0.30000000000000004`. A zero may change its sign; nothing that may be
infinite or NaN is dropped (`0.0 * x` stays). What changes a rounding is in
`reassociation.py`. (Muchnick 1997, section 12.3.)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.optimize.rewrites.rewrite_context import (
    Context,
    Rewrite,
    Term,
    identical,
    literal,
    number,
    rank,
    term,
)
from adjointgen.rules.framework.builder import const

_FOLDED: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "neg": operator.neg,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
_LARGEST = 2**63


def constants(stmt: Apply, context: Context) -> Operand | None:
    """`2 - 1` is `1`, where Python's arithmetic is exact."""
    values = [number(a) for a in stmt.args]
    known = [v for v in values if v is not None]
    if len(known) < len(values) or any(a.type.kind != "scalar" for a in stmt.args):
        return None
    value = exactly(stmt.op, *known)
    return None if value is None else const(value)


def exactly(op: str, *values: int | float) -> int | float | bool | None:
    """The result, or None where it is rounded, out of range or not defined."""
    if not all(map(math.isfinite, values)) or (op == "pow" and not _small_power(*values)):
        return None
    if op in ("div", "floordiv", "mod") and values[-1] == 0:
        return None
    try:
        value = _FOLDED[op](*values)
    except OverflowError:
        return None
    if isinstance(value, bool):
        return value
    if not math.isfinite(value) or abs(value) >= _LARGEST:
        return None
    return value if _FOLDED[op](*map(Fraction, values)) == Fraction(value) else None


def _small_power(base: int | float, exponent: int | float) -> bool:
    return isinstance(exponent, int) and 0 <= exponent <= 64


def known_integer(stmt: Apply, context: Context) -> Operand | None:
    """An integer that its type knows: `dim(x)` of an array of three is `3`."""
    type = stmt.result.type
    if type.dtype == "int64" and type.is_scalar and type.value is not None:
        return None if type.value.known is None else const(type.value.known)
    return None


def product_of_one(stmt: Apply, context: Context) -> Operand | Term | None:
    """`1.0 * x` is `x`, `-1.0 * x` is `-x`, and `x * c` is `c * x`."""
    a, b = stmt.args
    if number(b) is not None and number(a) is None:
        return term("mul", b, a)
    match number(a):
        case 1:
            return b
        case -1:
            return term("neg", b)
    return None


def product_of_constants(stmt: Apply, context: Context) -> Term | None:
    """`c * (d * x)`, `c * (d / x)` and `c * -x` have one constant."""
    a, b = stmt.args
    c = number(a)
    inner = context.known(b, "mul", "neg") or context.own(b, "div")
    if c is None or inner is None:
        return None
    factor = -1 if inner.op == "neg" else number(inner.args[0])
    value = None if factor is None else exactly("mul", c, factor)
    if value is None:
        return None
    if inner.op == "div":
        return term("div", literal(value, a.type), inner.args[1])
    return term("mul", literal(value, a.type), inner.args[-1])


def signs_of_product(stmt: Apply, context: Context) -> Term | None:
    """`-a * -b` is `a * b`, `a * -b` is `-a * b`, and so for `/`; a bool has no sign."""
    a, b = stmt.args
    left, right = context.known(a, "neg"), context.known(b, "neg")
    if left is not None and right is not None:
        return term(stmt.op, left.args[0], right.args[0])
    if right is None or context.own(b, "neg") is None:
        return None
    if rank(a) <= rank(right.args[0]) and a.type.dtype != "bool":
        return term(stmt.op, term("neg", a), right.args[0])
    return term("mul", b, a) if stmt.op == "mul" else None


def quotient_by_one(stmt: Apply, context: Context) -> Operand | Term | None:
    """`x / 1` is `x`, `x / -1` is `-x`, and `c * x / d` has one constant."""
    a, b = stmt.args
    divisor = number(b)
    if divisor in (1, -1):
        return a if divisor == 1 else term("neg", a)
    inner = None if divisor is None else context.known(a, "mul")
    c = None if inner is None else number(inner.args[0])
    if inner is None or c is None or divisor is None:
        return None
    value = exactly("div", c, divisor)
    return None if value is None else term("mul", const(value), inner.args[1])


def negation(stmt: Apply, context: Context) -> Operand | Term | None:
    """`-(-x)` is `x`, `-(a - b)` is `b - a`, `-(a * b)` is `-a * b`, and so for `/`."""
    (a,) = stmt.args
    opposite = context.known(a, "neg")
    if opposite is not None:
        return opposite.args[0]
    inner = context.own(a, "sub", "mul", "div")
    if inner is None:
        return None
    p, q = inner.args
    if inner.op == "sub":
        return term("sub", q, p)
    if inner.op == "mul" and (rank(q) < rank(p) or p.type.dtype == "bool"):
        p, q = q, p
    return None if p.type.dtype == "bool" else term(inner.op, term("neg", p), q)


def sum_with_zero(stmt: Apply, context: Context) -> Operand | Term | None:
    """`x + 0` and `x - 0` are `x`, `0 - x` is `-x`."""
    a, b = stmt.args
    if number(b) == 0:
        return a
    if number(a) == 0:
        return b if stmt.op == "add" else term("neg", b)
    return None


def shifted_integer(stmt: Apply, context: Context) -> Operand | Term | None:
    """`k - 1 - 1` is `k - 2`, also where the user has written the first of them.

    Not in an open adjoint, where `k` would be the index of another loop.
    """
    a, step = stmt.args[0], number(stmt.args[1])
    inner = context.standing(a, "add", "sub")
    first = None if inner is None else number(inner.args[1])
    if inner is None or not isinstance(step, int) or not isinstance(first, int):
        return None
    if stmt.result.type.dtype != "int64" or not stmt.result.type.is_scalar:
        return None
    moved = (step if stmt.op == "add" else -step) + (first if inner.op == "add" else -first)
    if moved == 0:
        return inner.args[0]
    return term("add" if moved > 0 else "sub", inner.args[0], const(abs(moved)))


def sum_of_multiples(stmt: Apply, context: Context) -> Term | None:
    """`x + x` is `2.0 * x`, `a * x + x * a` is `2.0 * a * x`; `c * x + d * x` has one constant."""
    (c, x), (d, y) = (_multiple(a, context) for a in stmt.args)
    if isinstance(x, Const) or not (identical(x, y) or _same_product(x, y, context)):
        return None
    value = exactly(stmt.op, c, d)
    return term("mul", const(float(value)), x) if value else None


def _multiple(operand: Operand, context: Context) -> tuple[int | float, Operand]:
    """An operand as a constant times another."""
    inner = context.standing(operand, "mul")
    factor = None if inner is None else number(inner.args[0])
    return (1.0, operand) if inner is None or factor is None else (factor, inner.args[1])


def _same_product(x: Operand, y: Operand, context: Context) -> bool:
    """Whether two operands are products of the same two factors."""
    one, other = context.standing(x, "mul"), context.standing(y, "mul")
    if one is None or other is None:
        return False
    (a, b), (c, d) = one.args, other.args
    return (identical(a, c) and identical(b, d)) or (identical(a, d) and identical(b, c))


def signs_of_sum(stmt: Apply, context: Context) -> Term | None:
    """`a + -b` is `a - b`, `-a + b` is `b - a`, `a - -b` is `a + b`; `-b` may be a product."""
    a, b = stmt.args
    positive = _without_sign(b, context)
    if positive is not None:
        return term("sub" if stmt.op == "add" else "add", a, positive)
    positive = _without_sign(a, context) if stmt.op == "add" else None
    return None if positive is None else term("sub", b, positive)


def sign_of_total(stmt: Apply, context: Context) -> Term | None:
    """`sum(-a)` is `-sum(a)`, where that is a smaller array."""
    a, *rest = stmt.args
    positive = None if a.type.is_scalar or rest else _without_sign(a, context)
    if positive is None:
        return None
    return term("neg", term("sum", positive, **dict(stmt.options)))


def _without_sign(operand: Operand, context: Context) -> Operand | Term | None:
    """`x` for `-x`, `a * b` for `-a * b`; None where there is no sign."""
    value = number(operand)
    if value is not None:
        return literal(-value, operand.type) if value < 0 else None
    opposite = context.known(operand, "neg")
    if opposite is not None:
        return opposite.args[0]
    inner = context.own(operand, "mul", "div")
    if inner is None:
        return None
    first = _without_sign(inner.args[0], context)
    return None if first is None else term(inner.op, first, inner.args[1])


def power(stmt: Apply, context: Context) -> Operand | Term | None:
    """`x**1` is `x`; `x**0` is one, also for 0, infinities and NaN."""
    a, b = stmt.args
    match number(b):
        case 1:
            return a
        case 0:
            one = literal(1.0, stmt.result.type)
            return one if a.type.is_scalar else term("ones_like", a)
    return None


def numpy_already(stmt: Apply, context: Context) -> Operand | None:
    """A number that is made one of NumPy's, and is one."""
    (a,) = stmt.args
    return a if isinstance(a, Value) and a.name in context.of_numpy else None


def divided_anyway(stmt: Apply, context: Context) -> Operand | None:
    """A number that is not 0, or the program has raised."""
    (a,) = stmt.args
    return a if isinstance(a, Value) and a.name in context.divided else None


ARITHMETIC: tuple[tuple[str, Rewrite], ...] = (
    (" ".join(_FOLDED), constants),
    ("dim add sub mul floordiv mod neg size", known_integer),
    ("mul", product_of_one),
    ("mul", product_of_constants),
    ("mul div", signs_of_product),
    ("div", quotient_by_one),
    ("neg", negation),
    ("add sub", sum_with_zero),
    ("add sub", shifted_integer),
    ("add sub", sum_of_multiples),
    ("add sub", signs_of_sum),
    ("sum", sign_of_total),
    ("pow", power),
    ("as_numpy divisor", numpy_already),
    ("divisor", divided_anyway),
)

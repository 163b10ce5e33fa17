"""Reassociation: rewrites that change a rounding, for derivatives that nothing is decided by.

Products are written without parentheses, with one constant in front, on the operand of lowest
rank, where it costs least: `3.0 * (-0.01 * s * t)` is `-0.03 * s * t`. Quotients stand to the left
in a product, where they are shared: `t_bar * (x / y)` is `t_bar / y * x`. A term that a sum has
twice has a factor, and one that is added and subtracted is gone.

Products are regrouped last, when it is known which of them are shared: a factor of two products is
one value, and stays one. What has a name keeps it.

Constants are multiplied as decimals, so that 3.0 times 0.1 is 0.3. A product of three factors, in
whatever order, is rounded twice.
"""

from __future__ import annotations

from fractions import Fraction

from adjointgen.costs import SUM_WINDOW
from adjointgen.ir.nodes import Apply, Const, Operand
from adjointgen.optimize.rewrites.arithmetic import exactly
from adjointgen.optimize.rewrites.rewrite_context import (
    Context,
    Rewrite,
    Term,
    fits,
    identical,
    literal,
    number,
    rank,
    same_shape,
    term,
)
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE

_SMALL, _LARGE = 1e-100, 1e100


def as_decimals(c: int | float, d: int | float) -> float | None:
    """The product as a person would compute it, where it is in range."""
    if not all(isinstance(v, float) and _moderate(v) for v in (c, d)):
        return None
    value = float(Fraction(repr(c)) * Fraction(repr(d)))
    return value if _moderate(value) else None


def _moderate(value: int | float) -> bool:
    """Whether products with a constant stay in the range of floats: `1e-200 * (1e200 * x)` is
    infinite where `x` is large, and its constants have the product 1.
    """
    return _SMALL < abs(value) < _LARGE


def product_of_rounded_constants(stmt: Apply, context: Context) -> Term | None:
    """`c * (d * x)` and `c * (d / x)` have one constant."""
    a, b = stmt.args
    c, inner = number(a), context.known(b, "mul") or context.own(b, "div")
    d = None if inner is None else number(inner.args[0])
    if inner is None or c is None or d is None:
        return None
    value = as_decimals(c, d)
    return None if value is None else term(inner.op, literal(value, a.type), inner.args[1])


def constant_into_chain(stmt: Apply, context: Context) -> Operand | None:
    """`c * (d * a * b * e)` is `c * d * a * b * e`: the first product of a chain has one constant.

    The product of constants is written where the first product stands. To take the constant
    through the chain factor by factor would take quadratic time where a loop is written out.
    """
    a, b = stmt.args
    c, first = number(a), context.first_of_chain(b)
    if c is None or first is None or stmt.result.root or not fits(b.type, stmt.result.type):
        return None
    d = number(first.args[0])
    if d is None or not (_moderate(c) and _moderate(d)):
        return None
    value = exactly("mul", c, d) or as_decimals(c, d)
    if not value or abs(value) == 1:
        return None
    args = (literal(value, first.args[0].type), first.args[1])
    if TABLE["mul"].infer(tuple(arg.type for arg in args), {}) != (first.result.type,):
        return None
    context.change(replace(first, args=args), b)
    return b


def constant_in_front(stmt: Apply, context: Context) -> Term | None:
    """`a * (c * b)` and `c * (a * b)` are `c * a * b`; `c` goes to the lower rank."""
    a, b = stmt.args
    if number(a) is not None:
        inner = context.own(b, "mul")
        if inner is None or number(inner.args[0]) is not None:
            return None
        return _in_front(a, *inner.args)
    right, left = context.own(b, "mul"), context.own(a, "mul")
    if right is not None and number(right.args[0]) is not None:
        return _in_front(right.args[0], a, right.args[1])
    if left is not None and number(left.args[0]) is not None and rank(b) < rank(left.args[1]):
        return _in_front(left.args[0], b, left.args[1])
    return None


def _in_front(c: Operand, a: Operand, b: Operand) -> Term:
    low, high = (a, b) if rank(a) <= rank(b) else (b, a)
    return term("mul", term("mul", c, low), high)


def product_of_quotient(stmt: Apply, context: Context) -> Term | None:
    """`a * (1.0 / b)` is `a / b`, and `a * (c / b)` is `c * a / b` unless `a` is the larger."""
    for a, quotient in (stmt.args, stmt.args[::-1]):
        inner = context.own(quotient, "div")
        c = None if inner is None else number(inner.args[0])
        if inner is None or c is None:
            continue
        if c == 1:
            return term("div", a, inner.args[1])
        if rank(a) <= rank(inner.args[1]):
            return term("div", term("mul", inner.args[0], a), inner.args[1])
    return None


def flat_product(stmt: Apply, context: Context) -> Term | None:
    """`a * (b * c)` is `a * b * c`, and `a * (b / c)` is `a / c * b`, where that costs no more."""
    a, right = stmt.args
    inner = context.own(right, "mul", "div")
    if inner is None or inner.result.root or number(a) is not None:
        return None
    if number(inner.args[0]) is not None:
        return None
    if not all(o.type.is_differentiable for o in (a, *inner.args)):
        return None
    b, c = inner.args
    if inner.op == "div":
        if rank(b) < rank(c):
            # What is of lower rank would go in front again, and the quotient behind it.
            return None
        first, last = c, b
    else:
        first, last = (b, c) if rank(b) <= rank(c) else (c, b)
    if max(rank(a), rank(first)) > max(rank(b), rank(c)):
        return None
    return term("mul", term(inner.op, a, first), last)


def constant_in_numerator(stmt: Apply, context: Context) -> Term | None:
    """`c * (a / b)` is `c * a / b`."""
    c, quotient = stmt.args
    inner = context.own(quotient, "div")
    if inner is None or inner.result.root or number(c) is None:
        return None
    a, b = inner.args
    return term("div", term("mul", c, a), b) if rank(a) <= rank(quotient) else None


def repeated_term(stmt: Apply, context: Context) -> Operand | Term | None:
    """`x + w + w` is `x + 2.0 * w`, and `x - w + w` is `x`; other terms may stand between."""
    total, last = stmt.args
    factor, base = _multiple(last, context)
    if isinstance(base, Const):
        return None
    later: list[tuple[str, Operand]] = []
    for _ in range(SUM_WINDOW):
        inner = context.own(total, "add", "sub")
        if inner is None:
            return None
        total, other = inner.args
        count, again = _multiple(other, context)
        if identical(again, base) and same_shape(total.type, stmt.result.type):
            signed = _signed(inner.op, count) + _signed(stmt.op, factor)
            return _sum(total, later, signed, base)
        later.append((inner.op, other))
    return None


def _signed(op: str, factor: float) -> float:
    return factor if op == "add" else -factor


def _sum(
    total: Operand | Term, later: list[tuple[str, Operand]], factor: float, base: Operand
) -> Operand | Term:
    """A sum with what was added later, and a multiple of one more term."""
    for op, operand in reversed(later):
        total = term(op, total, operand)
    if factor == 0:
        return total
    product = base if abs(factor) == 1 else term("mul", const(abs(factor)), base)
    return term("add" if factor > 0 else "sub", total, product)


def _multiple(operand: Operand, context: Context) -> tuple[float, Operand]:
    """An operand as a constant times another."""
    inner = context.known(operand, "mul", "neg")
    if inner is None:
        return 1.0, operand
    if inner.op == "neg":
        return -1.0, inner.args[0]
    factor = number(inner.args[0])
    return (1.0, operand) if factor is None else (float(factor), inner.args[1])


ROUNDING: tuple[tuple[str, Rewrite], ...] = (
    ("mul", product_of_rounded_constants),
    ("mul", product_of_quotient),
    ("mul", constant_into_chain),
    ("mul", constant_in_front),
    ("add sub", repeated_term),
)

REGROUPING: tuple[tuple[str, Rewrite], ...] = (
    ("mul", constant_in_numerator),
    ("mul", flat_product),
)

"""Even powers of a root or a modulus are differentiated as what they are: powers of its argument.

    y = sqrt(t),  p = y**2        p has the derivatives of t
    y = norm(x),  p = y * y       of sum(x * x)

A length, a modulus and a standard deviation have no derivative at 0, and their squares are smooth
there: `x / y` would be 0 / 0. The value stays what the user wrote: `through(p, t)` is p with the
derivatives of t, and is p again once these are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjointgen.ad.prepare.smoother import differentiated_as
from adjointgen.ir.nodes import Apply, Const, Function, Operand, Value, walk
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.table import TABLE


def squared(function: Function) -> Function:
    """The function with derivatives of its even powers by the arguments of the roots."""
    if not any(isinstance(s, Apply) and _is_root(s) for s in walk(function.body)):
        return function
    roots: dict[str, Apply] = {}
    return differentiated_as(function, lambda builder, stmt: _smoother(builder, stmt, roots))


def _is_root(stmt: Apply) -> bool:
    """Whether an operation has a square that is smoother than itself."""
    if stmt.op == "pow":
        return _number(stmt.args[1]) == 0.5
    row = TABLE.rows.get(stmt.op)
    return row is not None and row.square is not None


def _number(operand: Operand | None) -> object:
    return operand.value if isinstance(operand, Const) else None


def _smoother(builder: Builder, stmt: Apply, roots: dict[str, Apply]) -> Operand | None:
    """The same power as a function of the argument of the root, if it is one."""
    if len(stmt.results) != 1:
        return None
    if _is_root(stmt):
        roots[stmt.result.name] = stmt
    base, half = _even(stmt, roots)
    return _square(builder, roots[base], half) if base in roots else None


def _even(stmt: Apply, roots: Mapping[str, Apply]) -> tuple[str, int]:
    """The name of the base, and half of the exponent, of an even power."""
    base, exponent = (*stmt.args, None, None)[:2]
    if not isinstance(base, Value):
        return "", 0
    if stmt.op == "square" or (stmt.op == "mul" and _same(base, exponent, roots)):
        return base.name, 1
    value = _number(exponent) if stmt.op == "pow" else None
    if isinstance(value, int | float) and value > 0 and value % 2 == 0:
        return base.name, int(value) // 2
    return "", 0


def _same(a: Value, b: Operand | None, roots: Mapping[str, Apply]) -> bool:
    """Whether two values are one, or the same root of the same."""
    if a == b or not isinstance(b, Value):
        return a == b
    one, other = roots.get(a.name), roots.get(b.name)
    if one is None or other is None:
        return False
    return (one.op, one.args, one.options) == (other.op, other.args, other.options)


def _square(builder: Builder, root: Apply, half: int) -> Operand | None:
    """The square of a root, or a power of it, in terms of the argument of the root."""
    rule = TABLE[root.op].square
    options = {k: v for k, v in root.settings.items() if k not in ("callee", "dtype")}
    with builder.called_as(root):
        args: list[Any] = [builder.handle(a) for a in root.args]
        inner = args[0] if rule is None else rule(*args, **options)
        if inner is None:
            return None
        return builder.lower(inner if half == 1 else inner**half)

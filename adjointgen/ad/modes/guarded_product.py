"""A derivative times a slope, where one of them may be infinite and the other zero by a choice.

    slope * x_dot                        as a rule
    slope * x_dot if x_dot != 0 else 0   the slope may be infinite, x_dot zero by a choice
    slope * x_dot if slope != 0 else 0   x_dot may be infinite, the slope zero by a choice
    x_dot if chosen else 0               x_dot may be infinite, the slope is a choice of 0 or 1

`zero_times_infinity.py` says which. In the same way for adjoints. The second is an operation of its
own (`rules/framework/guarded_rows.py`), since a test would hide how the product changes with
`x_dot`.
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.analysis.differentiation.chosen_zeros import is_steep
from adjointgen.analysis.differentiation.zero_times_infinity import Idle
from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.contributions import is_zero

Times = Callable[[Operand, Operand], Operand]


def guarded(builder: Builder, derivative: Operand, slope: Operand, leads: bool = True) -> Operand:
    """A product with a slope that may be infinite; 0 where the derivative is."""
    return builder.apply("scaled", derivative, slope, leads=leads)


def is_infinite(stmt: Apply, first: bool, factor: Operand, idle: Idle) -> bool:
    """Whether the slope by an argument may be infinite: by its operation, or by what it is of."""
    if isinstance(factor, Const) or factor.type.dtype == "bool":
        return False
    wild = any(isinstance(o, Value) and o.name in idle.wild for o in (*stmt.args, stmt.result))
    return wild or (first and is_steep(stmt))


def may_be_zero(stmt: Apply, factor: Operand, idle: Idle) -> bool:
    """Whether a slope is zero by a choice, itself or by an argument that it is made of."""
    if isinstance(factor, Const) or factor.type.dtype == "bool":
        return False
    of = [factor] if factor in stmt.args else stmt.args
    return any(isinstance(a, Value) and a.name in idle.zero for a in of)


def chosen(builder: Builder, derivative: Operand, factor: Operand, times: Times) -> Operand:
    """A derivative that may be infinite times a factor: a choice of 0 or 1 chooses."""
    if isinstance(factor, Const) and factor.value == 1:
        return derivative
    if factor.type.dtype == "bool":
        return builder.apply("select", factor, derivative, const(0.0))
    match builder.made(factor):
        case Apply(op="select", args=(test, first, second)):
            arms = [_arm(builder, derivative, arm, times) for arm in (first, second)]
            return builder.apply("select", test, *arms)
        case Apply(op="cast", args=(inner,)) if inner.type.dtype == "bool":
            return chosen(builder, derivative, inner, times)
    return times(derivative, factor)


def _arm(builder: Builder, derivative: Operand, factor: Operand, times: Times) -> Operand:
    """The product in an arm; a zero is a choice there alone, and a factor anywhere else."""
    return const(0.0) if is_zero(factor) else chosen(builder, derivative, factor, times)

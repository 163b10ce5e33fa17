"""A derivative times a slope, where one of them may be infinite and the other zero by a choice.

    slope * x_dot                        as a rule
    slope * x_dot if x_dot != 0 else 0   the slope may be infinite, x_dot zero by a choice
    x_dot if chosen else 0               x_dot may be infinite, the slope is a choice of 0 or 1

`analysis/idle.py` says which. In the same way for adjoints.
"""

from __future__ import annotations

from collections.abc import Callable

from adjointgen.ir.nodes import Apply, Const, Operand
from adjointgen.rules.build import Builder, const
from adjointgen.rules.fit import is_zero

Times = Callable[[Operand, Operand], Operand]


def guarded(builder: Builder, derivative: Operand, product: Callable[[], Operand]) -> Operand:
    """A product with a slope that may be infinite; 0 where the derivative is."""
    test = builder.apply("ne", derivative, const(0.0))
    return builder.apply("select", test, product(), const(0.0))


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

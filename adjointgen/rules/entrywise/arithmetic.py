"""Python's arithmetic operators, and the functions that mean the same.

Partial derivatives are stated where the operation has one. Remainders are differentiated between
their jumps: `mod(a, b) = a - b*floor(a/b)` with `floor(a/b)` constant there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen.ir.nodes import Const, Operand
from adjointgen.ir.types import COMPLEX, INT, INTEGER, Dim, Type
from adjointgen.rules.framework.batching import entries
from adjointgen.rules.framework.builder import Handle
from adjointgen.rules.framework.declare import constant, elementwise
from adjointgen.rules.framework.series import difference, negative, power, product, quotient, total
from adjointgen.rules.framework.shape_helpers import as_numpy, divisor, squared_modulus
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    category,
    division_type,
    elementwise_type,
    real_type,
)

_JUMPS = "it is constant between its jumps"


def _sum_value(a: Dim, b: Dim) -> Dim | None:
    if a.symbol and b.symbol:
        return None
    return Dim(a.symbol or b.symbol, a.offset + b.offset)


def _difference_value(a: Dim, b: Dim) -> Dim | None:
    if a.symbol == b.symbol:
        return Dim("", a.offset - b.offset)
    return None if b.symbol else Dim(a.symbol, a.offset - b.offset)


def _on_numbers(operation: Callable[[int, int], int]) -> Callable[[Dim, Dim], Dim | None]:
    """What an operation does to values that are plain numbers."""

    def value(a: Dim, b: Dim) -> Dim | None:
        if a.symbol or b.symbol:
            return None
        found = operation(a.offset, b.offset)
        # Of what is no integer of the machine nothing is followed: a square of squares is long.
        return Dim("", found) if -(2**63) <= found < 2**63 else None

    return value


def _product_value(a: Dim, b: Dim) -> Dim | None:
    one = Dim("", 1)
    return b if a == one else a if b == one else _on_numbers(lambda p, q: p * q)(a, b)


def _quotient_value(a: Dim, b: Dim) -> Dim | None:
    return _on_numbers(lambda p, q: p // q)(a, b) if b.offset else None


def _remainder_value(a: Dim, b: Dim) -> Dim | None:
    return _on_numbers(lambda p, q: p % q)(a, b) if b.offset else None


def _valued(value: Callable[[Dim, Dim], Dim | None]) -> Infer:
    """Arithmetic that follows what integer scalars are known to be."""

    def infer(types: Types, options: Options) -> Types:
        (result,) = elementwise_type(types, options)
        a, b = types
        if result == INT and a.value is not None and b.value is not None:
            return (Type("int64", value=value(a.value, b.value)),)
        return (result,)

    return infer


def _negated_type(types: Types, options: Options) -> Types:
    (result,) = elementwise_type(types, options)
    value = types[0].value
    if result == INT and value is not None and not value.symbol:
        return (Type("int64", value=Dim("", -value.offset)),)
    return (result,)


def _power_type(types: Types, options: Options) -> Types:
    """Integers to a power are integers, except that Python's scalars to a negative one are not."""
    (result,) = elementwise_type(types, options)
    _, exponent = types
    if result.is_scalar and category(result.dtype) < 2 and exponent.value is not None:
        negative = not exponent.value.symbol and exponent.value.offset < 0
        return (Type("float64") if negative else INT,)
    return (result,)


def _total_of_truth_values(numpy: bool, a: Any, b: Any) -> Any:
    """`True + True` is True in NumPy, and 2 in Python."""
    if a.type.is_array or b.type.is_array or (a.type.dtype, b.type.dtype) != ("bool", "bool"):
        return NotImplemented
    return a.apply("bit_or", a, b) if numpy else None


def _truncated_remainder(numpy: bool, a: Any, b: Any) -> Any:
    """What is left of division towards 0 has the sign of `a`."""
    left = np.abs(a) % np.abs(b)
    return np.where(a < 0, -left, left)


elementwise(
    "add",
    "a, b",
    ["numpy.add", "operator.add"],
    lambda y, a, b: 1.0,
    lambda y, a, b: 1.0,
    symbol="+",
    noun="total",
    infer=_valued(_sum_value),
    on=(-3, 3),
    loop="entries",
    widens=True,
    compiled=_total_of_truth_values,
    series=total,
)
elementwise(
    "sub",
    "a, b",
    ["numpy.subtract", "operator.sub"],
    lambda y, a, b: 1.0,
    lambda y, a, b: -1.0,
    symbol="-",
    noun="difference",
    infer=_valued(_difference_value),
    on=(-3, 3),
    loop="entries",
    widens=True,
    series=difference,
)
elementwise(
    "mul",
    "a, b",
    ["numpy.multiply", "operator.mul"],
    lambda y, a, b: b,
    lambda y, a, b: a,
    symbol="*",
    noun="product",
    infer=_valued(_product_value),
    on=(-3, 3),
    loop="entries",
    widens=True,
    series=product,
)
elementwise(
    "div",
    "a, b",
    ["numpy.divide", "numpy.true_divide", "operator.truediv"],
    lambda y, a, b: 1.0 / divisor(b, True),
    lambda y, a, b: -y / divisor(b, True),
    symbol="/",
    noun="ratio",
    infer=division_type,
    on=((-3, 3), (0.5, 3)),
    cost=4,
    edge="infinite where b is 0",
    loop="entries",
    poles=True,
    keeps_zero=True,
    series=quotient,
)


def _literal(operand: Handle) -> Any:
    """The number that an operand is, or None."""
    return operand.operand.value if isinstance(operand.operand, Const) else None


def _power_by_base(y: Any, a: Any, b: Any) -> Any:
    """`b * a**(b-1)`; 0 for the exponent 0, at `a = 0` too, where `0 * 0**-1` would be NaN."""
    exponent = _literal(b)
    match exponent:
        case None:
            if b.type.dtype in INTEGER:
                return b * as_numpy(a) ** np.where(b == 0, 0, b - 1)
            # The exponent may have a derivative of its own: only at the origin it is another.
            at_origin = (a == 0) & (b == 0)
            return b * as_numpy(a) ** np.where(at_origin, 1.0, b - 1.0)
        case 0 | 1:
            return float(exponent)
        case 2:
            return 2.0 * a
        case 0.5:
            return 0.5 / divisor(y)
    return float(exponent) * _lower_power(y, a, exponent)


_SUBNORMAL = 0.05
"""From this exponent on, `a**(exponent - 1)` is finite for every number but 0."""


def _lower_power(y: Any, a: Any, exponent: float) -> Any:
    """`a**(exponent - 1)`: infinite, where Python raises and `y` does not, at 0 or by overflow.

    A number of NumPy's would do, but all that is computed with it is one too, and slow.
    """
    if a.builder.module == "numpy" or 0 < exponent < _SUBNORMAL:
        return as_numpy(a) ** (exponent - 1)
    if exponent < 0 and a.builder.module:
        return y / a
    return (divisor(a) if exponent < 1 else a) ** (exponent - 1)


def _power_by_exponent(y: Any, a: Any, b: Any) -> Any:
    """`y * log(a)`; 0 where the base is not positive (the limit at `a = 0` for `b > 0`)."""
    if a.type.dtype in COMPLEX or b.type.dtype in COMPLEX:
        return y * np.log(np.where(a == 0, 1.0, a) + 0j)
    base = _literal(a)
    if base is not None:
        return y * math.log(base) if base > 0 else 0.0
    return y * np.log(np.where(a > 0, a, 1.0))


def _may_be_below_one(a: Operand, b: Operand) -> bool:
    """Whether an exponent may be between 0 and 1."""
    if isinstance(b, Const):
        return isinstance(b.value, float) and 0 < b.value < 1
    return b.type.dtype not in INTEGER


elementwise(
    "pow",
    "a, b",
    ["numpy.power", "numpy.pow", "operator.pow", "math.pow", "builtins.pow", "numpy.float_power"],
    _power_by_base,
    _power_by_exponent,
    symbol="**",
    noun="power",
    infer=_power_type,
    on=((0.2, 3), (-2, 3)),
    cost=20,
    edge="by the exponent: 0 where a <= 0; by the base: 0 for the exponent 0",
    steep=_may_be_below_one,
    loop="entries",
    widens=True,
    inverts=1,
    poles=True,
    series=power,
)
elementwise(
    "neg",
    "a",
    ["numpy.negative", "operator.neg"],
    lambda y, a: -1.0,
    symbol="-",
    noun="minus",
    infer=_negated_type,
    on=(-3, 3),
    loop="entries",
    widens=True,
    keeps_zero=True,
    series=negative,
)
elementwise(
    "pos",
    "a",
    ["numpy.positive", "operator.pos"],
    lambda y, a: 1.0,
    symbol="+",
    noun="same",
    on=(-3, 3),
    loop="entries",
)


def _slope_of_modulus(y: Any, a: Any) -> Any:
    """The sign; of a complex number the conjugate of its direction, 0 at 0."""
    if a.type.dtype in COMPLEX:
        return a.apply("conj", a) / np.where(y == 0, 1.0, y)
    return np.sign(a)


elementwise(
    "abs",
    "a",
    ["numpy.abs", "numpy.absolute", "builtins.abs"],
    _slope_of_modulus,
    noun="magnitude",
    square=squared_modulus,
    infer=real_type,
    on=(-3, 3),
    edge="0 at 0",
    loop="entries",
    widens=True,
)
elementwise(
    "mod",
    "a, b",
    ["numpy.mod", "numpy.remainder", "operator.mod"],
    lambda y, a, b: 1.0,
    lambda y, a, b: -(a // divisor(b, True)),
    symbol="%",
    noun="remainder",
    infer=_valued(_remainder_value),
    on=((2.6, 2.9), (1.1, 1.25)),
    cost=8,
    jumps=lambda a, b: np.floor_divide(a, b),
    edge="the jumps are left out",
    loop="entries",
    widens=True,
)
elementwise(
    "fmod",
    "a, b",
    ["numpy.fmod", "math.fmod"],
    lambda y, a, b: 1.0,
    lambda y, a, b: -np.trunc(a / divisor(b)),
    on=((-2.9, -2.1), (1.1, 1.9)),
    cost=8,
    jumps=lambda a, b: np.trunc(np.divide(a, b)),
    edge="the jumps are left out",
    compiled=_truncated_remainder,
)
constant(
    "floordiv",
    "a, b",
    ["numpy.floor_divide", "operator.floordiv"],
    symbol="//",
    noun="quotient",
    infer=_valued(_quotient_value),
    because=_JUMPS,
    cost=4,
    batch=entries,
    loop="entries",
    widens=True,
)

"""Functions that act entry by entry, in terms of the result `y` where that is cheaper.

Where a formula has a removable fault (0/0 at one point), the denominator is replaced there; the
value so chosen is the row's `edge`. Where it is infinite, the denominator is a `divisor`. Partial
derivatives that choose between 0 and 1 are truth values, which multiply as 0 and 1. (Abramowitz and
Stegun 1964, chapters 4 and 7.)
"""

from __future__ import annotations

import math
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from adjointgen.ir.types import COMPLEX
from adjointgen.rules.framework import series
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import elementwise, general
from adjointgen.rules.framework.shape_helpers import always, divisor
from adjointgen.rules.framework.type_rules import elementwise_type, floating_type

_IN_SCIPY = ("cbrt", "exp2", "expm1", "log1p", "sinc")


def _function(
    name: str, math_name: str | None, partial: Any, on: tuple[float, float], **fields: Any
) -> None:
    """A real function of one variable that `numpy` has, and `math` under this name."""
    spellings = [f"numpy.{name}", *([f"math.{math_name}"] if math_name else [])]
    spellings += [f"scipy.special.{name}"] if name in _IN_SCIPY else []
    spellings += [f"numpy.{math_name}"] if math_name and name.startswith("arc") else []
    fields = {"cost": 10, "loop": "entries"} | fields
    elementwise(name, "x", spellings, partial, on=on, infer=floating_type, **fields)


_function(
    "sqrt",
    "sqrt",
    lambda y, x: 0.5 / divisor(y),
    (0.1, 4),
    cost=4,
    edge="infinite at 0",
    steep=always,
    square=lambda x: x,
    series=series.root,
)
_function(
    "cbrt",
    "cbrt",
    lambda y, x: 1.0 / divisor(3.0 * y * y),
    (0.1, 4),
    edge="infinite at 0",
    steep=always,
)
_function("exp", "exp", lambda y, x: y, (-3, 3), series=series.exponential())
_function(
    "exp2",
    "exp2",
    lambda y, x: y * math.log(2.0),
    (-3, 3),
    series=series.exponential(math.log(2.0)),
)
# Not y + 1, of which no digit is left where y is near -1.
_function(
    "expm1",
    "expm1",
    lambda y, x: np.exp(x),
    (-3, 3),
    series=series.exponential(function="exp"),
)
_function(
    "log",
    "log",
    lambda y, x: 1.0 / divisor(x, True),
    (0.1, 4),
    edge="infinite at 0",
    poles=True,
    series=series.logarithm(),
)
_function(
    "log1p",
    "log1p",
    lambda y, x: 1.0 / divisor(1.0 + x, True),
    (-0.9, 3),
    edge="infinite at -1",
    poles=True,
    series=series.logarithm(offset=1.0),
)
_function(
    "log2",
    "log2",
    lambda y, x: 1.0 / (divisor(x, True) * math.log(2.0)),
    (0.1, 4),
    edge="infinite at 0",
    poles=True,
    series=series.logarithm(1 / math.log(2.0)),
)
_function(
    "log10",
    "log10",
    lambda y, x: 1.0 / (divisor(x, True) * math.log(10.0)),
    (0.1, 4),
    edge="infinite at 0",
    poles=True,
    series=series.logarithm(1 / math.log(10.0)),
)
_function("sin", "sin", lambda y, x: np.cos(x), (-3, 3), series=series.oscillation("cos", -1.0))
_function(
    "cos", "cos", lambda y, x: -np.sin(x), (-3, 3), series=series.oscillation("sin", -1.0, -1.0)
)
_function("tan", "tan", lambda y, x: 1.0 + y * y, (-1.3, 1.3), series=series.riccati(1.0))


def _by_result(slope: Any, of_real: Any) -> Any:
    """Of complex numbers by the result, which tells the sides of a branch cut apart.

    The sign of a zero, which does so in the argument, is lost in sums such as `1 - x * x`.
    """

    def partial(y: Any, x: Any) -> Any:
        return slope(y) if y.type.dtype in COMPLEX else of_real(x)

    return partial


_function(
    "arcsin",
    "asin",
    _by_result(lambda y: 1.0 / np.cos(y), lambda x: 1.0 / divisor(np.sqrt(1.0 - x * x))),
    (-0.9, 0.9),
    edge="infinite at ±1",
    steep=always,
)
_function(
    "arccos",
    "acos",
    _by_result(lambda y: -1.0 / np.sin(y), lambda x: -1.0 / divisor(np.sqrt(1.0 - x * x))),
    (-0.9, 0.9),
    edge="infinite at ±1",
    steep=always,
)
_function("arctan", "atan", lambda y, x: 1.0 / (1.0 + x * x), (-3, 3))
_function("sinh", "sinh", lambda y, x: np.cosh(x), (-3, 3), series=series.oscillation("cosh", 1.0))
_function("cosh", "cosh", lambda y, x: np.sinh(x), (-3, 3), series=series.oscillation("sinh", 1.0))
# Not 1/cosh(x)**2, which overflows where tanh is flat.
_function("tanh", "tanh", lambda y, x: 1.0 - y * y, (-3, 3), series=series.riccati(-1.0))
_function(
    "arcsinh",
    "asinh",
    _by_result(lambda y: 1.0 / np.cosh(y), lambda x: 1.0 / np.sqrt(x * x + 1.0)),
    (-3, 3),
)
_function(
    "arccosh",
    "acosh",
    _by_result(
        lambda y: 1.0 / np.sinh(y),
        lambda x: 1.0 / divisor(np.sqrt(x - 1.0) * np.sqrt(x + 1.0)),
    ),
    (1.1, 4),
    edge="infinite at 1",
    steep=always,
)
_function(
    "arctanh",
    "atanh",
    lambda y, x: 1.0 / divisor(1.0 - x * x, True),
    (-0.9, 0.9),
    edge="infinite at ±1",
    poles=True,
)
_function("deg2rad", None, lambda y, x: math.pi / 180.0, (-3, 3), cost=1)
_function("rad2deg", None, lambda y, x: 180.0 / math.pi, (-3, 3), cost=1)
_function("radians", "radians", lambda y, x: math.pi / 180.0, (-3, 3), cost=1)
_function("degrees", "degrees", lambda y, x: 180.0 / math.pi, (-3, 3), cost=1)
_function(
    "fabs",
    "fabs",
    lambda y, x: np.sign(x),
    (-3, 3),
    cost=1,
    edge="0 at 0",
    square=lambda x: x * x,
)


elementwise(
    "square",
    "x",
    ["numpy.square"],
    lambda y, x: 2.0 * x,
    infer=elementwise_type,
    on=(-3, 3),
    loop="entries",
    widens=True,
)
elementwise(
    "reciprocal",
    "x",
    ["numpy.reciprocal"],
    lambda y, x: -y * y,
    on=(0.5, 3),
    cost=4,
    loop="entries",
    poles=True,
    series=series.reciprocal,
)


_SINC = [(-1) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1) for k in range(1, 9)]


def _sinc_slope(y: Any, x: Any) -> Any:
    """`(cos(pi x) - y) / x`; near 0, where this and its own slopes cancel, its power series."""
    near, square = np.abs(x) < 0.1, x * x
    series = reduce(lambda total, term: total * square + term, reversed(_SINC))
    slope = (np.cos(math.pi * x) - y) / np.where(near, 1.0, x)
    return np.where(near, x * series, slope)


_function("sinc", None, _sinc_slope, (0.2, 2), edge="exact at 0, to every order up to 16", loop="")


def _squared_distance(a: Any, b: Any) -> Any:
    """`a*a + b*b`, and 1 at the origin, so that a division by it gives 0 there."""
    square = a * a + b * b
    return np.where(square == 0, 1.0, square)


elementwise(
    "arctan2",
    "a, b",
    ["numpy.arctan2", "math.atan2", "numpy.atan2"],
    lambda y, a, b: b / _squared_distance(a, b),
    lambda y, a, b: -a / _squared_distance(a, b),
    infer=floating_type,
    on=((0.2, 2), (-2, -0.2)),
    cost=20,
    edge="0 at the origin",
    loop="entries",
)


def _distance_tangent(b: Builder, y: Any, args: Any, dots: Any, options: Any) -> Any:
    """`y_dot = sum(x_k * x_k_dot) / y`, and 0 at the origin."""
    terms = [a * dot for a, dot in zip(args, dots, strict=True) if dot is not None]
    return reduce(add, terms) / np.where(y == 0, 1.0, y)


def _distance_adjoint(b: Builder, y: Any, y_bar: Any, args: Any, options: Any) -> list[Any]:
    share = y_bar / np.where(y == 0, 1.0, y)
    return [share * a for a in args]


# `math.hypot` takes any number of coordinates, `np.hypot` two.
general(
    "hypot",
    "*operands...",
    ["numpy.hypot", "math.hypot"],
    _distance_tangent,
    _distance_adjoint,
    square=lambda *operands: reduce(add, (a * a for a in operands)),
    infer=floating_type,
    domain=[
        ("float64", "float64"),
        ("float64[3]", "float64"),
        ("float64[3,1]", "float64[1,4]"),
        ("float64[3]", "float64[2,3]"),
    ],
    cost=6,
    edge="0 at the origin",
    loop="entries",
)
elementwise(
    "logaddexp",
    "a, b",
    ["numpy.logaddexp"],
    lambda y, a, b: np.where(np.isneginf(y), 0.5, np.exp(a - y)),
    lambda y, a, b: np.where(np.isneginf(y), 0.5, np.exp(b - y)),
    infer=floating_type,
    on=(-3, 3),
    cost=20,
    edge="0.5 where both are minus infinity",
    loop="entries",
)
elementwise(
    "logaddexp2",
    "a, b",
    ["numpy.logaddexp2"],
    lambda y, a, b: np.where(np.isneginf(y), 0.5, np.exp2(a - y)),
    lambda y, a, b: np.where(np.isneginf(y), 0.5, np.exp2(b - y)),
    infer=floating_type,
    on=(-3, 3),
    cost=20,
    edge="0.5 where both are minus infinity",
    loop="entries",
)


elementwise(
    "copysign",
    "a, b",
    ["numpy.copysign", "math.copysign"],
    lambda y, a, b: np.sign(a) * np.copysign(1.0, b),
    lambda y, a, b: 0.0,
    infer=floating_type,
    on=((0.2, 2), (0.2, 2)),
    edge="0 where the first is 0",
    loop="entries",
)
elementwise(
    "heaviside",
    "a, b",
    ["numpy.heaviside"],
    lambda y, a, b: 0.0,
    lambda y, a, b: a == 0,
    infer=floating_type,
    on=((0.2, 2), (-1, 1)),
    jumps=lambda a, b: np.sign(a),
    edge="the jump at 0 is left out",
)
elementwise(
    "nan_to_num",
    "a, nan=0.0, posinf=None, neginf=None",
    ["numpy.nan_to_num"],
    lambda y, a: np.isfinite(a),
    on=(-3, 3),
    omits=True,
    edge="0 where the value was replaced",
)
elementwise(
    "erf",
    "x",
    ["math.erf", "scipy.special.erf"],
    lambda y, x: (2.0 / math.sqrt(math.pi)) * np.exp(-x * x),
    infer=floating_type,
    on=(-2, 2),
    cost=20,
)
elementwise(
    "erfc",
    "x",
    ["math.erfc", "scipy.special.erfc"],
    lambda y, x: (-2.0 / math.sqrt(math.pi)) * np.exp(-x * x),
    infer=floating_type,
    on=(-2, 2),
    cost=20,
)

"""Integrals and solutions of differential equations in `scipy.special`, by their equations.

Numbers of equations are those of the Digital Library of Mathematical Functions (dlmf.nist.gov).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from adjointgen.rules.entrywise.special import power_slope
from adjointgen.rules.entrywise.special_declarations import (
    SPECIAL,
    counted_type,
    number,
    numbers,
    several,
    widened_complex_type,
)
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import as_numpy, divisor, in_dtype_of, op
from adjointgen.rules.framework.type_rules import weak_type

_ROOT_PI = math.sqrt(math.pi)
_HALF_PI = 0.5 * math.pi
_DEGREE = math.pi / 180.0
_POINTS = [([0.4, 1.3],), (0.7,)]

several(
    "fresnel",
    "x",
    {0: lambda y, x: (np.sin(_HALF_PI * x * x), np.cos(_HALF_PI * x * x))},
    2,
    _POINTS,
)
several(
    "sici",
    "x",
    {0: lambda y, x: (np.sinc(x / math.pi), np.cos(x) / divisor(x))},
    2,
    _POINTS,
)
several(  # sinh(x) / x, of which every derivative has a value at 0
    "shichi",
    "x",
    {0: lambda y, x: (op("hyp0f1", 1.5, 0.25 * x * x), np.cosh(x) / divisor(x))},
    2,
    _POINTS,
)
several(  # 9.2.1
    "airy",
    "x",
    {0: lambda y, x: (y[1], x * y[0], y[3], x * y[2])},
    4,
    [([0.4, -1.3],), (0.7,)],
)


def _scaled_airy(y: Any, x: Any) -> Any:
    root = np.sqrt(np.maximum(x, 0.0))
    return (
        y[1] + root * y[0],
        x * y[0] + root * y[1],
        y[3] - root * y[2],
        x * y[2] - root * y[3],
    )


several("airye", "x", {0: _scaled_airy}, 4, _POINTS)
several("itj0y0", "x", {0: lambda y, x: (op("j0", x), op("y0", x))}, 2, _POINTS)
several("iti0k0", "x", {0: lambda y, x: (op("i0", x), op("k0", x))}, 2, _POINTS)


def _near_zero(x: Any, terms: Sequence[float], odd: bool, away: Callable[[Any], Any]) -> Any:
    """The power series in x² (times x if `odd`) where |x| < 1, and `away(x)` elsewhere.

    Differences and quotients with a value at 0 cancel near it, as do their derivatives.
    """
    near, square = np.abs(x) < 1.0, x * x
    series = reduce(lambda total, term: total * square + term, reversed(terms))
    return np.where(near, series * x if odd else series, away(np.where(near, 1.0, x)))


# (1 - J0(x)) / x² by 10.2.2, and H0(x) / x by 11.2.1.
_OF_J0 = [-((-0.25) ** (k + 1)) / math.factorial(k + 1) ** 2 for k in range(9)]
_OF_I0 = [abs(term) for term in _OF_J0]
_OF_H0 = [(-1) ** k * 2.0 / math.pi / math.prod(range(1, 2 * k + 2, 2)) ** 2 for k in range(9)]


def _less_j0(x: Any) -> Any:
    return _near_zero(x, _OF_J0, True, lambda x: (1.0 - op("j0", x)) / x)


def _less_i0(x: Any) -> Any:
    return _near_zero(x, _OF_I0, True, lambda x: (op("i0", x) - 1.0) / x)


several(
    "it2j0y0",
    "x",
    {0: lambda y, x: (_less_j0(x), -op("y0", x) / divisor(x))},
    2,
    _POINTS,
)
several(
    "it2i0k0",
    "x",
    {0: lambda y, x: (_less_i0(x), -op("k0", x) / divisor(x))},
    2,
    _POINTS,
)


def _airy_values(y: Any, x: Any) -> Any:
    ai, _, bi, _ = x.several("airy", x)
    ai_back, _, bi_back, _ = x.several("airy", -x)
    return ai, bi, ai_back, bi_back


# SciPy's values have an error of 1e-7 elsewhere, so that their differences say nothing.
several("itairy", "x", {0: _airy_values}, 4, [([0.2, -0.15],), (0.1,)])


def _parabolic(y: Any, v: Any, x: Any) -> Any:
    """12.2.2, with `a = -v - 1/2`."""
    return y[1], (0.25 * x * x - v - 0.5) * y[0]


for _name in ("pbdv", "pbvv"):
    several(_name, "v, x", {1: _parabolic}, 2, [(1, [0.4, 1.3]), (2, 0.7)])
several(  # 12.14.1
    "pbwa",
    "a, x",
    {1: lambda y, a, x: (y[1], (a - 0.25 * x * x) * y[0])},
    2,
    [(1, [0.4, 1.3]), (2, 0.7)],
)


def _exponential_integral(y: Any, n: Any, x: Any) -> Any:
    """8.19.13; of order 0 the function is `exp(-x) / x`."""
    return np.where(n < 1, -y * (1.0 + 1.0 / divisor(x)), -op("expn", n - 1, x))


numbers("expn", "n, x", None, _exponential_integral, on=((2, 2), (0.5, 2)), infer=counted_type(1))
number(
    "wofz",
    lambda y, x: 2j / _ROOT_PI - 2.0 * x * y,
    (-2, 2),
    infer=widened_complex_type,
)


def _voigt_slope(x: Any, sigma: Any, gamma: Any) -> Any:
    """The derivative of `w(z)` by `x`, times the scale of the profile, for `z = (x + i g) / s`."""
    root = math.sqrt(2.0) * sigma
    z = (x + 1j * gamma) / root
    return (2j / _ROOT_PI - 2.0 * z * op("wofz", z)) / (root * root * _ROOT_PI)


def _by_gaussian(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    """The profile is homogeneous of degree -1."""
    slope = _voigt_slope(x, sigma, gamma)
    return -(y + x * np.real(slope) - gamma * np.imag(slope)) / sigma


numbers(
    "voigt_profile",
    "x, sigma, gamma",
    lambda y, x, sigma, gamma: np.real(_voigt_slope(x, sigma, gamma)),
    _by_gaussian,
    lambda y, x, sigma, gamma: -np.imag(_voigt_slope(x, sigma, gamma)),
    on=((-1, 1), (0.5, 1), (0.3, 1)),
    infer=weak_type,
    edge="NaN at sigma = 0",
)
numbers(
    "owens_t",
    "h, a",
    lambda y, h, a: (1.0 - 2.0 * op("ndtr", a * h))
    * np.exp(-0.5 * h * h)
    / math.sqrt(8.0 * math.pi),
    lambda y, h, a: np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a)),
    on=((-1, 1), (-1, 1)),
)
# Kelvin functions satisfy one equation in pairs: 10.61.3.
for _one in ("be", "ke"):
    number(f"{_one}r", lambda y, x, _n=f"{_one}rp": op(_n, x), (0.5, 2))
    number(f"{_one}i", lambda y, x, _n=f"{_one}ip": op(_n, x), (0.5, 2))
    number(
        f"{_one}rp",
        lambda y, x, _n=f"{_one}i": -op(_n, x) - y / divisor(x),
        (0.5, 2),
        edge="NaN at 0",
    )
    number(
        f"{_one}ip",
        lambda y, x, _n=f"{_one}r": op(_n, x) - y / divisor(x),
        (0.5, 2),
        edge="NaN at 0",
    )


def _power_term(v: Any, x: Any) -> Any:
    power = as_numpy(0.5 * x) ** v
    return power * in_dtype_of(power, op("rgamma", v + 1.5)) / _ROOT_PI


numbers(  # 11.4.23, 11.4.24
    "struve",
    "v, x",
    None,
    lambda y, v, x: 0.5 * (op("struve", v - 1, x) - op("struve", v + 1, x) + _power_term(v, x)),
    on=((0.5, 1.5), (0.5, 3)),
    infer=weak_type,
)
numbers(
    "modstruve",
    "v, x",
    None,
    lambda y, v, x: 0.5
    * (op("modstruve", v - 1, x) + op("modstruve", v + 1, x) + _power_term(v, x)),
    on=((0.5, 1.5), (0.5, 3)),
    infer=weak_type,
)
number("itstruve0", lambda y, x: op("struve", 0, x), (0.5, 3))
number(
    "it2struve0",
    lambda y, x: -_near_zero(x, _OF_H0, False, lambda x: op("struve", 0, x) / x),
    (0.5, 3),
)
number("itmodstruve0", lambda y, x: op("modstruve", 0, x), (0.5, 3))
number("wrightomega", lambda y, x: y / (1.0 + y), (-2, 2))
numbers(
    "wright_bessel",
    "a, b, x",
    None,
    None,
    lambda y, a, b, x: op("wright_bessel", a, b + a, x),
    on=((0.5, 1.5), (0.5, 1.5), (0.3, 2)),
    infer=weak_type,
)
numbers(
    "log_wright_bessel",
    "a, b, x",
    None,
    None,
    lambda y, a, b, x: np.exp(op("log_wright_bessel", a, b + a, x) - y),
    on=((0.5, 1.5), (0.5, 1.5), (0.3, 2)),
    infer=weak_type,
)
numbers(  # 25.11.17
    "zeta",
    "x, q=",
    None,
    lambda y, x, q: -x * op("zeta", x + 1.0, q),
    on=((2, 3), (0.5, 2)),
)
number("exp10", lambda y, x: math.log(10.0) * y, (-1, 1))
number("cosdg", lambda y, x: -_DEGREE * op("sindg", x), (10, 80))
number("sindg", lambda y, x: _DEGREE * op("cosdg", x), (10, 80))
number("tandg", lambda y, x: _DEGREE * (1.0 + y * y), (10, 80))
number("cotdg", lambda y, x: -_DEGREE * (1.0 + y * y), (10, 80))
number("softplus", lambda y, x: op("expit", x), (-2, 2))
number("ndtri_exp", lambda y, x: math.sqrt(2.0 * math.pi) * np.exp(x + 0.5 * y * y), (-2, -0.3))
numbers(
    "powm1",
    "x, p",
    lambda y, x, p: p * as_numpy(x) ** (p - 1.0),
    lambda y, x, p: (y + 1.0) * np.log(x),
    on=((0.5, 2), (0.5, 2)),
)
numbers(
    "boxcox1p",
    "x, lmbda",
    lambda y, x, lmbda: as_numpy(1.0 + x) ** (lmbda - 1.0),
    lambda y, x, lmbda: power_slope(np.log1p(x), lmbda),
    on=((0.5, 2), (0.5, 2)),
)


def _inverse_power(x: Any, lmbda: Any) -> Any:
    """The derivative of `log(1 + a x) / a` by `a`, which has a value at 0: 15.4.1."""
    return -0.5 * x * x * op("hyp2f1", 2.0, 2.0, 3.0, -lmbda * x)


numbers(
    "inv_boxcox",
    "x, lmbda",
    lambda y, x, lmbda: as_numpy(y) ** (1.0 - lmbda),
    lambda y, x, lmbda: y * _inverse_power(x, lmbda),
    on=((0.5, 2), (0.5, 2)),
)
numbers(
    "inv_boxcox1p",
    "x, lmbda",
    lambda y, x, lmbda: as_numpy(1.0 + y) ** (1.0 - lmbda),
    lambda y, x, lmbda: (1.0 + y) * _inverse_power(x, lmbda),
    on=((0.5, 2), (0.5, 2)),
)
composed(
    "radian",
    "d, m, s",
    [f"{SPECIAL}radian"],
    lambda d, m, s: (d + m / 60.0 + s / 3600.0) * _DEGREE,
    infer=weak_type,
    domain=[(20.0, 3.0, 5.0), ([20.0, 30.0], [3.0], [5.0])],
)

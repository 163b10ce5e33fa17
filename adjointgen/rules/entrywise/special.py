"""SciPy's functions that act entry by entry. Rows are names: nothing here imports SciPy.

The derivatives are those of the Digital Library of Mathematical Functions (dlmf.nist.gov), by the
number of its equation where they are not elementary. By a parameter that has no formula in closed
form, such as the order of a Bessel function, a function has no derivative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.rules.entrywise.special_declarations import (
    ORDER,
    SPECIAL,
    beta_density,
    number,
    numbers,
)
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import constant, elementwise
from adjointgen.rules.framework.series import by_derivatives
from adjointgen.rules.framework.shape_helpers import in_dtype_of, op
from adjointgen.rules.framework.type_rules import boxed_type, double_type, floating_type, weak_type

_ROOT = 1.0 / math.sqrt(2.0 * math.pi)
_OF_PI = 2.0 / math.sqrt(math.pi)


number("ndtr", lambda y, x: _ROOT * np.exp(-0.5 * x * x), (-2, 2))
number("log_ndtr", lambda y, x: _ROOT * np.exp(-0.5 * x * x - y), (-2, 2))
number("ndtri", lambda y, x: np.exp(0.5 * y * y) / _ROOT, (0.1, 0.9))
number("expit", lambda y, x: y * (1.0 - y), (-2, 2))
number("log_expit", lambda y, x: op("expit", -x), (-2, 2))
number("logit", lambda y, x: 1.0 / (x * (1.0 - x)), (0.1, 0.9))
number("erfinv", lambda y, x: np.exp(y * y) / _OF_PI, (-0.9, 0.9), edge="infinite at ±1")
number("erfcinv", lambda y, x: -np.exp(y * y) / _OF_PI, (0.1, 1.9), edge="infinite at 0 and 2")
number("erfcx", lambda y, x: 2.0 * x * y - _OF_PI, (-1, 2))
number("erfi", lambda y, x: _OF_PI * np.exp(x * x), (-1, 1))
number("dawsn", lambda y, x: 1.0 - 2.0 * x * y, (-2, 2))


def _dilogarithm_slope(y: Any, x: Any) -> Any:
    """`log(x) / (1 - x)`; near 1, where its own slopes cancel, by 15.4.1."""
    near = np.abs(x - 1.0) < 0.5
    series = op("hyp2f1", 1.0, 1.0, 2.0, np.where(near, 1.0 - x, 0.0))
    return np.where(near, -series, np.log(x) / np.where(near, 1.0, 1.0 - x))


number("spence", _dilogarithm_slope, (0.2, 0.8))
number("exp1", lambda y, x: -np.exp(-x) / x, (0.5, 2))
number("expi", lambda y, x: np.exp(x) / x, (0.5, 2))
number("entr", lambda y, x: -np.log(x) - 1.0, (0.2, 2), edge="infinite at 0")
number("exprel", lambda y, x: op("hyp1f1", 2.0, 3.0, x) / 2.0, (0.3, 2))
number("cosm1", lambda y, x: -np.sin(x), (-2, 2))

number(
    "digamma",
    lambda y, x: in_dtype_of(y, op("polygamma", 1, x)),
    (0.5, 3),
    more=[SPECIAL + "psi"],
    series=by_derivatives(0, lambda order, x: op("polygamma", order, x)),
)
numbers(
    "polygamma",
    "n, x",
    None,
    lambda y, n, x: op("polygamma", n + 1, x),
    on=((1, 1), (0.5, 3)),
    infer=weak_type,
    because="its order is an integer",
    series=by_derivatives(1, lambda order, n, x: op("polygamma", n + order, x)),
)
number(
    "gammaln", lambda y, x: op("digamma", x), (0.5, 3), more=[SPECIAL + "loggamma", "math.lgamma"]
)
number("gamma", lambda y, x: y * op("digamma", x), (0.5, 3), more=["math.gamma"])


def _inverse_gamma(y: Any, x: Any) -> Any:
    """By reflection (5.5.3) below 1/2, where `digamma` has poles."""
    low = x < 0.5
    mirrored = np.where(low, 1.0 - x, x)
    by_reflection = np.cos(math.pi * x) * op("gamma", np.where(low, mirrored, 1.0))
    return np.where(low, by_reflection, 0.0) - y * op("digamma", mirrored)


number("rgamma", _inverse_gamma, (0.5, 3))
composed(
    "factorial",
    "n",
    [SPECIAL + "factorial"],
    lambda n: np.where(n < 0, 0.0, op("gamma", np.where(n < 0, 0.0, n) + 1.0)),
    infer=double_type,
    domain=[([2.5, 0.5],)],
    cost=20,
)
constant(
    "gammasgn",
    "x",
    [SPECIAL + "gammasgn"],
    infer=floating_type,
    because="it is constant between its jumps",
)
composed(
    "multigammaln",
    "a, d=None",
    [SPECIAL + "multigammaln"],
    lambda a, d: sum(op("gammaln", a - 0.5 * k) for k in range(d)),
    infer=double_type,
    domain=[([2.5, 3.5], {"d": 3}), ("float64[0]", {"d": 2})],
    cost=20,
)

number("j0", lambda y, x: -op("j1", x), (0.5, 3))  # 10.6.3
number("i0", lambda y, x: op("i1", x), (0.5, 3))  # 10.29.3
# NumPy's own gives an array without axes for a number.
elementwise(
    "numpy_i0",
    "x",
    ["numpy.i0"],
    lambda y, x: op("i1", x),
    infer=boxed_type,
    on=(0.5, 3),
    cost=20,
)
number("k0", lambda y, x: -op("k1", x), (0.5, 3))  # 10.29.3
number("k1", lambda y, x: -op("k0", x) - y / x, (0.5, 3))  # 10.29.2
number("y0", lambda y, x: -op("y1", x), (0.5, 3))  # 10.6.3
number("y1", lambda y, x: op("y0", x) - y / x, (0.5, 3))  # 10.6.2
number("i0e", lambda y, x: op("i1e", x) - np.sign(x) * y, (0.5, 3))
number("i1e", lambda y, x: 0.5 * (op("i0e", x) + op("ive", 2, x)) - np.sign(x) * y, (0.5, 3))
number("k0e", lambda y, x: y - op("k1e", x), (0.5, 3))
number("k1e", lambda y, x: y - op("k0e", x) - y / x, (0.5, 3))
# Not j0(x) - j1(x) / x, which has no value at 0.
number("j1", lambda y, x: 0.5 * (op("j0", x) - op("jv", 2, x)), (0.5, 3))  # 10.6.1
number("i1", lambda y, x: 0.5 * (op("i0", x) + op("iv", 2, x)), (0.5, 3))  # 10.29.1


def _bessel(name: str, below: float, above: float, rest: float = 0.0, *more: str) -> None:
    """A cylinder function of order v, by its neighbours (10.6.1 and 10.29.1).

    An exponentially scaled one has `rest` times itself as well.
    """

    def slope(y: Any, v: Any, x: Any) -> Any:
        lower, upper = op(name, v - 1, x), op(name, v + 1, x)
        total = below * lower + above * upper
        return total + rest * np.sign(x) * y if rest else total

    named = [SPECIAL + m for m in more]
    on = ((0.5, 1.5), (0.5, 3))
    numbers(name, "v, x", None, slope, on=on, more=named, because=ORDER)


_bessel("jv", 0.5, -0.5, 0.0, "jn")
_bessel("yv", 0.5, -0.5, 0.0, "yn")
_bessel("jve", 0.5, -0.5)
_bessel("yve", 0.5, -0.5)
_bessel("iv", 0.5, 0.5)
_bessel("kv", -0.5, -0.5, 0.0, "kn")
_bessel("ive", 0.5, 0.5, -1.0)
_bessel("kve", -0.5, -0.5, 1.0)


def _at_zero(x: Any, y: Any) -> Any:
    """`x / y`, and 0 where both are 0."""
    return x / np.where((x == 0) & (y == 0), 1.0, y)


numbers(
    "xlogy",
    "x, w",
    lambda y, x, w: np.log(w),
    lambda y, x, w: _at_zero(x, w),
    on=((0.5, 2), (0.5, 2)),
    edge="0 by w where x and w are 0",
    infer=weak_type,
)
numbers(
    "xlog1py",
    "x, w",
    lambda y, x, w: np.log1p(w),
    lambda y, x, w: _at_zero(x, 1.0 + w),
    on=((0.5, 2), (-0.5, 2)),
    edge="0 by w where x is 0 and w is -1",
    infer=weak_type,
)
numbers(
    "rel_entr",
    "x, w",
    lambda y, x, w: np.log(x / w) + 1.0,
    lambda y, x, w: -x / w,
    on=((0.5, 2), (0.5, 2)),
)
numbers(
    "kl_div",
    "x, w",
    lambda y, x, w: np.log(x / w),
    lambda y, x, w: 1.0 - x / w,
    on=((0.5, 2), (0.5, 2)),
)
numbers(
    "beta",
    "a, b",
    lambda y, a, b: y * (op("digamma", a) - op("digamma", a + b)),
    lambda y, a, b: y * (op("digamma", b) - op("digamma", a + b)),
    on=((0.5, 3), (0.5, 3)),
    infer=weak_type,
)
numbers(
    "betaln",
    "a, b",
    lambda y, a, b: op("digamma", a) - op("digamma", a + b),
    lambda y, a, b: op("digamma", b) - op("digamma", a + b),
    on=((0.5, 3), (0.5, 3)),
    infer=weak_type,
)


def _by_total(y: Any, n: Any, k: Any) -> Any:
    return y * (op("digamma", n + 1.0) - op("digamma", n - k + 1.0))


def _by_chosen(y: Any, n: Any, k: Any) -> Any:
    return y * (op("digamma", n - k + 1.0) - op("digamma", k + 1.0))


for _name, _infer in (("binom", floating_type), ("comb", weak_type)):
    numbers(_name, "n, k", _by_total, _by_chosen, on=((3.5, 5), (0.5, 2)), infer=_infer)
numbers(
    "poch",
    "z, m",
    lambda y, z, m: y * (op("digamma", z + m) - op("digamma", z)),
    lambda y, z, m: y * op("digamma", z + m),
    on=((0.5, 3), (0.5, 3)),
)
numbers(
    "perm",
    "n, k",
    lambda y, n, k: y * (op("digamma", n + 1.0) - op("digamma", n - k + 1.0)),
    lambda y, n, k: y * op("digamma", n - k + 1.0),
    on=((3.5, 5), (0.5, 2)),
    infer=weak_type,
)

numbers(
    "gammainc",
    "a, x",
    None,
    lambda y, a, x: np.exp(op("xlogy", a - 1.0, x) - x - op("gammaln", a)),
    on=((0.5, 3), (0.5, 3)),
    because=ORDER,
    infer=weak_type,
)
numbers(
    "gammaincc",
    "a, x",
    None,
    lambda y, a, x: -np.exp(op("xlogy", a - 1.0, x) - x - op("gammaln", a)),
    on=((0.5, 3), (0.5, 3)),
    because=ORDER,
    infer=weak_type,
)
numbers(
    "gammaincinv",
    "a, p",
    None,
    lambda y, a, p: np.exp(y + op("gammaln", a) - op("xlogy", a - 1.0, y)),
    on=((0.5, 3), (0.2, 0.8)),
    because=ORDER,
    infer=weak_type,
)


numbers(
    "betainc",
    "a, b, x",
    None,
    None,
    lambda y, a, b, x: beta_density(a, b, x),
    on=((0.5, 3), (0.5, 3), (0.2, 0.8)),
    because=ORDER,
)
numbers(
    "betaincinv",
    "a, b, p",
    None,
    None,
    lambda y, a, b, p: 1.0 / beta_density(a, b, y),
    on=((0.5, 3), (0.5, 3), (0.2, 0.8)),
    because=ORDER,
)


def _student_density(df: Any, t: Any) -> Any:
    """`(1 + t²/df)^(-(df+1)/2) / (sqrt(df) B(df/2, 1/2))`."""
    power = -0.5 * (df + 1.0) * np.log1p(t * t / df)
    scale = np.exp(op("betaln", 0.5 * df, 0.5)) * np.sqrt(df)
    return np.exp(power) / in_dtype_of(power, scale)


numbers(
    "stdtr",
    "df, t",
    None,
    lambda y, df, t: _student_density(df, t),
    on=((1, 5), (-2, 2)),
    because=ORDER,
)
numbers(
    "huber",
    "delta, r",
    lambda y, delta, r: np.where(abs(r) <= delta, 0.0, abs(r) - delta),
    lambda y, delta, r: np.clip(r, -delta, delta),
    on=((0.5, 1), (1.2, 2)),
)
numbers(
    "pseudo_huber",
    "delta, r",
    lambda y, delta, r: 2.0 * y / delta - r * r / (y / delta + delta),
    lambda y, delta, r: r / np.sqrt(1.0 + (r / delta) ** 2),
    on=((0.5, 1), (1.2, 2)),
)


def power_slope(log: Any, lmbda: Any) -> Any:
    """The derivative of `(exp(lmbda * log) - 1) / lmbda` by lmbda, by 13.4.1."""
    return 0.5 * log * log * op("hyp1f1", 2.0, 3.0, lmbda * log)


numbers(
    "boxcox",
    "x, lmbda",
    lambda y, x, lmbda: x ** (lmbda - 1.0),
    lambda y, x, lmbda: power_slope(np.log(x), lmbda),
    on=((0.5, 2), (0.5, 2)),
)

"""Distributions of positive numbers: the logarithms of their densities, as SciPy states them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.probability.families import LOG_ROOT, Formula, family
from adjointgen.rules.probability.on_the_line import normal

_X = [0.6, 1.7]
_LOG_2 = math.log(2.0)


def _positive(
    name: str,
    parameters: str,
    values: list[float],
    log_density: Formula,
    cumulated: Formula | None = None,
    passive: str = "",
) -> None:
    family(name, parameters, _X, values, log_density, cumulated, (0.0, None, 1.0), passive)


def _power(x: Any, a: Any) -> Any:
    """`log x**(a - 1)`."""
    return op("xlogy", a - 1.0, x)


for _name in ("gamma", "erlang"):
    _positive(_name, "a", [2.0], lambda x, a: _power(x, a) - x - op("gammaln", a))
_positive("expon", "", [], lambda x: -x)
_positive(
    "chi2",
    "df",
    [2.5],
    lambda x, df: _power(x, 0.5 * df) - 0.5 * x - op("gammaln", 0.5 * df) - 0.5 * _LOG_2 * df,
)
_positive(
    "chi",
    "df",
    [2.5],
    lambda x, df: _LOG_2
    - 0.5 * _LOG_2 * df
    - op("gammaln", 0.5 * df)
    + _power(x, df)
    - 0.5 * x * x,
)
_positive(
    "lognorm",
    "s",
    [0.6],
    lambda x, s: normal(np.log(x) / s) - np.log(s * x),
    lambda x, s: op("ndtr", np.log(x) / s),
)
_positive("gibrat", "", [], lambda x: normal(np.log(x)) - np.log(x))
_positive(
    "alpha",
    "a",
    [1.6],
    lambda x, a: -2.0 * np.log(x) + normal(a - 1.0 / x) - op("log_ndtr", a),
    lambda x, a: op("ndtr", a - 1.0 / x) / op("ndtr", a),
)
_positive(
    "betaprime",
    "a b",
    [2.0, 1.5],
    lambda x, a, b: _power(x, a) - op("xlog1py", a + b, x) - op("betaln", a, b),
)
_positive(
    "burr",
    "c d",
    [2.5, 1.3],
    lambda x, c, d: np.log(c * d) - (c + 1.0) * np.log(x) - (d + 1.0) * np.log1p(x**-c),
    lambda x, c, d: (1.0 + x**-c) ** -d,
)
_positive(
    "burr12",
    "c d",
    [2.5, 1.3],
    lambda x, c, d: np.log(c * d) + _power(x, c) - (d + 1.0) * np.log1p(x**c),
    lambda x, c, d: -np.expm1(-d * np.log1p(x**c)),
)
_positive(
    "fisk",
    "c",
    [2.1],
    lambda x, c: np.log(c) + _power(x, c) - 2.0 * np.log1p(x**c),
    lambda x, c: 1.0 / (1.0 + x**-c),
)
_positive(
    "exponpow",
    "b",
    [1.7],
    lambda x, b: 1.0 + np.log(b) + _power(x, b) + x**b - np.exp(x**b),
    lambda x, b: -np.expm1(-np.expm1(x**b)),
)
_positive(
    "exponweib",
    "a c",
    [1.6, 1.4],
    lambda x, a, c: np.log(a * c) + _power(-np.expm1(-(x**c)), a) - x**c + _power(x, c),
    lambda x, a, c: (-np.expm1(-(x**c))) ** a,
)
_positive(
    "f",
    "dfn dfd",
    [3.0, 5.0],
    lambda x, n, m: 0.5 * m * np.log(m)
    + 0.5 * n * np.log(n)
    + _power(x, 0.5 * n)
    - 0.5 * (n + m) * np.log(m + n * x)
    - op("betaln", 0.5 * n, 0.5 * m),
)
_positive(
    "fatiguelife",
    "c",
    [0.8],
    lambda x, c: np.log1p(x)
    - np.log(2.0 * c)
    - LOG_ROOT
    - 1.5 * np.log(x)
    - 0.5 * (x - 1.0) ** 2 / (x * c * c),
    lambda x, c: op("ndtr", (np.sqrt(x) - 1.0 / np.sqrt(x)) / c),
)
_positive(
    "foldcauchy",
    "c",
    [0.7],
    lambda x, c: np.log(1.0 / (1.0 + (x - c) ** 2) + 1.0 / (1.0 + (x + c) ** 2))
    - math.log(math.pi),
    lambda x, c: (np.arctan(x - c) + np.arctan(x + c)) / math.pi,
)
_positive(
    "foldnorm",
    "c",
    [0.7],
    lambda x, c: np.logaddexp(c * x, -c * x) - 0.5 * (x * x + c * c) - LOG_ROOT,
    lambda x, c: op("ndtr", x - c) - op("ndtr", -x - c),
)
_positive(
    "invweibull",
    "c",
    [2.2],
    lambda x, c: np.log(c) - (c + 1.0) * np.log(x) - x**-c,
    lambda x, c: np.exp(-(x**-c)),
)
_positive(
    "genexpon",
    "a b c",
    [1.1, 0.7, 0.9],
    lambda x, a, b, c: np.log(a - b * np.expm1(-c * x)) - (a + b) * x - b * np.expm1(-c * x) / c,
    lambda x, a, b, c: -np.expm1(-(a + b) * x - b * np.expm1(-c * x) / c),
)
_positive(
    "gengamma",
    "a c",
    [1.6, 1.3],
    lambda x, a, c: np.log(abs(c)) + op("xlogy", c * a - 1.0, x) - x**c - op("gammaln", a),
)
_positive(
    "geninvgauss",
    "p b",
    [1.3, 1.5],
    lambda x, p, b: _power(x, p) - 0.5 * b * (x + 1.0 / x) - _LOG_2 - np.log(op("kve", p, b)) + b,
    passive="p",
)
_positive(
    "gompertz",
    "c",
    [0.9],
    lambda x, c: np.log(c) + x - c * np.expm1(x),
    lambda x, c: -np.expm1(-c * np.expm1(x)),
)
_positive("halfcauchy", "", [], lambda x: math.log(2.0 / math.pi) - np.log1p(x * x))
_positive("halflogistic", "", [], lambda x: _LOG_2 - x - 2.0 * np.log1p(np.exp(-x)))
_positive("halfnorm", "", [], lambda x: normal(x) + _LOG_2)
_positive(
    "halfgennorm",
    "beta",
    [1.4],
    lambda x, beta: np.log(beta) - op("gammaln", 1.0 / beta) - x**beta,
)
_positive(
    "invgamma",
    "a",
    [2.4],
    lambda x, a: -(a + 1.0) * np.log(x) - op("gammaln", a) - 1.0 / x,
)


def _inverse_normal(x: Any, mu: Any) -> Any:
    return -LOG_ROOT - 1.5 * np.log(x) - 0.5 * (x / mu - 1.0) ** 2 / x


def _inverse_normal_cdf(x: Any, mu: Any) -> Any:
    root = 1.0 / np.sqrt(x)
    upper = np.exp(2.0 / mu + op("log_ndtr", -root * (x / mu + 1.0)))
    return op("ndtr", root * (x / mu - 1.0)) + upper


_positive("invgauss", "mu", [0.8], _inverse_normal, _inverse_normal_cdf)
_positive("wald", "", [], lambda x: _inverse_normal(x, 1.0))
_positive(
    "recipinvgauss",
    "mu",
    [0.8],
    lambda x, mu: normal((1.0 - mu * x) / (mu * np.sqrt(x))) - 0.5 * np.log(x),
    lambda x, mu: op("ndtr", (x - 1.0 / mu) / np.sqrt(x))
    - np.exp(2.0 / mu + op("log_ndtr", -(x + 1.0 / mu) / np.sqrt(x))),
)
_positive(
    "kappa3",
    "a",
    [1.4],
    lambda x, a: np.log(a) - (1.0 + 1.0 / a) * np.log(a + x**a),
    lambda x, a: x * (a + x**a) ** (-1.0 / a),
)
_positive("levy", "", [], lambda x: -LOG_ROOT - 1.5 * np.log(x) - 0.5 / x)
_positive(
    "loglaplace",
    "c",
    [1.8],
    lambda x, c: np.log(0.5 * c) - np.log(x) - c * abs(np.log(x)),
    lambda x, c: np.where(x < 1.0, 0.5 * x**c, 1.0 - 0.5 * x**-c),
)
_positive(
    "lomax",
    "c",
    [1.8],
    lambda x, c: np.log(c) - (c + 1.0) * np.log1p(x),
    lambda x, c: -np.expm1(-c * np.log1p(x)),
)
_positive(
    "maxwell", "", [], lambda x: 2.0 * np.log(x) - 0.5 * x * x + 0.5 * math.log(2.0 / math.pi)
)
_positive(
    "mielke",
    "k s",
    [2.3, 1.7],
    lambda x, k, s: np.log(k) + _power(x, k) - (1.0 + k / s) * np.log1p(x**s),
    lambda x, k, s: x**k * (1.0 + x**s) ** (-k / s),
)
_positive(
    "nakagami",
    "nu",
    [1.8],
    lambda x, nu: _LOG_2
    + nu * np.log(nu)
    - op("gammaln", nu)
    + op("xlogy", 2.0 * nu - 1.0, x)
    - nu * x * x,
)
_positive(
    "ncx2",
    "df nc",
    [3.0, 1.2],
    lambda x, df, nc: (0.25 * df - 0.5) * np.log(x / nc)
    - 0.5 * (np.sqrt(x) - np.sqrt(nc)) ** 2
    + np.log(0.5 * op("ive", 0.5 * df - 1.0, np.sqrt(x * nc))),
    passive="df",
)
_positive(
    "powerlognorm",
    "c s",
    [2.1, 0.7],
    lambda x, c, s: np.log(c)
    - np.log(x * s)
    + normal(np.log(x) / s)
    + (c - 1.0) * op("log_ndtr", -np.log(x) / s),
    lambda x, c, s: -np.expm1(c * op("log_ndtr", -np.log(x) / s)),
)
_positive("rayleigh", "", [], lambda x: np.log(x) - 0.5 * x * x)
_positive(
    "rice", "b", [0.8], lambda x, b: np.log(x) - 0.5 * (x - b) ** 2 + np.log(op("i0e", x * b))
)
_positive(
    "weibull_min",
    "c",
    [1.8],
    lambda x, c: np.log(c) + _power(x, c) - x**c,
    lambda x, c: -np.expm1(-(x**c)),
)

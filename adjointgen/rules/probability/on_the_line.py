"""Distributions of all real numbers: the logarithms of their densities, as SciPy states them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.probability.families import LOG_ROOT, family

_X = [-0.8, 0.6]


def normal(z: Any) -> Any:
    """The logarithm of the standard normal density."""
    return -0.5 * z * z - LOG_ROOT


def _both(z: Any, below: Any, above: Any) -> Any:
    """One formula for negative numbers, and one for the rest."""
    return np.where(z < 0.0, below, above)


def _log_cosh(z: Any) -> Any:
    return np.logaddexp(z, -z) - math.log(2.0)


family("norm", "", _X, [], normal)
family("logistic", "", _X, [], lambda z: op("log_expit", z) + op("log_expit", -z))
family("laplace", "", _X, [], lambda z: -abs(z) - math.log(2.0))
family("cauchy", "", _X, [], lambda z: -np.log1p(z * z) - math.log(math.pi))
family("gumbel_r", "", _X, [], lambda z: -z - np.exp(-z))
family("gumbel_l", "", _X, [], lambda z: z - np.exp(z))
family("hypsecant", "", _X, [], lambda z: -_log_cosh(z) - math.log(math.pi))
family("moyal", "", _X, [], lambda z: -0.5 * (z + np.exp(-z)) - LOG_ROOT)
family(
    "t",
    "df",
    _X,
    [2.5],
    lambda z, df: op("gammaln", 0.5 * (df + 1.0))
    - op("gammaln", 0.5 * df)
    - 0.5 * np.log(math.pi * df)
    - 0.5 * (df + 1.0) * np.log1p(z * z / df),
)
family(
    "dgamma",
    "a",
    _X,
    [1.6],
    lambda z, a: op("xlogy", a - 1.0, abs(z)) - abs(z) - op("gammaln", a) - math.log(2.0),
)
family(
    "dweibull",
    "c",
    _X,
    [1.7],
    lambda z, c: np.log(c) - math.log(2.0) + op("xlogy", c - 1.0, abs(z)) - abs(z) ** c,
    lambda z, c: _both(z, 0.5 * np.exp(-(abs(z) ** c)), 1.0 - 0.5 * np.exp(-(abs(z) ** c))),
)
family(
    "exponnorm",
    "K",
    _X,
    [1.5],
    lambda z, k: (0.5 / k - z) / k + op("log_ndtr", z - 1.0 / k) - np.log(k),
    lambda z, k: op("ndtr", z) - np.exp((0.5 / k - z) / k + op("log_ndtr", z - 1.0 / k)),
)
family(
    "gennorm",
    "beta",
    _X,
    [1.6],
    lambda z, beta: np.log(0.5 * beta) - op("gammaln", 1.0 / beta) - abs(z) ** beta,
)
family(
    "genlogistic",
    "c",
    _X,
    [0.7],
    lambda z, c: np.log(c) - z + (c + 1.0) * op("log_expit", z),
    lambda z, c: np.exp(c * op("log_expit", z)),
)
family(
    "johnsonsu",
    "a b",
    _X,
    [1.2, 1.4],
    lambda z, a, b: np.log(b) - 0.5 * np.log1p(z * z) + normal(a + b * np.arcsinh(z)),
    lambda z, a, b: op("ndtr", a + b * np.arcsinh(z)),
)
family(
    "laplace_asymmetric",
    "kappa",
    _X,
    [1.7],
    lambda z, k: _both(z, z / k, -z * k) - np.log(k + 1.0 / k),
    lambda z, k: _both(
        z, np.exp(z / k) * k / (k + 1.0 / k), 1.0 - np.exp(-z * k) / k / (k + 1.0 / k)
    ),
)
family(
    "loggamma",
    "c",
    _X,
    [0.8],
    lambda z, c: c * z - np.exp(z) - op("gammaln", c),
)
family(
    "norminvgauss",
    "a b",
    _X,
    [1.25, 0.5],
    lambda z, a, b: np.log(a / math.pi)
    - 0.5 * np.log1p(z * z)
    + np.sqrt(a * a - b * b)
    + b * z
    - a * np.hypot(1.0, z)
    + np.log(op("k1e", a * np.hypot(1.0, z))),
)
family(
    "powernorm",
    "c",
    _X,
    [2.4],
    lambda z, c: np.log(c) + normal(z) + (c - 1.0) * op("log_ndtr", -z),
    lambda z, c: -np.expm1(c * op("log_ndtr", -z)),
)
family(
    "skewcauchy",
    "a",
    _X,
    [0.5],
    lambda z, a: -math.log(math.pi) - np.log1p((z / (1.0 + a * np.sign(z))) ** 2),
    lambda z, a: _both(
        z,
        0.5 * (1.0 - a) + (1.0 - a) / math.pi * np.arctan(z / (1.0 - a)),
        0.5 * (1.0 - a) + (1.0 + a) / math.pi * np.arctan(z / (1.0 + a)),
    ),
)
family(
    "skewnorm",
    "a",
    _X,
    [1.5],
    lambda z, a: math.log(2.0) + normal(z) + op("log_ndtr", a * z),
    lambda z, a: op("ndtr", z) - 2.0 * op("owens_t", z, a),
)
family(
    "jf_skew_t",
    "a b",
    _X,
    [2.5, 1.8],
    lambda z, a, b: (a + 0.5) * np.log1p(z / np.sqrt(a + b + z * z))
    + (b + 0.5) * np.log1p(-z / np.sqrt(a + b + z * z))
    + (1.0 - a - b) * math.log(2.0)
    - op("betaln", a, b)
    - 0.5 * np.log(a + b),
)
family(
    "genhyperbolic",
    "p a b",
    _X,
    [0.5, 1.5, -0.5],
    lambda z, p, a, b: 0.5 * p * np.log((a - b) * (a + b))
    - LOG_ROOT
    - (p - 0.5) * np.log(a)
    - np.log(op("kve", p, np.sqrt((a - b) * (a + b))))
    + np.sqrt((a - b) * (a + b))
    + b * z
    + np.log(op("kve", p - 0.5, a * np.hypot(1.0, z)))
    - a * np.hypot(1.0, z)
    + 0.5 * (p - 0.5) * np.log1p(z * z),
    passive="p",
)


def _crystal_log(z: Any, beta: Any, m: Any) -> Any:
    """A normal density with a power for its lower tail."""
    tail = m / beta / (m - 1.0) * np.exp(-0.5 * beta * beta)
    total = np.log(tail + math.sqrt(2.0 * math.pi) * op("ndtr", beta))
    inner = np.where(z < -beta, m / beta - beta - z, 1.0)
    power = m * np.log(m / beta) - 0.5 * beta * beta - m * np.log(inner)
    return np.where(z > -beta, -0.5 * z * z, power) - total


family("crystalball", "beta m", [-1.5, 0.6], [1.2, 3.0], _crystal_log)
family(
    "vonmises",
    "kappa",
    _X,
    [2.5],
    lambda z, k: k * op("cosm1", z) - math.log(2.0 * math.pi) - np.log(op("i0e", k)),
)

"""Distributions with an end other than zero: the logarithms of their densities, by SciPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.probability.families import LOG_ROOT, family
from adjointgen.rules.probability.on_the_line import normal

_UNIT = (0.0, 1.0, 0.5)
_INSIDE = [0.3, 0.8]
_NEGATIVE = (None, 0.0, -1.0)


def _power(x: Any, a: Any) -> Any:
    """`log x**(a - 1)`."""
    return op("xlogy", a - 1.0, x)


family("uniform", "", _INSIDE, [], lambda x: 0.0 * x, None, _UNIT)
family(
    "beta",
    "a b",
    _INSIDE,
    [1.5, 2.2],
    lambda x, a, b: _power(x, a) + op("xlog1py", b - 1.0, -x) - op("betaln", a, b),
    None,
    _UNIT,
)
family(
    "arcsine",
    "",
    _INSIDE,
    [],
    lambda x: -math.log(math.pi) - 0.5 * np.log(x) - 0.5 * np.log1p(-x),
    None,
    _UNIT,
)
family(
    "argus",
    "chi",
    _INSIDE,
    [1.1],
    lambda x, chi: 3.0 * np.log(chi)
    - LOG_ROOT
    - np.log(op("ndtr", chi) - chi * np.exp(normal(chi)) - 0.5)
    + np.log(x)
    + 0.5 * np.log1p(-x * x)
    - 0.5 * chi * chi * (1.0 - x * x),
    None,
    _UNIT,
)
family(
    "bradford",
    "c",
    _INSIDE,
    [0.7],
    lambda x, c: np.log(c) - np.log1p(c * x) - np.log(np.log1p(c)),
    lambda x, c: np.log1p(c * x) / np.log1p(c),
    _UNIT,
)
family(
    "gausshyper",
    "a b c z",
    _INSIDE,
    [2.1, 1.4, 1.2, 0.6],
    lambda x, a, b, c, z: _power(x, a)
    + op("xlog1py", b - 1.0, -x)
    - c * np.log1p(z * x)
    - op("betaln", a, b)
    - np.log(op("hyp2f1", c, a, a + b, -z)),
    None,
    _UNIT,
    "a b c",
)
family(
    "johnsonsb",
    "a b",
    _INSIDE,
    [0.7, 1.3],
    lambda x, a, b: np.log(b) - np.log(x) - np.log1p(-x) + normal(a + b * op("logit", x)),
    lambda x, a, b: op("ndtr", a + b * op("logit", x)),
    _UNIT,
)
family(
    "powerlaw",
    "a",
    _INSIDE,
    [1.7],
    lambda x, a: np.log(a) + _power(x, a),
    lambda x, a: x**a,
    _UNIT,
)
family(
    "triang",
    "c",
    _INSIDE,
    [0.4],
    lambda x, c: np.log(2.0 * np.where(x < c, x, 1.0 - x)) - np.log(np.where(x < c, c, 1.0 - c)),
    lambda x, c: np.where(x < c, x * x / c, (x * x - 2.0 * x + c) / (c - 1.0)),
    _UNIT,
)
family(
    "trapezoid",
    "c d",
    _INSIDE,
    [0.2, 0.7],
    lambda x, c, d: np.log(2.0 / (1.0 + d - c))
    + np.log(np.where(x < c, x / c, np.where(x > d, (1.0 - x) / (1.0 - d), 1.0))),
    lambda x, c, d: np.where(
        x < c,
        x * x / c / (1.0 + d - c),
        np.where(
            x > d,
            1.0 - (1.0 - x) ** 2 / (1.0 + d - c) / (1.0 - d),
            (c + 2.0 * (x - c)) / (1.0 + d - c),
        ),
    ),
    _UNIT,
)
family(
    "truncexpon",
    "b",
    [0.4, 1.3],
    [2.1],
    lambda x, b: -x - np.log(-np.expm1(-b)),
    lambda x, b: np.expm1(-x) / np.expm1(-b),
    lambda b: (0.0, b, 0.5 * b),
)
for _name in ("loguniform", "reciprocal"):
    family(
        _name,
        "a b",
        [0.4, 1.1],
        [0.2, 1.6],
        lambda x, a, b: -np.log(x) - np.log(np.log(b) - np.log(a)),
        lambda x, a, b: (np.log(x) - np.log(a)) / (np.log(b) - np.log(a)),
        lambda a, b: (a, b, 0.5 * (a + b)),
    )
family(
    "pareto",
    "b",
    [1.6, 2.5],
    [2.1],
    lambda x, b: np.log(b) - (b + 1.0) * np.log(x),
    lambda x, b: 1.0 - x**-b,
    (1.0, None, 2.0),
)
family(
    "truncpareto",
    "b c",
    [1.6, 2.5],
    [1.8, 4.0],
    lambda x, b, c: np.log(b / (1.0 - c**-b)) - (b + 1.0) * np.log(x),
    lambda x, b, c: (1.0 - x**-b) / (1.0 - c**-b),
    lambda b, c: (1.0, c, 0.5 * (1.0 + c)),
)


def _mass(low: Any, high: Any) -> Any:
    """What a normal variable has between two numbers, in the tail where it is longer known."""
    below = op("ndtr", high) - op("ndtr", low)
    return np.where(low > 0.0, op("ndtr", -low) - op("ndtr", -high), below)


family(
    "truncnorm",
    "a b",
    [-0.4, 0.9],
    [-1.1, 1.7],
    lambda x, a, b: normal(x) - np.log(_mass(a, b)),
    lambda x, a, b: _mass(a, x) / _mass(a, b),
    lambda a, b: (a, b, np.where(a > 0.0, a, np.where(b < 0.0, b, 0.0))),
)
family(
    "truncweibull_min",
    "c a b",
    [0.6, 1.3],
    [2.1, 0.3, 1.7],
    lambda x, c, a, b: np.log(c) + _power(x, c) - x**c - np.log(np.exp(-(a**c)) - np.exp(-(b**c))),
    lambda x, c, a, b: (np.exp(-(a**c)) - np.exp(-(x**c))) / (np.exp(-(a**c)) - np.exp(-(b**c))),
    lambda c, a, b: (a, b, a + np.minimum(0.5 * (b - a), 1.0)),
)
family(
    "anglit",
    "",
    [-0.4, 0.5],
    [],
    lambda x: np.log(np.cos(2.0 * x)),
    None,
    (-0.25 * math.pi, 0.25 * math.pi, 0.0),
)
family(
    "cosine",
    "",
    [-0.8, 1.5],
    [],
    lambda x: np.log1p(np.cos(x)) - math.log(2.0 * math.pi),
    None,
    (-math.pi, math.pi, 0.0),
)
family(
    "vonmises_line",
    "kappa",
    [-0.8, 1.5],
    [1.4],
    lambda x, k: k * op("cosm1", x) - math.log(2.0 * math.pi) - np.log(op("i0e", k)),
    None,
    (-math.pi, math.pi, 0.0),
)
family(
    "wrapcauchy",
    "c",
    [0.7, 1.8],
    [0.4],
    lambda x, c: np.log((1.0 - c * c) / (2.0 * math.pi))
    - np.log(1.0 + c * c - 2.0 * c * np.cos(x)),
    None,
    (0.0, 2.0 * math.pi, 1.0),
)
family(
    "rdist",
    "c",
    [-0.4, 0.7],
    [1.7],
    lambda x, c: op("xlog1py", 0.5 * c - 1.0, -x * x) - op("betaln", 0.5, 0.5 * c),
    None,
    (-1.0, 1.0, 0.0),
)
family(
    "semicircular",
    "",
    [-0.4, 0.7],
    [],
    lambda x: math.log(2.0 / math.pi) + 0.5 * np.log1p(-x * x),
    None,
    (-1.0, 1.0, 0.0),
)
family(
    "weibull_max",
    "c",
    [-1.4, -0.6],
    [2.3],
    lambda x, c: np.log(c) + _power(-x, c) - (-x) ** c,
    lambda x, c: np.exp(-((-x) ** c)),
    _NEGATIVE,
)
family(
    "levy_l",
    "",
    [-1.4, -0.6],
    [],
    lambda x: -LOG_ROOT - 1.5 * np.log(abs(x)) - 0.5 / abs(x),
    None,
    _NEGATIVE,
)
family(
    "genhalflogistic",
    "c",
    [0.3, 0.8],
    [0.7],
    lambda x, c: math.log(2.0)
    + (1.0 / c - 1.0) * np.log1p(-c * x)
    - 2.0 * np.log1p((1.0 - c * x) ** (1.0 / c)),
    lambda x, c: (1.0 - (1.0 - c * x) ** (1.0 / c)) / (1.0 + (1.0 - c * x) ** (1.0 / c)),
    lambda c: (0.0, 1.0 / c, 0.5 / c),
)


def by_shape(c: Any, z: Any) -> Any:
    """`log(1 + c z) / c`, by its series where `c z` is so small that the slope by `c` cancels."""
    t = c * z
    flat = abs(t) < 1e-3
    small = z * (1.0 - t * (0.5 - t * (1.0 / 3.0 - t * (0.25 - t * (0.2 - t / 6.0)))))
    return np.where(flat, small, np.log1p(c * z) / np.where(flat, 1.0, c))


def _pareto_ends(c: Any) -> tuple[Any, Any, Any]:
    """Up to `-1 / c` where the shape is negative."""
    end = np.where(c < 0.0, -1.0 / np.where(c < 0.0, c, -1.0), math.inf)
    return 0.0, end, np.minimum(0.5 * end, 1.0)


def _extreme_ends(c: Any) -> tuple[Any, Any, Any]:
    """Up to `1 / c` where the shape is positive, from there where it is negative."""
    end = 1.0 / np.where(c == 0.0, 1.0, c)
    return np.where(c < 0.0, end, -math.inf), np.where(c > 0.0, end, math.inf), 0.0


family(
    "genpareto",
    "c",
    [0.4, 1.3],
    [0.3],
    lambda x, c: -(c + 1.0) * by_shape(c, x),
    lambda x, c: -np.expm1(-by_shape(c, x)),
    _pareto_ends,
)
family(
    "genextreme",
    "c",
    [-0.4, 0.9],
    [0.3],
    lambda x, c: -np.exp(-by_shape(-c, x)) - by_shape(-c, x) - np.log1p(-c * x),
    lambda x, c: np.exp(-np.exp(-by_shape(-c, x))),
    _extreme_ends,
)

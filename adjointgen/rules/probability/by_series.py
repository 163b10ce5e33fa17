"""Distributions whose functions SciPy computes by series, by integration or by inversion.

Where the density has a closed form, all follows from it. Where it has none, what is integrated from
it has a derivative by the argument, the location and the scale still: SciPy's own density.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjointgen.rules.entrywise.special_declarations import number
from adjointgen.rules.framework.shape_helpers import as_numpy, op
from adjointgen.rules.probability.bounded import by_shape
from adjointgen.rules.probability.families import LOG_ROOT, family
from adjointgen.rules.probability.on_the_line import normal

_POSITIVE = (0.0, None, 1.0)
_UNIT = (0.0, 1.0, 0.5)
# Below this skewness SciPy takes the normal distribution.
_NORMAL_SKEW = 0.000016


def _pearson_log(x: Any, skew: Any) -> Any:
    """A gamma density, shifted and scaled to mean 0 and variance 1, reflected for negative skew."""
    flat = abs(skew) < _NORMAL_SKEW
    beta = 2.0 / np.where(flat, 1.0, skew)
    alpha = beta * beta
    moved = np.where(flat, alpha, beta * x + alpha)
    found = np.log(abs(beta)) + op("xlogy", alpha - 1.0, moved) - moved - op("gammaln", alpha)
    return np.where(flat, normal(x), found)


def _pearson_ends(skew: Any) -> tuple[Any, Any, Any]:
    """From `-2 / skew` where the skewness is positive, up to there where it is negative."""
    end = -2.0 / np.where(abs(skew) < _NORMAL_SKEW, 1.0, skew)
    low = np.where(skew >= _NORMAL_SKEW, end, -math.inf)
    return low, np.where(skew <= -_NORMAL_SKEW, end, math.inf), 0.0


# By the skewness the terms cancel where it is small.
family("pearson3", "skew", [-0.8, 0.6], [0.7], _pearson_log, None, _pearson_ends, "skew")


def _tukey_log(x: Any, lam: Any) -> Any:
    """The quantile function is `(q**lam - (1 - q)**lam) / lam`: the density is 1 by its slope."""
    below, above = op("tklmbda", x, lam), op("tklmbda", -x, lam)
    return -np.log(below ** (lam - 1.0) + above ** (lam - 1.0))


def _tukey_ends(lam: Any) -> tuple[Any, Any, Any]:
    end = np.where(lam > 0.0, 1.0 / np.where(lam > 0.0, lam, 1.0), math.inf)
    return -end, end, 0.0


family("tukeylambda", "lam", [-0.4, 0.6], [0.7], _tukey_log, None, _tukey_ends, "lam")


def _kappa_log(x: Any, h: Any, k: Any) -> Any:
    """Hosking 1994: of `w = (1 - k x)**(1 / k)` and the distribution `(1 - h w)**(1 / h)`."""
    t = by_shape(-k, x)
    return -(1.0 - k) * t - (1.0 - h) * by_shape(-h, np.exp(-t))


def _kappa_ends(h: Any, k: Any) -> tuple[Any, Any, Any]:
    """Its ends, and its median."""
    flat, flat_h, above = k == 0.0, h == 0.0, h > 0.0
    divided, base = np.where(flat, 1.0, k), np.where(above, h, 1.0)
    end = 1.0 / divided
    reached = np.where(flat, np.log(base), (1.0 - base**-k) / divided)
    low = np.where(above, reached, np.where(k < 0.0, end, -math.inf))
    half = np.where(flat_h, math.log(2.0), (1.0 - 0.5**h) / np.where(flat_h, 1.0, h))
    middle = np.where(flat, -np.log(half), (1.0 - half**k) / divided)
    return low, np.where(k > 0.0, end, math.inf), middle


family(
    "kappa4",
    "h k",
    [-0.4, 0.6],
    [0.3, 0.2],
    _kappa_log,
    None,
    _kappa_ends,
    "h k",
)


def _breit_wigner_log(x: Any, rho: Any) -> Any:
    root = 1.0 / (rho * rho)
    factor = 0.5 * (np.log1p(root) - np.log1p(np.sqrt(1.0 + root)))
    return (
        factor
        + 1.5 * math.log(2.0)
        - math.log(math.pi)
        - np.log1p(((x - rho) * (x + rho) / rho) ** 2)
    )


family("rel_breitwigner", "rho", [0.6, 1.7], [1.4], _breit_wigner_log, None, _POSITIVE)


def _pareto_lognormal_log(x: Any, u: Any, s: Any, a: Any, b: Any) -> Any:
    """Reed and Jorgensen 2004, equation 12, with Mills' ratios of both sides."""
    z = (np.log(x) - u) / s
    left, right = a * s - z, b * s + z
    ratios = np.logaddexp(
        op("log_ndtr", -left) - normal(left), op("log_ndtr", -right) - normal(right)
    )
    return np.log(a) + np.log(b) - np.log(a + b) - np.log(x) + normal(z) + ratios


family(
    "dpareto_lognorm",
    "u s a b",
    [0.6, 1.7],
    [0.3, 1.2, 1.5, 2.0],
    _pareto_lognormal_log,
    None,
    _POSITIVE,
    filled=True,
)


def _ncf_log(x: Any, n: Any, m: Any, nc: Any) -> Any:
    """The density for `nc = 0` times a confluent function (Johnson, Kotz and Balakrishnan 1995)."""
    whole = m + n * x
    more = np.log(op("hyp1f1", 0.5 * (n + m), 0.5 * n, 0.5 * nc * n * x / whole))
    scale = 0.5 * m * np.log(m) + 0.5 * n * np.log(n) - op("betaln", 0.5 * n, 0.5 * m)
    power = op("xlogy", 0.5 * n - 1.0, x) - 0.5 * (n + m) * np.log(whole)
    return scale + power + more - 0.5 * nc


family("ncf", "dfn dfd nc", [0.6, 1.7], [3.0, 5.0, 1.2], _ncf_log, None, _POSITIVE, "dfn dfd")


def _kolmogorov_log(x: Any) -> Any:
    """The derivative of Kolmogorov's two series, each where it converges faster.

    `1 - 2 Σ (-1)**(k - 1) exp(-2 k² x²)` is `√(2 π) / x Σ exp(-(2 k - 1)² π² / (8 x²))`
    (Feller 1948). Of each the first term is taken out.
    """
    small = x < 1.0
    low, high = np.where(small, x, 1.0), np.where(small, 1.0, x)
    first, square = math.pi**2 / 8.0, low * low
    rise: Any = 0.0
    for k in (7, 5, 3, 1):
        rise = rise + (2.0 * k * k * first / square - 1.0) * np.exp((1.0 - k * k) * first / square)
    fall: Any = 0.0
    for k in (5, 4, 3, 2, 1):
        fall = k * k * np.exp(-2.0 * (k * k - 1.0) * high * high) * (-1.0) ** (k - 1) + fall
    below = LOG_ROOT - first / square - 2.0 * np.log(low) + np.log(rise)
    above = math.log(8.0) + np.log(high) - 2.0 * high * high + np.log(fall)
    return np.where(small, below, above)


# SciPy cuts the series of the density after 9 digits.
family("kstwobign", "", [0.6, 1.3], [], _kolmogorov_log, None, _POSITIVE, "", True)


def _kolmogorov_density(x: Any) -> Any:
    """Zero for numbers that are not positive."""
    return np.where(x > 0.0, np.exp(_kolmogorov_log(np.where(x > 0.0, x, 1.0))), 0.0)


number("kolmogorov", lambda y, x: -_kolmogorov_density(as_numpy(x)), (0.5, 1.5))
number("kolmogi", lambda y, x: -1.0 / as_numpy(_kolmogorov_density(as_numpy(y))), (0.2, 0.8))
family("ksone", "n", [0.2, 0.6], [4], None, None, _UNIT)
family("kstwo", "n", [0.35, 0.6], [4], None, None, _UNIT)
family("irwinhall", "n", [1.3, 2.6], [4], None, None, (0.0, math.inf, 1.0))
family("landau", "", [-0.4, 1.6], [], None)
family("nct", "df nc", [-0.4, 0.9], [3.0, 0.4], None)
family("studentized_range", "k df", [1.3, 3.1], [3.0, 10.0], None, None, _POSITIVE)

"""Entropies, circular statistics, quantiles, power transforms and distances of samples.

They are those of `scipy.stats`, by their definitions, as in `sample_statistics.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.rules.arrays.sample_statistics import (
    LONG,
    POSITIVE,
    SAMPLE,
    count,
    mean,
    reduction,
    same_shape,
)
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import (
    in_double,
    in_dtype_of,
    is_given,
    op,
    rank_of,
    size,
)
from adjointgen.rules.framework.type_rules import of_ranks, shaped


def _entropy(pk: Any, qk: Any = None, base: Any = None, *, axis: Any, keepdims: bool) -> Any:
    """`-sum p log p`, or `sum p log(p / q)`, of what is divided by its sum."""
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if is_given(qk):
        terms = op("rel_entr", p, qk / np.sum(qk, axis=axis, keepdims=True))
    else:
        terms = op("entr", p)
    found = op("sum", terms, axis=axis, keepdims=keepdims)
    return found / np.log(base) if is_given(base) else found


reduction(
    "entropy",
    "pk, qk=, base=, axis=0, keepdims=False",
    _entropy,
    domain=[
        (POSITIVE,),
        (POSITIVE, [[1.0, 2.0, 0.5], [0.7, 0.3, 1.2]]),
        (POSITIVE, {"axis": 1}),
    ],
)


def _turned(a: Any, high: Any, low: Any) -> tuple[Any, Any]:
    """Samples as angles, and what a radian stands for."""
    unit = (high - low) / (2.0 * math.pi)
    return (a - low) / unit, unit


def _resultant(angles: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    return mean(np.sin(angles), axis, keepdims), mean(np.cos(angles), axis, keepdims)


def _circular_mean(a: Any, high: float, low: float, axis: Any, keepdims: bool) -> Any:
    angles, unit = _turned(a, high, low)
    return np.mod(np.arctan2(*_resultant(angles, axis, keepdims)), 2.0 * math.pi) * unit + low


def _circular_variance(a: Any, high: float, low: float, axis: Any, keepdims: bool) -> Any:
    angles, _ = _turned(a, high, low)
    return 1.0 - np.hypot(*_resultant(angles, axis, keepdims))


def _circular_deviation(
    a: Any, high: float, low: float, axis: Any, normalize: bool, keepdims: bool
) -> Any:
    angles, unit = _turned(a, high, low)
    found = np.sqrt(-2.0 * np.log(np.hypot(*_resultant(angles, axis, keepdims))))
    return found if normalize else found * unit


_TURN = "a, high=6.283185307179586, low=0, axis=None"
reduction("circmean", f"{_TURN}, keepdims=False", _circular_mean, None)
reduction("circvar", f"{_TURN}, keepdims=False", _circular_variance, None)
reduction("circstd", f"{_TURN}, normalize=False, keepdims=False", _circular_deviation, None)


def _range(a: Any, axis: Any, rng: Any, scale: Any, interpolation: str, keepdims: bool) -> Any:
    if scale not in (1.0, "normal"):
        raise NoRule(
            "no derivative rule for scipy.stats.iqr with this scale",
            code="AG201",
            help="divide by it",
        )
    options = {"axis": axis, "keepdims": keepdims, "method": interpolation}
    low, high = (op("percentile", a, q, **options) for q in rng)
    unit = 1.0 if scale == 1.0 else 2.0 * math.sqrt(2.0) * 0.47693627620446987
    return (high - low) / unit


reduction(
    "iqr",
    "a, axis=None, rng=(25, 75), scale=1.0, nan_policy='propagate', interpolation='linear',"
    " keepdims=False",
    _range,
    None,
)


def _absolute_deviation(a: Any, axis: Any, center: Any, scale: Any) -> Any:
    if not str(center).endswith("median") or scale not in (1.0, "normal"):
        raise NoRule(
            "no derivative rule for scipy.stats.median_abs_deviation with this centre or scale",
            code="AG201",
            help="the median has a rule, and the scales 1.0 and 'normal'",
        )
    middle = op("median", a, axis=axis, keepdims=True)
    found = op("median", abs(a - middle), axis=axis)
    return found if scale == 1.0 else found / 0.6744897501960817


reduction(
    "median_abs_deviation",
    "a, axis=0, center='np.median', scale=1.0",
    _absolute_deviation,
    domain=[(LONG, {"axis": 1}), (SAMPLE, {}), (SAMPLE, {"scale": "normal"})],
)


reduction(
    "scoreatpercentile",
    "a, per",
    lambda a, per: op("percentile", a, per),
    None,
    [(SAMPLE, 30)],
)


def _trimmed(a: Any, proportiontocut: float, axis: Any) -> Any:
    """The mean without so many of the least and of the greatest."""
    if rank_of(a, "trim_mean") != 1:
        raise NoRule(
            "no derivative rule for scipy.stats.trim_mean of several samples",
            code="AG201",
            help="give a vector",
        )
    n = size(a)
    if isinstance(n, int):
        low = int(proportiontocut * n)
    else:
        low = op("cast", n * proportiontocut, dtype="int64")
    return op("mean", np.sort(a)[low : n - low])


reduction(
    "trim_mean",
    "a, proportiontocut=None, axis=0",
    _trimmed,
    domain=[(LONG[1], {"proportiontocut": 0.2})],
)


def _yeo_johnson(x: Any, power: Any) -> Any:
    """Powers of `1 + |x|`, by the sign of x; logarithms where they are of degree 0."""
    positive, inner = x >= 0.0, 1.0 + abs(x)
    degree = in_dtype_of(x, np.where(positive, power, 2.0 - power))
    flat = degree == 0.0
    curved = (inner**degree - 1.0) / in_dtype_of(x, np.where(flat, 1.0, degree))
    found = np.where(flat, np.log(inner), curved)
    return np.where(positive, found, -found)


composed(
    "stats_boxcox",
    "x, lmbda",
    ["scipy.stats.boxcox"],
    lambda x, lmbda: op("boxcox", x, lmbda),
    infer=same_shape,
    cost=40,
    domain=[([0.6, 1.7], 0.4)],
)
composed(
    "stats_yeojohnson",
    "x, lmbda",
    ["scipy.stats.yeojohnson"],
    _yeo_johnson,
    infer=same_shape,
    cost=40,
    domain=[([0.6, -1.7], 0.4), ([0.6, 1.7], 0.0), ([0.6, -1.7], 2.0)],
)


def _likelihood(transformed: Any, jacobian: Any) -> Any:
    """Up to a constant, that of normal numbers before a transformation."""
    return jacobian - 0.5 * count(transformed, None) * np.log(op("var", transformed))


def _likelihood_row(name: str, signature: str, definition: Callable[..., Any], data: Any) -> None:
    composed(
        f"stats_{name}",
        signature,
        [f"scipy.stats.{name}"],
        definition,
        infer=of_ranks(lambda types, options: (shaped("float64", ()),), 0, 1),
        cost=60,
        domain=[("float64", data)],
    )


_POSITIVE_SAMPLE = [0.6, 1.7, 2.2, 0.9]
_likelihood_row(
    "boxcox_llf",
    "lmb, data",
    lambda lmb, data: _likelihood(op("boxcox", data, lmb), (lmb - 1.0) * np.sum(np.log(data))),
    _POSITIVE_SAMPLE,
)
_likelihood_row(
    "yeojohnson_llf",
    "lmb, data",
    lambda lmb, data: _likelihood(
        _yeo_johnson(data, lmb), (lmb - 1.0) * np.sum(np.sign(data) * np.log1p(abs(data)))
    ),
    SAMPLE,
)


def _quantile_distance(u: Any, v: Any, power: int) -> Any:
    """The integral of `|U - V|**power` for the distribution functions of two samples."""
    both = np.concatenate((u, v))
    # What is equal in both samples is in some order: shares by values would be those of no order.
    order = op("argsort", both, kind="stable")
    both, from_u = both[order], np.where(order < count(u, None), 1.0, 0.0)[:-1]
    shares = np.cumsum(from_u) / count(u, None) - np.cumsum(1.0 - from_u) / count(v, None)
    return np.sum(abs(shares) ** power * (both[1:] - both[:-1]))


def _distance(name: str, definition: Callable[..., Any]) -> None:
    def of_vectors(u: Any, v: Any) -> Any:
        if rank_of(u, name) != 1 or rank_of(v, name) != 1:
            raise NoRule(
                f"no derivative rule for scipy.stats.{name} of these samples",
                code="AG201",
                help="vectors have a rule",
            )
        return definition(in_double(u), in_double(v))

    composed(
        f"stats_{name}",
        "u_values, v_values",
        [f"scipy.stats.{name}"],
        of_vectors,
        infer=lambda types, options: (shaped("float64", ()),),
        cost=60,
        domain=[(SAMPLE, [0.5, 1.4, -0.2])],
        edge="equal entries in their order",
    )


_distance("wasserstein_distance", lambda u, v: _quantile_distance(u, v, 1))
_distance("energy_distance", lambda u, v: np.sqrt(2.0 * _quantile_distance(u, v, 2)))

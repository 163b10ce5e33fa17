"""Statistics of samples in `scipy.stats`, by their definitions in terms of means and powers.

SciPy computes the values; the chain rule along the definition is the derivative. What leaves NaN
out, or has limits or weights that are not written here, has no rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import (
    in_double,
    in_dtype_of,
    is_given,
    op,
    rank_of,
    size,
)
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    mean_reduction,
    shaped,
)

_POSITIVE = [[0.6, 1.7, 2.2], [1.4, 0.5, 0.9]]
_SAMPLE = [0.3, 1.8, -0.7, 1.1, 2.4]
_BY_AXIS = [
    (_POSITIVE, {}),
    (_POSITIVE, {"axis": 1, "keepdims": True}),
    (_POSITIVE, {"axis": None}),
    ([0.4, 1.7, 0.9, 3.1], {}),
]


def _along(axis: int | None) -> Infer:
    """The type of a reduction whose axis is this one where none is named."""

    def infer(types: Types, options: Options) -> Types:
        a = types[0]
        narrow = a if a.dtype in ("float32", "float16") else a.with_dtype("float64")
        return mean_reduction((narrow,), {"axis": axis, **options})

    return infer


def _reduction(
    name: str,
    signature: str,
    definition: Callable[..., Any],
    axis: int | None = 0,
    domain: Sequence[Any] = _BY_AXIS,
) -> None:
    composed(
        f"stats_{name}",
        signature,
        [f"scipy.stats.{name}"],
        definition,
        infer=_along(axis),
        cost=40,
        domain=list(domain),
    )


def _mean(a: Any, axis: Any, keepdims: bool = False) -> Any:
    return op("mean", a, axis=axis, keepdims=keepdims)


def _centred(a: Any, axis: Any) -> Any:
    return a - _mean(a, axis, keepdims=True)


def _spread(a: Any, axis: Any, ddof: int, keepdims: bool = False) -> Any:
    return op("std", a, axis=axis, ddof=ddof, keepdims=keepdims)


def _moment(a: Any, order: int, axis: Any, keepdims: bool) -> Any:
    return _mean(_centred(a, axis) ** order, axis, keepdims)


def _power_mean(a: Any, p: Any, axis: Any, keepdims: bool) -> Any:
    return _mean(a**p, axis, keepdims) ** in_dtype_of(a, 1.0 / p)


_reduction(
    "gmean",
    "a, axis=0, keepdims=False",
    lambda a, axis, keepdims: np.exp(_mean(np.log(a), axis, keepdims)),
)
_reduction(
    "hmean",
    "a, axis=0, keepdims=False",
    lambda a, axis, keepdims: 1.0 / _mean(1.0 / a, axis, keepdims),
)
_reduction(
    "pmean",
    "a, p, axis=0, keepdims=False",
    _power_mean,
    domain=[(_POSITIVE, 1.5), (_POSITIVE, 3, {"axis": 1})],
)
_reduction(
    "gstd",
    "a, axis=0, ddof=1, keepdims=False",
    lambda a, axis, ddof, keepdims: np.exp(_spread(np.log(a), axis, ddof, keepdims)),
)
_reduction(
    "sem",
    "a, axis=0, ddof=1, keepdims=False",
    lambda a, axis, ddof, keepdims: _spread(a, axis, ddof, keepdims) / _root(_count(a, axis)),
)
_reduction(
    "variation",
    "a, axis=0, nan_policy='propagate', ddof=0, keepdims=False",
    lambda a, axis, ddof, keepdims: _spread(a, axis, ddof, keepdims) / _mean(a, axis, keepdims),
)
_reduction(
    "moment",
    "a, order=1, axis=0, keepdims=False",
    lambda a, order, axis, keepdims: _moment(a, order, axis, keepdims),
    domain=[(_POSITIVE, {"order": 3}), (_POSITIVE, {"order": 2, "axis": 1}), (_POSITIVE, {})],
)


def _count(a: Any, axis: Any) -> Any:
    """The number of entries along an axis, as a float."""
    found = size(a, axis)
    return float(found) if isinstance(found, int) else op("cast", found, dtype="float64")


def _root(n: Any) -> Any:
    """The root of a number, which is one of Python's where it is known."""
    return math.sqrt(n) if isinstance(n, float) else np.sqrt(n)


def _skewness(a: Any, axis: Any, bias: bool, keepdims: bool) -> Any:
    third, second = (_moment(a, k, axis, keepdims) for k in (3, 2))
    found = third / second**1.5
    if bias:
        return found
    n = _count(a, axis)
    return found * (_root(n * (n - 1.0)) / (n - 2.0))


def _kurtosis(a: Any, axis: Any, fisher: bool, bias: bool, keepdims: bool) -> Any:
    fourth, second = (_moment(a, k, axis, keepdims) for k in (4, 2))
    found = fourth / (second * second)
    if not bias:
        n = _count(a, axis)
        excess = (n * n - 1.0) * found - 3.0 * (n - 1.0) ** 2
        found = excess / ((n - 2.0) * (n - 3.0)) + 3.0
    return found - 3.0 if fisher else found


_LONG = [_SAMPLE, [1.2, 0.1, 0.4, 2.3, 1.5]]
_SHAPES = [(_LONG, {"axis": 1}), (_SAMPLE, {}), (_SAMPLE, {"bias": False}), (_LONG, {"axis": None})]
_reduction("skew", "a, axis=0, bias=True, keepdims=False", _skewness, domain=_SHAPES)
_reduction(
    "kurtosis",
    "a, axis=0, fisher=True, bias=True, keepdims=False",
    _kurtosis,
    domain=[*_SHAPES, (_SAMPLE, {"fisher": False})],
)


def _without_limits(name: str, definition: Callable[..., Any], axis: int | None, ddof: str) -> None:
    def whole(a: Any, limits: Any, axis: Any, keepdims: bool, **options: Any) -> Any:
        if limits is not None:
            raise NoRule(
                f"no derivative rule for scipy.stats.{name} with limits",
                code="AG201",
                help="choose the entries, and take the mean, the variance or the deviation",
            )
        return definition(a, axis, keepdims, **options)

    def with_ddof(a: Any, limits: Any, axis: Any, keepdims: bool, ddof: int) -> Any:
        return whole(a, limits, axis, keepdims, ddof=ddof)

    domain = [(_POSITIVE, {"axis": 1}), (_POSITIVE, {"axis": None})]
    signature = f"a, limits=None, inclusive=(True, True), axis={axis}{ddof}, keepdims=False"
    _reduction(name, signature, with_ddof if ddof else whole, axis, domain)


_without_limits("tmean", _mean, None, "")
_without_limits(
    "tvar",
    lambda a, axis, keepdims, ddof: op("var", a, axis=axis, ddof=ddof, keepdims=keepdims),
    0,
    ", ddof=1",
)
_without_limits(
    "tstd", lambda a, axis, keepdims, ddof: _spread(a, axis, ddof, keepdims), 0, ", ddof=1"
)
_without_limits(
    "tsem",
    lambda a, axis, keepdims, ddof: _spread(a, axis, ddof, keepdims) / _root(_count(a, axis)),
    0,
    ", ddof=1",
)


def _entropy(pk: Any, qk: Any = None, base: Any = None, *, axis: Any, keepdims: bool) -> Any:
    """`-sum p log p`, or `sum p log(p / q)`, of what is divided by its sum."""
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if is_given(qk):
        terms = op("rel_entr", p, qk / np.sum(qk, axis=axis, keepdims=True))
    else:
        terms = op("entr", p)
    found = op("sum", terms, axis=axis, keepdims=keepdims)
    return found / np.log(base) if is_given(base) else found


_reduction(
    "entropy",
    "pk, qk=, base=, axis=0, keepdims=False",
    _entropy,
    domain=[
        (_POSITIVE,),
        (_POSITIVE, [[1.0, 2.0, 0.5], [0.7, 0.3, 1.2]]),
        (_POSITIVE, {"axis": 1}),
    ],
)


def _turned(a: Any, high: Any, low: Any) -> tuple[Any, Any]:
    """Samples as angles, and what a radian stands for."""
    unit = (high - low) / (2.0 * math.pi)
    return (a - low) / unit, unit


def _resultant(angles: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    return _mean(np.sin(angles), axis, keepdims), _mean(np.cos(angles), axis, keepdims)


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
_reduction("circmean", f"{_TURN}, keepdims=False", _circular_mean, None)
_reduction("circvar", f"{_TURN}, keepdims=False", _circular_variance, None)
_reduction("circstd", f"{_TURN}, normalize=False, keepdims=False", _circular_deviation, None)


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


_reduction(
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


_reduction(
    "median_abs_deviation",
    "a, axis=0, center='np.median', scale=1.0",
    _absolute_deviation,
    domain=[(_LONG, {"axis": 1}), (_SAMPLE, {}), (_SAMPLE, {"scale": "normal"})],
)


_reduction(
    "scoreatpercentile",
    "a, per",
    lambda a, per: op("percentile", a, per),
    None,
    [(_SAMPLE, 30)],
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


_reduction(
    "trim_mean",
    "a, proportiontocut=None, axis=0",
    _trimmed,
    domain=[(_LONG[1], {"proportiontocut": 0.2})],
)


def _cumulant(data: Any, n: int) -> Any:
    """An unbiased estimate of a cumulant, of the first four (Fisher 1930)."""
    count, mean = _count(data, None), _mean(data, None)
    if n == 1:
        return mean
    second, third, fourth = (np.sum((data - mean) ** k) for k in (2, 3, 4))
    if n == 2:
        return second / (count - 1.0)
    if n == 3:
        return third * (count / ((count - 1.0) * (count - 2.0)))
    whole = fourth * (count * (count + 1.0)) - second * second * (3.0 * (count - 1.0))
    return whole / ((count - 1.0) * (count - 2.0) * (count - 3.0))


_reduction("kstat", "data, n=2", _cumulant, None, [(_LONG[1], {"n": n}) for n in (1, 2, 3, 4)])


def _standard_scores(a: Any, axis: Any, ddof: int) -> Any:
    return _centred(a, axis) / _spread(a, axis, ddof, keepdims=True)


def _same_shape(types: Types, options: Options) -> Types:
    a = types[0]
    narrow = a.dtype in ("float32", "float16")
    return (shaped(a.dtype if narrow else "float64", a.shape),)


def _scores(name: str, signature: str, definition: Callable[..., Any], domain: Any) -> None:
    composed(
        f"stats_{name}",
        signature,
        [f"scipy.stats.{name}"],
        definition,
        infer=_same_shape,
        cost=40,
        domain=domain,
    )


_SCORED: list[Any] = [(_LONG, {"axis": 1}), (_SAMPLE, {"ddof": 1}), (_LONG, {"axis": None})]
_scores("zscore", "a, axis=0, ddof=0", _standard_scores, _SCORED)
_scores(
    "gzscore",
    "a, axis=0, ddof=0",
    lambda a, axis, ddof: _standard_scores(np.log(a), axis, ddof),
    [(_POSITIVE, {"axis": 1}), (_POSITIVE, {"axis": None})],
)
_scores(
    "zmap",
    "scores, compare, axis=0, ddof=0",
    lambda a, c, axis, ddof: (a - _mean(c, axis, True)) / _spread(c, axis, ddof, True),
    [([0.4, 1.3], _SAMPLE)],
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
    infer=_same_shape,
    cost=40,
    domain=[([0.6, 1.7], 0.4)],
)
composed(
    "stats_yeojohnson",
    "x, lmbda",
    ["scipy.stats.yeojohnson"],
    _yeo_johnson,
    infer=_same_shape,
    cost=40,
    domain=[([0.6, -1.7], 0.4), ([0.6, 1.7], 0.0), ([0.6, -1.7], 2.0)],
)


def _likelihood(transformed: Any, jacobian: Any) -> Any:
    """Up to a constant, that of normal numbers before a transformation."""
    return jacobian - 0.5 * _count(transformed, None) * np.log(op("var", transformed))


def _likelihood_row(name: str, signature: str, definition: Callable[..., Any], data: Any) -> None:
    composed(
        f"stats_{name}",
        signature,
        [f"scipy.stats.{name}"],
        definition,
        infer=lambda types, options: (shaped("float64", ()),),
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
    _SAMPLE,
)


def _quantile_distance(u: Any, v: Any, power: int) -> Any:
    """The integral of `|U - V|**power` for the distribution functions of two samples."""
    both = np.sort(np.concatenate((u, v)))
    steps, places = both[1:] - both[:-1], both[:-1]
    shares = [
        op("searchsorted", np.sort(a), places, side="right") / _count(a, None) for a in (u, v)
    ]
    return np.sum(abs(shares[0] - shares[1]) ** power * steps)


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
        domain=[(_SAMPLE, [0.5, 1.4, -0.2])],
        edge="equal entries in their order",
    )


_distance("wasserstein_distance", lambda u, v: _quantile_distance(u, v, 1))
_distance("energy_distance", lambda u, v: np.sqrt(2.0 * _quantile_distance(u, v, 2)))

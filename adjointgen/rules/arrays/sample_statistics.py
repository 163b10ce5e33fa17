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
from adjointgen.rules.framework.builder import Handle
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import (
    in_dtype_of,
    op,
    size,
)
from adjointgen.rules.framework.table import Infer
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    may_be_equal,
    mean_reduction,
    shaped,
)

POSITIVE = [[0.6, 1.7, 2.2], [1.4, 0.5, 0.9]]
SAMPLE = [0.3, 1.8, -0.7, 1.1, 2.4]
_BY_AXIS = [
    (POSITIVE, {}),
    (POSITIVE, {"axis": 1, "keepdims": True}),
    (POSITIVE, {"axis": None}),
    ([0.4, 1.7, 0.9, 3.1], {}),
]


def _along(axis: int | None) -> Infer:
    """The type of a reduction whose axis is this one where none is named."""

    def infer(types: Types, options: Options) -> Types:
        a = types[0]
        if any((t.rank or 0) > 0 and not may_be_equal(t, a) for t in types[1:]):
            raise NoRule("no derivative rule for samples that are broadcast", code="AG201")
        narrow = a if a.dtype in ("float32", "float16") else a.with_dtype("float64")
        return mean_reduction((narrow,), {"axis": axis, **options})

    return infer


def reduction(
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


def mean(a: Any, axis: Any, keepdims: bool = False) -> Any:
    return op("mean", a, axis=axis, keepdims=keepdims)


def _centred(a: Any, axis: Any) -> Any:
    return a - mean(a, axis, keepdims=True)


def _spread(a: Any, axis: Any, ddof: int, keepdims: bool = False) -> Any:
    return op("std", a, axis=axis, ddof=ddof, keepdims=keepdims)


def _moment(a: Any, order: int, axis: Any, keepdims: bool) -> Any:
    return mean(_centred(a, axis) ** order, axis, keepdims)


def _power_mean(a: Any, p: Any, axis: Any, keepdims: bool) -> Any:
    return mean(a**p, axis, keepdims) ** in_dtype_of(a, 1.0 / p)


reduction(
    "gmean",
    "a, axis=0, keepdims=False",
    lambda a, axis, keepdims: np.exp(mean(np.log(a), axis, keepdims)),
)
reduction(
    "hmean",
    "a, axis=0, keepdims=False",
    lambda a, axis, keepdims: 1.0 / mean(1.0 / a, axis, keepdims),
)
reduction(
    "pmean",
    "a, p, axis=0, keepdims=False",
    _power_mean,
    domain=[(POSITIVE, 1.5), (POSITIVE, 3, {"axis": 1})],
)
reduction(
    "gstd",
    "a, axis=0, ddof=1, keepdims=False",
    lambda a, axis, ddof, keepdims: np.exp(_spread(np.log(a), axis, ddof, keepdims)),
)
reduction(
    "sem",
    "a, axis=0, ddof=1, keepdims=False",
    lambda a, axis, ddof, keepdims: _spread(a, axis, ddof, keepdims) / _root(count(a, axis)),
)
reduction(
    "variation",
    "a, axis=0, nan_policy='propagate', ddof=0, keepdims=False",
    lambda a, axis, ddof, keepdims: _spread(a, axis, ddof, keepdims) / mean(a, axis, keepdims),
)
reduction(
    "moment",
    "a, order=1, axis=0, keepdims=False",
    lambda a, order, axis, keepdims: _moment(a, order, axis, keepdims),
    domain=[(POSITIVE, {"order": 3}), (POSITIVE, {"order": 2, "axis": 1}), (POSITIVE, {})],
)


def count(a: Any, axis: Any) -> Any:
    """The number of entries along an axis, as a float."""
    found = size(a, axis)
    return float(found) if isinstance(found, int) else op("cast", found, dtype="float64")


def _root(n: Any) -> Any:
    """The root of a number, which is one of Python's where it is known."""
    return np.sqrt(n) if isinstance(n, Handle) else math.sqrt(n)


def _skewness(a: Any, axis: Any, bias: bool, keepdims: bool) -> Any:
    third, second = (_moment(a, k, axis, keepdims) for k in (3, 2))
    found = third / second**1.5
    if bias:
        return found
    n = count(a, axis)
    return found * (_root(n * (n - 1.0)) / (n - 2.0))


def _kurtosis(a: Any, axis: Any, fisher: bool, bias: bool, keepdims: bool) -> Any:
    fourth, second = (_moment(a, k, axis, keepdims) for k in (4, 2))
    found = fourth / (second * second)
    if not bias:
        n = count(a, axis)
        excess = (n * n - 1.0) * found - 3.0 * (n - 1.0) ** 2
        found = excess / ((n - 2.0) * (n - 3.0)) + 3.0
    return found - 3.0 if fisher else found


LONG = [SAMPLE, [1.2, 0.1, 0.4, 2.3, 1.5]]
_SHAPES = [(LONG, {"axis": 1}), (SAMPLE, {}), (SAMPLE, {"bias": False}), (LONG, {"axis": None})]
reduction("skew", "a, axis=0, bias=True, keepdims=False", _skewness, domain=_SHAPES)
reduction(
    "kurtosis",
    "a, axis=0, fisher=True, bias=True, keepdims=False",
    _kurtosis,
    domain=[*_SHAPES, (SAMPLE, {"fisher": False})],
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

    domain = [(POSITIVE, {"axis": 1}), (POSITIVE, {"axis": None})]
    signature = f"a, limits=None, inclusive=(True, True), axis={axis}{ddof}, keepdims=False"
    reduction(name, signature, with_ddof if ddof else whole, axis, domain)


_without_limits("tmean", mean, None, "")
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
    lambda a, axis, keepdims, ddof: _spread(a, axis, ddof, keepdims) / _root(count(a, axis)),
    0,
    ", ddof=1",
)


def _cumulant(data: Any, n: int) -> Any:
    """An unbiased estimate of a cumulant, of the first four (Fisher 1930)."""
    number, middle = count(data, None), mean(data, None)
    if n == 1:
        return middle
    second, third, fourth = (np.sum((data - middle) ** k) for k in (2, 3, 4))
    if n == 2:
        return second / (number - 1.0)
    if n == 3:
        return third * (number / ((number - 1.0) * (number - 2.0)))
    whole = fourth * (number * (number + 1.0)) - second * second * (3.0 * (number - 1.0))
    return whole / ((number - 1.0) * (number - 2.0) * (number - 3.0))


reduction("kstat", "data, n=2", _cumulant, None, [(LONG[1], {"n": n}) for n in (1, 2, 3, 4)])


def _standard_scores(a: Any, axis: Any, ddof: int) -> Any:
    return _centred(a, axis) / _spread(a, axis, ddof, keepdims=True)


def same_shape(types: Types, options: Options) -> Types:
    a = types[0]
    narrow = a.dtype in ("float32", "float16")
    return (shaped(a.dtype if narrow else "float64", a.shape),)


def _mapped_type(types: Types, options: Options) -> Types:
    """Scores by the mean of other samples, which has as many axes as these."""
    ranks = [t.rank for t in types if t.rank is not None]
    if len({*ranks}) > 1 or any(r > 1 for r in ranks):
        raise NoRule("no derivative rule for scores that are broadcast", code="AG201")
    return same_shape(types, options)


def _scores(
    name: str,
    signature: str,
    definition: Callable[..., Any],
    domain: Any,
    infer: Infer = same_shape,
) -> None:
    composed(
        f"stats_{name}",
        signature,
        [f"scipy.stats.{name}"],
        definition,
        infer=infer,
        cost=40,
        domain=domain,
    )


_SCORED: list[Any] = [(LONG, {"axis": 1}), (SAMPLE, {"ddof": 1}), (LONG, {"axis": None})]
_scores("zscore", "a, axis=0, ddof=0", _standard_scores, _SCORED)
_scores(
    "gzscore",
    "a, axis=0, ddof=0",
    lambda a, axis, ddof: _standard_scores(np.log(a), axis, ddof),
    [(POSITIVE, {"axis": 1}), (POSITIVE, {"axis": None})],
)
_scores(
    "zmap",
    "scores, compare, axis=0, ddof=0",
    lambda a, c, axis, ddof: (a - mean(c, axis, True)) / _spread(c, axis, ddof, True),
    [([0.4, 1.3], SAMPLE)],
    _mapped_type,
)

"""Multivariate distributions of `scipy.stats`: normal, with its entropy, and Dirichlet's."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import in_double, is_given, op, reduce_sum
from adjointgen.rules.framework.type_rules import Options, Types, of_ranks, shaped
from adjointgen.rules.linalg.products import swapped
from adjointgen.rules.probability.families import LOG_ROOT, STATS, Formula


def _exponential(log_density: Formula) -> Formula:
    return lambda *args: np.exp(log_density(*args))


def _lower(a: Any) -> Any:
    """The symmetric matrix that is given by its lower triangle, which is all that SciPy reads."""
    return op("tril", a) + swapped(op("tril", a, k=-1))


def _normal_log_density(x: Any, mean: Any = None, cov: Any = None) -> Any:
    """`-(d^T cov^-1 d + log det cov + n log 2 pi) / 2` with `d = x - mean`."""
    if not is_given(cov) or cov.type.rank != 2 or x.type.rank not in (1, 2):
        raise NoRule(
            "no derivative rule for a multivariate normal density without a covariance matrix",
            code="AG201",
            help="give mean and covariance as arrays, as in "
            "multivariate_normal.logpdf(x, np.zeros(n), np.eye(n))",
        )
    full = _lower(in_double(cov))
    d = in_double(x) - mean
    solved = op("solve", full, d) if x.type.rank == 1 else swapped(op("solve", full, swapped(d)))
    distance = reduce_sum(d * solved, -1)
    _, log_det = full.several("slogdet", full)
    return -0.5 * (distance + log_det) - LOG_ROOT * op("dim", cov, axis=0)


def _normal_entropy(mean: Any, cov: Any) -> Any:
    """`(log det cov + n (1 + log 2 pi)) / 2`."""
    _, log_det = cov.several("slogdet", _lower(in_double(cov)))
    return 0.5 * log_det + (0.5 + LOG_ROOT) * op("dim", cov, axis=0)


def _rows_type(types: Types, options: Options) -> Types:
    """A number for each row of `x`; axes of length one are left out."""
    shape = types[0].shape
    if shape is not None and Dim("", 1) in shape[:-1]:
        raise NoRule("no derivative rule for the density of a stack of one point", code="AG201")
    return (shaped("float64", None if shape is None else shape[:-1]),)


_COVARIANCE = [[2.0, 0.3], [0.3, 1.5]]


def _dirichlet_log_density(x: Any, alpha: Any) -> Any:
    """`sum((alpha - 1) log x) + log Gamma(sum alpha) - sum log Gamma(alpha)`."""
    one = (Dim("", 1),)
    if x.type.rank != 1 or alpha.type.rank != 1 or one in (x.type.shape, alpha.type.shape):
        raise NoRule(
            "no derivative rule for a Dirichlet density of a stack, or without the last entry",
            code="AG201",
            help="give one point with as many entries as there are parameters",
        )
    alpha, x = in_double(alpha), in_double(x)
    total = op("gammaln", reduce_sum(alpha)) - reduce_sum(op("gammaln", alpha))
    return reduce_sum(op("xlogy", alpha - 1.0, x)) + total


composed(
    "multivariate_normal_entropy",
    "mean, cov",
    [f"{STATS}multivariate_normal.entropy"],
    _normal_entropy,
    infer=lambda types, options: (Type("float64"),),
    cost=100,
    domain=[((0.5, 1.0), _COVARIANCE)],
)
for _kind, _wrap in (("logpdf", lambda f: f), ("pdf", _exponential)):
    composed(
        f"multivariate_normal_{_kind}",
        "x, mean=, cov=",
        [f"{STATS}multivariate_normal.{_kind}"],
        _wrap(_normal_log_density),
        infer=of_ranks(_rows_type, (1, 2), (0, 1), (0, 1, 2)),
        cost=100,
        domain=[
            ("float64[2]", "float64[2]", _COVARIANCE),
            ("float64[3,2]", "float64[2]", _COVARIANCE),
        ],
        edge="the covariance is that of its lower triangle, which is all that SciPy reads",
    )
    composed(
        f"dirichlet_{_kind}",
        "x, alpha",
        [f"{STATS}dirichlet.{_kind}"],
        _wrap(_dirichlet_log_density),
        infer=of_ranks(lambda types, options: (Type("float64"),), 1),
        cost=40,
        domain=[((0.2, 0.3, 0.5), [1.5, 2.5, 0.8])],
    )

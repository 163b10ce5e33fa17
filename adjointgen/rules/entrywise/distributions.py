"""Densities and distribution functions of `scipy.stats`, by their formulas.

A density is declared by its logarithm, whose statements the chain rule follows (`composed.py`);
each density then has the derivative `pdf * logpdf'`. Location and scale may be left out. SciPy
gives double precision whatever it is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import elementwise
from adjointgen.rules.framework.shape_helpers import in_double, is_given, op, reduce_sum
from adjointgen.rules.framework.type_rules import Options, Types, double_type, shaped
from adjointgen.rules.linalg.products import swapped

Formula = Callable[..., Any]
_STATS = "scipy.stats."
_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


def _standard(formula: Formula, count: int, log_density: bool, rest: int = 0) -> Formula:
    """The function of `x, parameters, loc, scale` that is stated for location 0 and scale 1."""

    def definition(x: Any, *more: Any) -> Any:
        parameters, (loc, scale) = more[:count], _two(more[count:])
        z = x - loc if is_given(loc) else x
        z = z / scale if is_given(scale) else z
        value = formula(z, *parameters)
        return value - np.log(scale) if log_density and is_given(scale) else value

    return definition


def _two(more: Sequence[Any]) -> tuple[Any, Any]:
    given = [*more, None, None]
    return given[0], given[1]


def _declare(
    distribution: str,
    kind: str,
    definition: Formula,
    parameters: Sequence[str],
    examples: Sequence[tuple[Any, ...]],
) -> None:
    composed(
        f"{distribution}_{kind}",
        ", ".join(["x", *parameters, "loc=", "scale="]),
        [f"{_STATS}{distribution}.{kind}"],
        definition,
        infer=double_type,
        cost=40,
        domain=list(examples),
    )


def _family(
    distribution: str,
    parameters: Sequence[str],
    examples: Sequence[tuple[Any, ...]],
    passive: Sequence[tuple[Any, ...]] = (),
    **formulas: Formula,
) -> None:
    """The functions of a distribution: those of the density, and others by their formulas.

    `passive` are the examples of what has no derivative by a parameter.
    """
    count = len(parameters)
    for kind, formula in formulas.items():
        smooth = kind == "logpdf"
        definition = _standard(formula, count, smooth)
        _declare(
            distribution, kind, definition, parameters, examples if smooth else passive or examples
        )
        if smooth:
            _declare(distribution, "pdf", _exponential(definition), parameters, examples)


def _exponential(log_density: Formula) -> Formula:
    return lambda *args: np.exp(log_density(*args))


_NORMAL: list[tuple[Any, ...]] = [
    ("float64",),
    ("float64[3]", "float64"),
    ("float64[3]", "float64", [0.7]),
    ("float64[2,1]", "float64[3]", [0.6, 1.4, 0.8]),
]
_family(
    "norm",
    (),
    _NORMAL,
    logpdf=lambda z: -0.5 * z * z - _LOG_ROOT,
    cdf=lambda z: op("ndtr", z),
    logcdf=lambda z: op("log_ndtr", z),
    sf=lambda z: op("ndtr", -z),
    logsf=lambda z: op("log_ndtr", -z),
)


def _quantile(q: Any, *more: Any) -> Any:
    loc, scale = _two(more)
    y = op("ndtri", q)
    y = y * scale if is_given(scale) else y
    return y + loc if is_given(loc) else y


_declare("norm", "ppf", _quantile, (), [([0.2, 0.7],), ([0.2, 0.7], "float64", [0.8, 1.5])])

_POSITIVE = [0.6, 1.7]
_family(
    "gamma",
    ("a",),
    [(_POSITIVE, [1.5, 0.8]), (_POSITIVE, [1.5], [0.2, -0.4], [0.7])],
    [(_POSITIVE, 2), (_POSITIVE, 2, [0.2, -0.4], [0.7])],
    logpdf=lambda z, a: op("xlogy", a - 1.0, z) - z - op("gammaln", a),
    cdf=lambda z, a: op("gammainc", a, z),
    sf=lambda z, a: op("gammaincc", a, z),
)
_family(
    "chi2",
    ("df",),
    [(_POSITIVE, [2.5, 1.8]), (_POSITIVE, [2.5], [0.2, -0.4], [0.7])],
    [(_POSITIVE, 3), (_POSITIVE, 3, [0.2, -0.4], [0.7])],
    logpdf=lambda z, df: op("xlogy", 0.5 * df - 1.0, z)
    - 0.5 * z
    - op("gammaln", 0.5 * df)
    - 0.5 * math.log(2.0) * df,
    cdf=lambda z, df: op("gammainc", 0.5 * df, 0.5 * z),
    sf=lambda z, df: op("gammaincc", 0.5 * df, 0.5 * z),
)
_INSIDE = [0.3, 0.8]
_family(
    "beta",
    ("a", "b"),
    [(_INSIDE, [1.5, 0.8], [2.2, 1.4]), (_INSIDE, [1.5], [2.2], [0.1, 0.2], [1.2])],
    [(_INSIDE, 2, 3), (_INSIDE, 2, 3, [0.1, 0.2], [1.2])],
    logpdf=lambda z, a, b: op("xlogy", a - 1.0, z)
    + op("xlog1py", b - 1.0, -z)
    - op("betaln", a, b),
    cdf=lambda z, a, b: op("betainc", a, b, z),
)
_family(
    "t",
    ("df",),
    [("float64[2]", [2.5, 1.8]), ("float64[2]", [2.5], "float64", [0.7, 1.2])],
    [("float64[2]", 3), ("float64[2]", 3, "float64", [0.7, 1.2])],
    logpdf=lambda z, df: op("gammaln", 0.5 * (df + 1.0))
    - op("gammaln", 0.5 * df)
    - 0.5 * np.log(math.pi * df)
    - 0.5 * (df + 1.0) * np.log1p(z * z / df),
    cdf=lambda z, df: op("stdtr", df, z),
    logcdf=lambda z, df: np.log(op("stdtr", df, z)),
)
_family(
    "expon",
    (),
    [(_POSITIVE,), (_POSITIVE, [0.2, -0.4], [0.7])],
    logpdf=lambda z: -z,
    cdf=lambda z: -np.expm1(-z),
    sf=lambda z: np.exp(-z),
)
_family(
    "logistic",
    (),
    _NORMAL,
    logpdf=lambda z: -z - 2.0 * np.log1p(np.exp(-z)),
    cdf=lambda z: op("expit", z),
    sf=lambda z: op("expit", -z),
)
_family(
    "laplace",
    (),
    _NORMAL,
    logpdf=lambda z: -abs(z) - math.log(2.0),
)
_family(
    "cauchy",
    (),
    _NORMAL,
    logpdf=lambda z: -np.log1p(z * z) - math.log(math.pi),
    cdf=lambda z: 0.5 + np.arctan(z) / math.pi,
)
_family(
    "lognorm",
    ("s",),
    [(_POSITIVE, [0.6, 1.2]), (_POSITIVE, [0.6], [0.2, -0.4], [0.7])],
    logpdf=lambda z, s: -0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - _LOG_ROOT,
    cdf=lambda z, s: op("ndtr", np.log(z) / s),
)


def _mass(name: str, partial: Any) -> None:
    """A function of the Poisson distribution, by its mean; `k` is a number of events."""
    elementwise(
        f"poisson_{name}",
        "k, mu",
        [f"{_STATS}poisson.{name}"],
        None,
        partial,
        infer=double_type,
        on=((2, 2), (0.5, 3)),
        cost=20,
        because="a number of events is an integer",
    )


_mass("logpmf", lambda y, k, mu: k / mu - 1.0)
_mass("pmf", lambda y, k, mu: y * (k / mu - 1.0))
_mass("cdf", lambda y, k, mu: -op("poisson_pmf", np.floor(k), mu))


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
    return -0.5 * (distance + log_det) - _LOG_ROOT * op("dim", cov, axis=0)


def _normal_entropy(mean: Any, cov: Any) -> Any:
    """`(log det cov + n (1 + log 2 pi)) / 2`."""
    _, log_det = cov.several("slogdet", _lower(in_double(cov)))
    return 0.5 * log_det + (0.5 + _LOG_ROOT) * op("dim", cov, axis=0)


def _rows_type(types: Types, options: Options) -> Types:
    """A number for each row of `x`."""
    shape = types[0].shape
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
    [f"{_STATS}multivariate_normal.entropy"],
    _normal_entropy,
    infer=lambda types, options: (Type("float64"),),
    cost=100,
    domain=[((0.5, 1.0), _COVARIANCE)],
)
for _kind, _wrap in (("logpdf", lambda f: f), ("pdf", _exponential)):
    composed(
        f"multivariate_normal_{_kind}",
        "x, mean=, cov=",
        [f"{_STATS}multivariate_normal.{_kind}"],
        _wrap(_normal_log_density),
        infer=_rows_type,
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
        [f"{_STATS}dirichlet.{_kind}"],
        _wrap(_dirichlet_log_density),
        infer=lambda types, options: (Type("float64"),),
        cost=40,
        domain=[((0.2, 0.3, 0.5), [1.5, 2.5, 0.8])],
    )

"""Sums of exponentials, covariances, reductions that skip NaN, polynomials and spaced numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.ir.types import Dim, Type
from adjointgen.rules.framework.batching import every_axis, reduction
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import (
    expand,
    in_double,
    in_dtype_of,
    is_given,
    length,
    op,
    rank_of,
    reduce_sum,
)
from adjointgen.rules.framework.type_rules import (
    Types,
    entrywise,
    float_dtype,
    fresh,
    mean_reduction,
    of_ranks,
    result_dtype,
    sum_reduction,
)
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_AXES = "a, axis=None, keepdims=False"
_EXAMPLES: list[tuple[Any, ...]] = [
    ("float64[3]",),
    ("float64[2,3]",),
    ("float64[2,3]", {"axis": 0}),
    ("float64[2,3]", {"axis": -1, "keepdims": True}),
    ("float64[2,3,2]", {"axis": (0, 2)}),
]


def _shares(y: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """`exp(a - y)`; where the sum is 0 or infinite, of the entries themselves."""
    shift = np.where(np.isfinite(y), y, 0.0)
    return np.exp(a - expand(in_dtype_of(a, shift), a, axis, keepdims))


def _log_sum_exp_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`y_dot = sum(exp(a - y) (b a_dot + b_dot))`."""
    a, weights, axis, keepdims = _log_sum_exp_parts(args, options)
    shares = _shares(y, a, axis, keepdims)
    total = None
    if dots[0] is not None:
        total = dots[0] if weights is None else weights * dots[0]
    if len(dots) > 1 and dots[1] is not None:
        total = dots[1] if total is None else total + dots[1]
    return reduce_sum(shares * total, axis, keepdims)


def _log_sum_exp_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    a, weights, axis, keepdims = _log_sum_exp_parts(args, options)
    by_weight = expand(y_bar, a, axis, keepdims) * _shares(y, a, axis, keepdims)
    return [by_weight] if weights is None else [by_weight * weights, by_weight]


def _log_sum_exp_parts(args: Args, options: Options) -> tuple[Any, Any, Any, bool]:
    weights = args[1] if len(args) > 1 and is_given(args[1]) else None
    return args[0], weights, options["axis"], bool(options["keepdims"])


def _log_sum_exp_type(types: Types, options: Options) -> Types:
    given = [t for t in types if t.kind != "object"]
    terms = entrywise(given, float_dtype(result_dtype(given)))
    return mean_reduction((terms,), options)


def _soft_max(x: Any, axis: Any) -> Any:
    terms = np.exp(x - op("stop_gradient", op("amax", x, axis=axis, keepdims=True)))
    return terms / reduce_sum(terms, axis, True)


def _log_soft_max(x: Any, axis: Any) -> Any:
    shifted = x - op("stop_gradient", op("amax", x, axis=axis, keepdims=True))
    return shifted - np.log(reduce_sum(np.exp(shifted), axis, True))


general(
    "logsumexp",
    "a, axis=None, b=, keepdims=False",
    ["scipy.special.logsumexp"],
    _log_sum_exp_tangent,
    _log_sum_exp_adjoint,
    infer=_log_sum_exp_type,
    domain=[*_EXAMPLES, ([0.3, 1.2], [0.4, 2.0]), ("float64[2,3]", [0.4, 2.0, 0.7], {"axis": 1})],
    cost=20,
    edge="0 by minus infinity",
    batch=reduction,
)


general(
    "logaddexp_reduce",
    "a, axis=0, keepdims=False",
    ["numpy.logaddexp.reduce"],
    _log_sum_exp_tangent,
    _log_sum_exp_adjoint,
    infer=lambda types, options: _log_sum_exp_type(types, {"axis": 0, **options}),
    domain=[
        ("float64[3]",),
        ("float64[2,3]",),
        ("float64[2,3]", {"axis": 1, "keepdims": True}),
        ("float64[2,3]", {"axis": None}),
    ],
    cost=20,
    edge="0 by minus infinity",
)
_SOFT: list[tuple[Any, ...]] = [("float64[3]",), ("float64[2,3]",), ("float64[2,3]", {"axis": 1})]
for _name, _definition in (("softmax", _soft_max), ("log_softmax", _log_soft_max)):
    composed(
        _name,
        "x, axis=None",
        [f"scipy.special.{_name}"],
        _definition,
        infer=lambda types, options: (fresh(float_dtype(types[0].dtype), types[0].shape),),
        domain=_SOFT,
        cost=20,
        batch=every_axis,
    )


def _counted(a: Any) -> tuple[Any, Any]:
    """Where entries are numbers, and these with zeros for the others."""
    valid = ~np.isnan(a)
    return valid, np.where(valid, a, 0.0)


def _nan_variance(a: Any, axis: Any, ddof: Any, keepdims: bool) -> Any:
    valid, filled = _counted(a)
    number = in_dtype_of(filled, reduce_sum(valid, axis, True))
    mean = reduce_sum(filled, axis, True) / number
    square = np.where(valid, filled - mean, 0.0) ** 2
    degrees = reduce_sum(valid, axis, keepdims) - ddof
    return reduce_sum(square, axis, keepdims) / in_dtype_of(filled, degrees)


def _nan_deviation(a: Any, axis: Any, ddof: Any, keepdims: bool) -> Any:
    variance = _nan_variance(a, axis, ddof, keepdims)
    return np.where(variance > 0, np.sqrt(np.where(variance > 0, variance, 1.0)), 0.0)


for _name, _statistic in (("nanvar", _nan_variance), ("nanstd", _nan_deviation)):
    composed(
        _name,
        f"{_AXES}, ddof=0",
        [f"numpy.{_name}"],
        _statistic,
        infer=mean_reduction,
        domain=[*_EXAMPLES, ("float64[2,3]", {"axis": 1, "ddof": 1})],
        omits=True,
        batch=reduction,
        edge="0 for the NaN entries",
    )
composed(
    "nanprod",
    f"{_AXES}, dtype=None",
    ["numpy.nanprod"],
    lambda a, axis, keepdims: op(
        "prod", np.where(np.isnan(a), 1.0, a), axis=axis, keepdims=keepdims
    ),
    infer=sum_reduction,
    domain=_EXAMPLES,
    omits=True,
    edge="0 for the NaN entries",
    batch=reduction,
)


def _spread(m: Any, y: Any, rowvar: Any, bias: Any, ddof: Any) -> Any:
    """Rows of observations, by `rowvar`, and the matrix of their covariances."""
    rows = _observed(m, rowvar)
    if is_given(y):
        rows = op("concatenate", rows, _observed(y, rowvar), axis=0)
    number = length(rows, 1)
    free = ddof if ddof is not None else 0 if bias else 1
    centred = rows - op("mean", rows, axis=1, keepdims=True)
    return centred @ swapped(centred) / (number - free)


def _observed(m: Any, rowvar: Any) -> Any:
    rank, m = rank_of(m, "cov"), in_double(m)
    if rank == 1:
        return m[None, :]
    return m if rowvar else swapped(m)


def _covariance(m: Any, y: Any = None, *, rowvar: Any, bias: Any, ddof: Any) -> Any:
    matrix = _spread(m, y, rowvar, bias, ddof)
    return matrix[0, 0] if _is_single(m, y, rowvar) else matrix


def _is_single(m: Any, y: Any, rowvar: Any) -> bool:
    """Whether there is one variable, whose covariance has no axes."""
    if rank_of(m, "cov") == 1 or is_given(y):
        return not is_given(y)
    return bool(m.type.shape[0 if rowvar else -1] == Dim("", 1))


def _covariance_type(types: Types, options: Options) -> Types:
    given = [t for t in types if t.kind != "object"]
    single = len(given) == 1 and given[0].rank == 1
    shape = given[0].shape
    if shape is None:
        return (fresh("float64", None),)
    # NumPy leaves no axes to the covariance of one variable.
    variables = shape[0 if options.get("rowvar", True) else -1] if len(shape) == 2 else None
    alone = single or (len(given) == 1 and variables is not None and variables.known == 1)
    return (fresh("float64", () if alone else (None, None)),)


def _correlation(x: Any, y: Any = None, *, rowvar: Any) -> Any:
    matrix = _spread(x, y, rowvar, False, None)
    if _is_single(x, y, rowvar):
        return matrix[0, 0] / matrix[0, 0]
    deviation = np.sqrt(op("diag", matrix))
    return matrix / deviation[:, None] / deviation[None, :]


composed(
    "cov",
    "m, y=, rowvar=True, bias=False, ddof=None",
    ["numpy.cov"],
    _covariance,
    infer=of_ranks(_covariance_type, (1, 2)),
    cost=20,
    domain=[
        ("float64[3,4]",),
        ("float64[4]", "float64[4]"),
        ("float64[4]",),
        ("float64[4,3]", {"rowvar": False, "bias": True}),
        ("float64[3,4]", {"ddof": 0}),
    ],
)
composed(
    "corrcoef",
    "x, y=, rowvar=True",
    ["numpy.corrcoef"],
    _correlation,
    infer=of_ranks(_covariance_type, (1, 2)),
    cost=20,
    domain=[("float64[3,4]",), ("float64[4]", "float64[4]"), ("float64[4,3]", {"rowvar": False})],
)


def _powers(x: Any, count: Any, increasing: bool) -> Any:
    """`x^0, x^1, ...` along a new last axis, falling unless told."""
    number = x.builder.handle(x.builder.lower(count))
    exponents = number.apply("arange", number)
    if not increasing:
        exponents = op("flip", exponents)
    return _column(x) ** in_dtype_of(x, exponents)


def _column(x: Any) -> Any:
    return x if x.type.is_scalar else x[..., None]


def _polynomial(p: Any, x: Any) -> Any:
    """`sum_k p_k x^(n-1-k)`."""
    return reduce_sum(p * _powers(x, length(p, 0), False), -1)


def _polynomial_type(types: Types, options: Options) -> Types:
    p, x = types
    return (entrywise((p.with_shape(()), x), result_dtype((p, x))),)


composed(
    "polyval",
    "p, x",
    ["numpy.polyval"],
    _polynomial,
    infer=of_ranks(_polynomial_type, 1, tuple(range(32))),
    domain=[
        ("float64[4]", "float64"),
        ("float64[3]", "float64[2]"),
        ("float64[3]", "float64[2,3]"),
    ],
)


def _vandermonde(x: Any, N: Any, increasing: bool) -> Any:
    x = in_double(x)
    return _powers(x, length(x, 0) if N is None else N, increasing)


composed(
    "vander",
    "x, N=None, increasing=False",
    ["numpy.vander"],
    _vandermonde,
    infer=lambda types, options: (
        fresh(
            result_dtype((types[0], Type("int64", (None,), "array"))),
            None if types[0].shape is None else (types[0].shape[0], None),
        ),
    ),
    domain=[("float64[3]",), ("float64[3]", {"N": 2}), ("float64[3]", {"increasing": True})],
)
composed(
    "polymul",
    "a1, a2",
    ["numpy.polymul"],
    lambda a1, a2: op("convolve", a1, a2),
    infer=lambda types, options: (fresh(result_dtype(types), (None,)),),
    domain=[("float64[3]", "float64[2]")],
)


def _log_spaced(start: Any, stop: Any, num: Any = None, *, endpoint: Any, base: Any) -> Any:
    more = [num] if is_given(num) else []
    return base ** op("linspace", start, stop, *more, endpoint=endpoint)


def _spaced_type(types: Types, options: Options) -> Types:
    scalars = all(t.is_scalar for t in types[:2])
    number = types[2].value if len(types) > 2 and types[2].kind != "object" else None
    return (fresh(float_dtype(result_dtype(types[:2])), (number,) if scalars else None),)


composed(
    "logspace",
    "start, stop, num=, endpoint=True, base=10.0",
    ["numpy.logspace"],
    _log_spaced,
    infer=_spaced_type,
    domain=[("float64", "float64", 5), ("float64", "float64", 4, {"endpoint": False})],
)

"""Distances of `scipy.spatial.distance` by their formulas: of two vectors, and of pairs of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Const
from adjointgen.ir.types import FLOAT, INTEGER
from adjointgen.rules.framework.builder import Handle
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.shape_helpers import in_double, is_given, op, rank_of, reduce_sum
from adjointgen.rules.framework.type_rules import (
    Options,
    Types,
    float_dtype,
    fresh,
    of_ranks,
    result_dtype,
    shaped,
)

_U, _V, _W = [0.4, 1.7, -0.6], [1.3, 0.3, 0.9], [0.5, 1.4, 0.8]
_REGULAR = [[2.0, 0.1, 0.3], [0.1, 1.5, 0.2], [0.3, 0.2, 1.0]]
_POSITIVE = [0.4, 1.7, 0.6]
_AT_EQUAL = "0 where both are equal"


def _times(w: Any, terms: Any) -> Any:
    return w * terms if is_given(w) else terms


def _euclidean(u: Any, v: Any, w: Any = None) -> Any:
    step = u - v
    return op("norm", step * np.sqrt(w) if is_given(w) else step, axis=-1)


def _square(u: Any, v: Any, w: Any = None) -> Any:
    return reduce_sum(_times(w, (u - v) * (u - v)), -1)


def _blocks(u: Any, v: Any, w: Any = None) -> Any:
    return reduce_sum(_times(w, abs(u - v)), -1)


def _largest(u: Any, v: Any, w: Any = None) -> Any:
    steps = abs(u - v)
    return np.max(np.where(w > 0.0, steps, 0.0) if is_given(w) else steps, axis=-1)


def _minkowski(u: Any, v: Any, p: Any = 2.0, w: Any = None) -> Any:
    """`(sum w |u - v|**p)**(1 / p)`; the slope is 0 where both are equal, as that of a norm.

    Of infinite order it is the largest step. Of an order that is a variable both are computed.
    """
    order = p.operand if isinstance(p, Handle) else Const(p, FLOAT)
    if isinstance(order, Const):
        return _largest(u, v, w) if order.value == math.inf else _power_mean(u, v, p, w)
    if p.type.dtype in INTEGER:
        return _power_mean(u, v, p, w)
    finite = _power_mean(u, v, np.where(p == math.inf, 1.0, p), w)
    return np.where(p == math.inf, _largest(u, v, w), finite)


def _power_mean(u: Any, v: Any, p: Any, w: Any) -> Any:
    total = reduce_sum(_times(w, abs(u - v) ** p), -1)
    apart = total > 0.0
    return np.where(apart, np.where(apart, total, 1.0) ** (1.0 / p), 0.0)


def _canberra(u: Any, v: Any, w: Any = None) -> Any:
    sizes = abs(u) + abs(v)
    empty = sizes == 0.0
    return reduce_sum(_times(w, abs(u - v) / np.where(empty, 1.0, sizes)), -1)


def _bray_curtis(u: Any, v: Any, w: Any = None) -> Any:
    return reduce_sum(_times(w, abs(u - v)), -1) / reduce_sum(_times(w, abs(u + v)), -1)


def _correlation(u: Any, v: Any, w: Any = None, *, centered: bool = True) -> Any:
    if is_given(w):
        w = w / reduce_sum(w)
    if centered:
        u, v = (a - _centre(a, w) for a in (u, v))
    product, first, second = (reduce_sum(_times(w, t), -1) for t in (u * v, u * u, v * v))
    return 1.0 - product / np.sqrt(first * second)


def _centre(a: Any, w: Any) -> Any:
    if is_given(w):
        return op("sum", a * w, axis=-1, keepdims=True)
    return op("mean", a, axis=-1, keepdims=True)


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    return _correlation(u, v, w, centered=False)


def _standardized(u: Any, v: Any, variances: Any) -> Any:
    return op("norm", (u - v) / np.sqrt(variances), axis=-1)


def _mahalanobis(u: Any, v: Any, inverse: Any) -> Any:
    square = _squared_mahalanobis(u, v, inverse)
    apart = square > 0.0
    return np.where(apart, np.sqrt(np.where(apart, square, 1.0)), 0.0)


def _shannon(p: Any, q: Any, base: Any = None) -> Any:
    p, q = p / reduce_sum(p), q / reduce_sum(q)
    middle = 0.5 * (p + q)
    square = 0.5 * reduce_sum(op("rel_entr", p, middle) + op("rel_entr", q, middle))
    return np.sqrt(square / np.log(base) if is_given(base) else square)


def _squared_minkowski(u: Any, v: Any, p: Any = 2.0, w: Any = None) -> Any:
    order = getattr(p, "operand", p)
    is_euclidean = (order.value if isinstance(order, Const) else order) == 2
    return _square(u, v, w) if is_euclidean else None


def _squared_mahalanobis(u: Any, v: Any, inverse: Any) -> Any:
    return reduce_sum((u - v) * ((u - v) @ inverse), -1)


SQUARES: dict[str, Callable[..., Any]] = {
    "euclidean": _square,
    "minkowski": _squared_minkowski,
    "seuclidean": lambda u, v, variances: _square(u, v, 1.0 / variances),
    "mahalanobis": _squared_mahalanobis,
}
"""The squares of distances, smooth where a distance is 0."""


def _distance(name: str, signature: str, definition: Any, *more: Any, edge: str = "") -> None:
    narrow = name in ("sqeuclidean", "cityblock")

    def of_vectors(u: Any, v: Any, *rest: Any, **options: Any) -> Any:
        if rank_of(u, name) != 1 or rank_of(v, name) != 1:
            raise NoRule(
                f"no derivative rule for scipy.spatial.distance.{name} of these arrays",
                code="AG201",
                help="give two vectors",
            )
        if not narrow or rest:
            u, v = in_double(u), in_double(v)
        return definition(u, v, *rest, **options)

    def of_type(types: Types, options: Options) -> Types:
        own = narrow and len(types) == 2
        return (shaped(float_dtype(result_dtype(types)) if own else "float64", ()),)

    composed(
        f"distance_{name}",
        signature,
        [f"scipy.spatial.distance.{name}"],
        of_vectors,
        infer=of_ranks(of_type, 1, 1, (0, 1, 2)),
        cost=20,
        domain=list(more),
        edge=edge,
        square=SQUARES.get(name),
    )


# Weights are positive, and any vector may stand in their place.
_PAIR, _WEIGHTED = (_U, _V), (_POSITIVE, _V, _W)
for _name, _definition, _edge in (
    ("euclidean", _euclidean, _AT_EQUAL),
    ("sqeuclidean", _square, ""),
    ("cityblock", _blocks, "0 by equal entries"),
    ("chebyshev", _largest, "shared evenly where several steps are the largest"),
    ("canberra", _canberra, "0 by equal entries"),
    ("braycurtis", _bray_curtis, "0 by equal entries"),
    ("cosine", _cosine, ""),
    ("correlation", _correlation, ""),
):
    _distance(_name, "u, v, w=", _definition, _PAIR, _WEIGHTED, edge=_edge)
_distance(
    "minkowski",
    "u, v, p=, w=",
    _minkowski,
    (_U, _V, 3),
    (_POSITIVE, _V, 1.5, _W),
    (_U, _V),
    edge=_AT_EQUAL,
)
_distance("seuclidean", "u, v, V", _standardized, _WEIGHTED, edge=_AT_EQUAL)
_distance("mahalanobis", "u, v, VI", _mahalanobis, (_U, _V, _REGULAR), edge=_AT_EQUAL)
_distance(
    "jensenshannon",
    "p, q, base=",
    _shannon,
    (_POSITIVE, _W),
    (_POSITIVE, _W, 2),
    edge="infinite at 0",
)
METRICS: dict[str, Callable[..., Any]] = {
    "euclidean": _euclidean,
    "sqeuclidean": _square,
    "cityblock": _blocks,
    "chebyshev": _largest,
    "canberra": _canberra,
    "braycurtis": _bray_curtis,
    "cosine": _cosine,
    "correlation": _correlation,
    "minkowski": _minkowski,
}


def _all_pairs(xa: Any, xb: Any, metric: str) -> Any:
    """Of each row from each row."""
    definition = METRICS.get(metric)
    if definition is None:
        raise NoRule(
            f"no derivative rule for cdist with the metric {metric!r}",
            code="AG201",
            help=f"write the distance with NumPy; {', '.join(METRICS)} have rules",
        )
    # Every row of one beside every row of the other: a formula may take means of each.
    first, second = in_double(xa)[:, None, :], in_double(xb)[None, :, :]
    return definition(first, second)


def _squared_pairs(xa: Any, xb: Any, *, metric: str = "euclidean") -> Any:
    return _all_pairs(xa, xb, "sqeuclidean") if metric in ("euclidean", "minkowski") else None


def _pairs_type(types: Types, options: Options) -> Types:
    dims = (t.shape[0] if t.shape else None for t in types)
    return (fresh("float64", tuple(dims)),)


composed(
    "cdist",
    "xa, xb, metric='euclidean'",
    ["scipy.spatial.distance.cdist"],
    _all_pairs,
    infer=_pairs_type,
    cost=20,
    domain=[("float64[2,3]", "float64[4,3]", {"metric": metric}) for metric in METRICS],
    edge=_AT_EQUAL,
    square=_squared_pairs,
)

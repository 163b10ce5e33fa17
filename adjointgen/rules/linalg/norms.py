"""Norms of vectors and matrices, of every order: `y_dot = sum(w * a_dot) / d`.

Where the norm is 0 its derivative is taken to be 0, which is a subgradient. (Giles 2008 for the
singular values that the spectral norms are made of.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule, NotDifferentiable
from adjointgen.ir.types import COMPLEX, PART_OF
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.complex_convention import conjugated, real_part
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import (
    expand,
    in_dtype_of,
    op,
    rank_of,
    reduce_sum,
    squared_modulus,
)
from adjointgen.rules.framework.type_rules import Types, float_dtype, reduced_shape, shaped
from adjointgen.rules.linalg.batched_products import normed

Options = Mapping[str, Any]
Args = Sequence[Any]


def _norm_type(types: Types, options: Options) -> Types:
    a = types[0]
    shape = reduced_shape(a.shape, options.get("axis"), bool(options.get("keepdims")))
    dtype = float_dtype(a.dtype)
    return (shaped(PART_OF.get(dtype, dtype), shape),)


def _norm_weights(y: Any, a: Any, order: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    """`w` and `d` of `y_dot = sum(w * a_dot) / d`."""
    matrix = isinstance(axis, tuple | list) or (axis is None and a.type.rank != 1)
    if order in (None, "fro") or (order == 2 and not matrix):
        return conjugated(a), np.where(y == 0, 1.0, y)
    if a.type.dtype in COMPLEX:
        return _complex_weights(y, a, order, matrix, axis or (0, 1))
    if axis is None:
        matrix = rank_of(a, "norm") > 1
    if matrix:
        return _matrix_norm_weights(y, a, order, axis or (0, 1), keepdims)
    if order == 1:
        return np.sign(a), None
    if order in (math.inf, -math.inf):
        hits = abs(a) == expand(y, a, axis, keepdims)
        return hits * np.sign(a), reduce_sum(hits, axis, keepdims)
    if isinstance(order, int | float) and order:
        return np.sign(a) * abs(a) ** (order - 1.0), np.where(y == 0, 1.0, y) ** (order - 1.0)
    raise _no_norm(order)


def _complex_weights(y: Any, a: Any, order: Any, matrix: bool, axis: Any) -> tuple[Any, Any]:
    """`|a|^(p-2) conj(a)` of vectors; of matrices, norms that singular values give have rules."""
    if matrix and order in (2, -2, "nuc"):
        return _spectral_weights(a, order, axis), None
    if matrix or not isinstance(order, int | float) or not 0 < order < math.inf:
        raise NotDifferentiable(
            f"numpy.linalg.norm of order {order!r} holds for real numbers",
            code="AG302",
            help="take absolute values first, or the Frobenius norm",
        )
    moduli = abs(a)
    power = np.where(moduli == 0, 0.0, np.where(moduli == 0, 1.0, moduli) ** (order - 2.0))
    return power * conjugated(a), np.where(y == 0, 1.0, y) ** (order - 1.0)


def _spectral_weights(a: Any, order: Any, axis: Any) -> Any:
    """Of the singular values the first, the last or all: `u v^T` of their vectors, summed."""
    rank = rank_of(a, "norm")
    own, last = tuple(k % rank for k in axis), (rank - 2, rank - 1)
    moved = a if own == last else op("moveaxis", a, source=own, destination=last)
    u, _, vt = moved.several("svd", moved, full_matrices=False)
    part = slice(None) if order == "nuc" else slice(None, 1) if order == 2 else slice(-1, None)
    made = conjugated(u[..., part] @ vt[..., part, :])
    return made if own == last else op("moveaxis", made, source=last, destination=own)


def _matrix_norm_weights(y: Any, a: Any, order: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    """The largest or smallest column sum (order 1) or row sum (order infinity)."""
    if order in (2, -2, "nuc"):
        return _spectral_weights(a, order, axis), None
    if order not in (1, -1, math.inf, -math.inf):
        raise _no_norm(order)
    summed = axis[0] if abs(order) == 1 else axis[1]
    sums = reduce_sum(abs(a), summed, True)
    hits = sums == expand(y, sums, axis, keepdims)
    return hits * np.sign(a), reduce_sum(hits, axis, keepdims)


def _no_norm(order: Any) -> NoRule:
    return NoRule(
        f"no derivative rule for numpy.linalg.norm of order {order!r}",
        code="AG201",
        help="of matrices, the orders 1, 2, infinity, 'fro' and 'nuc' have rules, of the last axes",
    )


def _norm_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    axis, keepdims = options["axis"], options["keepdims"]
    w, d = _norm_weights(y, args[0], options["ord"], axis, keepdims)
    total = real_part(reduce_sum(w * dots[0], axis, keepdims), y)
    return total if d is None else total / in_dtype_of(y, d)


def _norm_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    axis, keepdims = options["axis"], options["keepdims"]
    w, d = _norm_weights(y, args[0], options["ord"], axis, keepdims)
    scaled = y_bar if d is None else y_bar / in_dtype_of(y, d)
    return [expand(scaled, args[0], axis, keepdims) * w]


def _squared_norm(a: Any, *, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum of squares, of which the norm of order 2 and Frobenius' are the root."""
    vector = a.type.rank == 1 or isinstance(axis, int)
    if ord is None or ord == "fro" or (ord == 2 and vector):
        return reduce_sum(squared_modulus(a), axis, keepdims)
    return None


general(
    "norm",
    "x, ord=None, axis=None, keepdims=False",
    ["numpy.linalg.norm", "scipy.linalg.norm"],
    _norm_tangent,
    _norm_adjoint,
    square=_squared_norm,
    infer=_norm_type,
    cost=4,
    domain=[
        ("float64[3]",),
        ("float64[3]", {"ord": 1}),
        ("float64[3]", {"ord": math.inf}),
        ("float64[3]", {"ord": -math.inf}),
        ("float64[3]", {"ord": 3}),
        ("float64[2,3]",),
        ("float64[2,3]", {"axis": 1}),
        ("float64[2,3]", {"axis": 0, "ord": 1}),
        ("float64[2,3]", {"axis": -1, "keepdims": True}),
        ("float64[2,3]", {"ord": 1}),
        ("float64[2,3]", {"ord": math.inf}),
        ("float64[2,3]", {"ord": "fro"}),
        *(("float64[3,3]", {"ord": order}) for order in (2, -2, "nuc")),
        ("float64[3,2,3]", {"ord": "nuc", "axis": (0, 2)}),
        ("float64[3]", {"ord": -1}),
        ("float64[4,2,3]", {"axis": (1, 2)}),
        ("float64[4,2,3]", {"axis": (1, 2), "ord": -1, "keepdims": True}),
    ],
    edge="0 where the norm is 0; shared evenly among equal largest entries",
    checked="foreign",
    batch=normed,
)

"""Eigenvalues of any matrix, pseudoinverses, powers, exponentials and cofactors of matrices.

(Golub and Pereyra 1973, The differentiation of pseudo-inverses; Giles 2008, section 3.1, for
eigenvalues; Higham 2008, Functions of matrices, equation 3.16, for the exponential.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import matmul
from typing import Any

from adjointgen.ir.types import INT
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import constant, general
from adjointgen.rules.framework.shape_helpers import length, op, rank_of, reduce_sum
from adjointgen.rules.framework.type_rules import (
    Types,
    float_dtype,
    fresh,
    of_ranks,
    result_dtype,
    shaped,
)
from adjointgen.rules.linalg.batched_products import stacked
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_REGULAR = [[2.0, 1.0, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 1.5]]
_STACK = [[[2.0, 1.0], [0.5, 3.0]], [[1.0, -0.4], [0.3, 2.0]]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [0.3, 0.8]]
_WIDE = [[1.0, 2.0, -0.3], [0.5, -1.0, 0.8]]


def _dtype(types: Types) -> str:
    return float_dtype(result_dtype(types))


def _pinv_type(types: Types, options: Options) -> Types:
    shape = types[0].shape
    turned = None if shape is None else (*shape[:-2], shape[-1], shape[-2])
    return (fresh(_dtype(types), turned),)


def _pinv_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`-P A_dot P + P P^T A_dot^T (I - A P) + (I - P A) A_dot^T P^T P`."""
    a, change = args[0], swapped(dots[0])
    back = swapped(y)
    outside = y @ back @ (change - change @ a @ y)
    inside = (change - y @ a @ change) @ back @ y
    return outside + inside - y @ dots[0] @ y


def _pinv_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`-P^T P_bar P^T + (I - A P) P_bar^T P P^T + P^T P P_bar^T (I - P A)`."""
    a, turned = args[0], swapped(y_bar)
    back = swapped(y)
    outside = (turned - a @ y @ turned) @ y @ back
    inside = back @ y @ (turned - turned @ y @ a)
    return [outside + inside - back @ y_bar @ back]


general(
    "pinv",
    "a",
    ["numpy.linalg.pinv", "scipy.linalg.pinv"],
    _pinv_tangent,
    _pinv_adjoint,
    infer=_pinv_type,
    cost=400,
    domain=[(_REGULAR,), (_TALL,), (_WIDE,), (_STACK,)],
    edge="where the rank is constant",
    source="Golub and Pereyra 1973, equation 4.12",
    batch=stacked,
)


def _least_squares_type(types: Types, options: Options) -> Types:
    a, b = (t.shape for t in types)
    dtype = _dtype(types)
    solution = None if a is None or b is None else (a[-1], *b[1:])
    return (fresh(dtype, solution), fresh(dtype, (None,)), INT, fresh(dtype, (None,)))


def _least_squares(a: Any, b: Any, **options: Any) -> Any:
    """`x = A^+ b`, and the singular values; the residuals are not stated."""
    solution = op("pinv", a) @ b
    rest = b - a @ solution
    squares = reduce_sum(rest * rest, 0)
    residuals = op("reshape", squares, -1) if rank_of(b, "lstsq") == 1 else squares
    return solution, residuals, 0, op("svdvals", a)


composed(
    "lstsq",
    "a, b, rcond=None",
    ["numpy.linalg.lstsq", "scipy.linalg.lstsq"],
    _least_squares,
    infer=_least_squares_type,
    cost=400,
    domain=[(_TALL, "float64[3]"), (_TALL, "float64[3,2]")],
    edge="where the rank is constant",
    source="Golub and Pereyra 1973",
)


def _power(a: Any, n: int) -> Any:
    """`A^n` by products, of the inverse where n is negative; up to a constant for n = 0."""
    if n == 0:
        return op("zeros_like", a)
    base = op("inv", a) if n < 0 else a
    return reduce(matmul, [base] * abs(n))


composed(
    "matrix_power",
    "a, n=None",
    ["numpy.linalg.matrix_power"],
    _power,
    infer=lambda types, options: (
        fresh(_dtype(types) if options.get("n", 1) < 0 else types[0].dtype, types[0].shape),
    ),
    view="type",
    shares=lambda types, options: options.get("n") == 1,
    cost=100,
    domain=[
        (_REGULAR, {"n": 3}),
        (_REGULAR, {"n": -2}),
        (_REGULAR, {"n": 0}),
        (_STACK, {"n": 2}),
    ],
)


def _chain_type(types: Types, options: Options) -> Types:
    first, last = types[0].shape, types[-1].shape
    if first is None or last is None:
        return (fresh(result_dtype(types), None),)
    return (shaped(result_dtype(types), first[:-1] + last[1:]),)


composed(
    "multi_dot",
    "*arrays",
    ["numpy.linalg.multi_dot"],
    lambda *arrays: reduce(matmul, arrays),
    infer=_chain_type,
    cost=100,
    exact_out=True,
    domain=[
        ("float64[2,3]", "float64[3,4]", "float64[4,2]"),
        ("float64[3]", "float64[3,4]", "float64[4]"),
    ],
)


def _beside(a: Any, e: Any) -> Any:
    """`[[A, E], [0, A]]`, whose exponential has the derivative along E at the upper right."""
    upper = op("concatenate", a, e, axis=1)
    lower = op("concatenate", op("zeros_like", a), a, axis=1)
    return op("concatenate", upper, lower, axis=0)


@dataclass(frozen=True, slots=True)
class _Analytic:
    """Both modes of an analytic function of a matrix.

    What it makes of `[[A, E], [0, A]]` has the derivative at A along E at the upper right (Higham
    2008, equation 3.16); the adjoint is the derivative at `A^T` along `Y_bar`.
    """

    name: str

    def along(self, a: Any, e: Any, options: Options) -> Any:
        n = length(a, 0)
        whole = op(self.name, _beside(a, e), **options)
        return whole[:n, n:]

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        return self.along(args[0], dots[0], options)

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        return [self.along(swapped(args[0]), y_bar, options)]


def _same_matrix(types: Types, options: Options) -> Types:
    return (fresh(_dtype(types), types[0].shape),)


def _complex_matrix(types: Types, options: Options) -> Types:
    """Complex, which the result for a real matrix may be: its values decide."""
    return (fresh("complex128", types[0].shape),)


_SMALL = [[0.2, 0.1], [0.05, 0.3]]
for _name in ("expm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"):
    _analytic = _Analytic(_name)
    general(
        _name,
        "a",
        [f"scipy.linalg.{_name}"],
        _analytic.tangent,
        _analytic.adjoint,
        infer=of_ranks(_same_matrix, 2),
        cost=400,
        domain=[(_SMALL,)],
        source="Higham 2008, equation 3.16",
    )
_TURNING = [[1.0, 2.0], [0.5, -3.0]]
for _name, _signature, _operands, _options in (
    ("logm", "a", "_0_", {}),
    ("fractional_matrix_power", "a, t=None", "_0_, _t_", {"t": 0.3}),
):
    _analytic = _Analytic(_name)
    general(
        _name,
        _signature,
        [f"scipy.linalg.{_name}"],
        _analytic.tangent,
        _analytic.adjoint,
        infer=of_ranks(_complex_matrix, 2),
        cost=400,
        domain=[(_TURNING, _options)],
        code=f"scipy.linalg.{_name}({_operands}).astype(np.complex128)",
        perhaps_real=True,
        edge="taken as complex: of a real matrix it is real if no eigenvalue is negative",
        source="Higham 2008, equation 3.16",
    )

constant(
    "matrix_rank",
    "a, tol=None",
    ["numpy.linalg.matrix_rank"],
    infer=lambda types, options: (INT,),
    because="a rank is an integer",
    cost=400,
)


def _condition(a: Any, p: Any) -> Any:
    """`s_1 / s_n`, or the other way round; `|A| |A^-1|` in another norm."""
    if p in (None, 2, -2):
        values = op("svdvals", a)
        ratio = values[..., 0] / values[..., -1]
        return ratio if p != -2 else 1.0 / ratio
    norm = {"axis": (-2, -1), "ord": p}
    return op("norm", a, **norm) * op("norm", op("inv", a), **norm)


def _condition_type(types: Types, options: Options) -> Types:
    shape = types[0].shape
    if shape is not None and len(shape) < 2:
        raise ValueError("a condition number is of a matrix")
    return (shaped(_dtype(types), None if shape is None else shape[:-2]),)


composed(
    "cond",
    "x, p=None",
    ["numpy.linalg.cond"],
    _condition,
    infer=_condition_type,
    cost=400,
    domain=[(_REGULAR,), (_TALL,), (_REGULAR, {"p": 1}), (_STACK,), (_REGULAR, {"p": "fro"})],
)

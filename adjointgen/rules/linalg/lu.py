"""The LU decomposition of a square matrix as SciPy packs it, and solves with it.

`A[p] = L U` gives `L^-1 A_dot[p] U^-1 = U A^-1 A_dot U^-1 = M`, of which the part below the
diagonal belongs to L and the rest to U: `L_dot = L tril(M, -1)` and `U_dot = triu(M) U`. The order
of the rows is constant. (Murray 2016, Differentiation of the Cholesky decomposition, has the same
argument for a factor alone; de Hoog, Anderssen and Lukas 2011, Differentiation of matrix
functionals using triangular factorization, section 2.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.ir.types import COMPLEX
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.framework.type_rules import (
    Types,
    float_dtype,
    fresh,
    of_ranks,
    result_dtype,
)
from adjointgen.rules.linalg.products import by_columns, swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_REGULAR = [[2.0, 1.0, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 1.5]]
_TURNED = [[0.2, -0.7, 1.5], [2.0, 1.0, 0.3], [0.5, 3.0, -0.4]]
_PACKED = [[2.0, 1.0, 0.3], [0.25, 2.8, -0.4], [0.1, -0.3, 1.4]]
_SWAPS = [1, 1, 2]


def _lower(lu: Any, change: Any, transposed: bool = False) -> Any:
    """`L^-1 change`."""
    options: dict[str, Any] = {"trans": 1} if transposed else {}
    return op("solve_triangular", lu, change, lower=True, unit_diagonal=True, **options)


def _upper(lu: Any, change: Any, transposed: bool = False) -> Any:
    """`U^-1 change`."""
    options: dict[str, Any] = {"trans": 1} if transposed else {}
    return op("solve_triangular", lu, change, **options)


def _factor_type(types: Types, options: Options) -> Types:
    (a,) = types
    dtype = float_dtype(result_dtype(types))
    if dtype in COMPLEX:
        raise TypeError("the LU decomposition of a complex matrix")
    shape = a.shape
    return fresh(dtype, shape), fresh("int32", None if shape is None else shape[:1])


def _factor_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    lu = y[0]
    inner = op("triu", lu) @ op("solve", args[0], dots[0])
    change = swapped(_upper(lu, swapped(inner), transposed=True))
    below = op("tril", change, k=-1)
    return below + op("tril", lu, k=-1) @ below + op("triu", change) @ op("triu", lu), None


def _factor_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    lu, lu_bar = y[0], y_bar[0]
    if lu_bar is None:
        return [None]
    below, above = op("tril", lu_bar, k=-1), op("triu", lu_bar)
    lower = below + op("tril", swapped(op("tril", lu, k=-1)) @ below, k=-1)
    change = lower + op("triu", above @ swapped(op("triu", lu)))
    inner = swapped(op("triu", lu)) @ swapped(_upper(lu, swapped(change)))
    return [op("solve", swapped(args[0]), inner)]


general(
    "lu_factor",
    "a",
    ["scipy.linalg.lu_factor"],
    _factor_tangent,
    _factor_adjoint,
    infer=of_ranks(_factor_type, 2),
    cost=200,
    domain=[(_REGULAR,), (_TURNED,)],
    edge="the order of the rows is constant; SciPy warns of a singular matrix",
    source="de Hoog, Anderssen and Lukas 2011, section 2",
)


def _solve_type(types: Types, options: Options) -> Types:
    dtype = float_dtype(result_dtype((types[0], types[2])))
    if dtype in COMPLEX:
        raise TypeError("an LU solve of complex numbers")
    return (fresh(dtype, types[2].shape),)


def _solve_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`y_dot = A^-1 b_dot - U^-1 (L^-1 L_dot U y + U_dot y)`."""
    lu, swaps, _ = args
    change = None if dots[2] is None else op("lu_solve", lu, swaps, dots[2])
    if dots[0] is None:
        return change
    along = _lower(lu, op("tril", dots[0], k=-1) @ (op("triu", lu) @ y)) + op("triu", dots[0]) @ y
    moved = _upper(lu, along)
    return -moved if change is None else change - moved


def _solve_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    lu, swaps, _ = args
    inner = _upper(lu, y_bar, transposed=True)
    outer = _lower(lu, inner, transposed=True)
    below = op("tril", by_columns(outer, op("triu", lu) @ y), k=-1)
    lu_bar = -(op("triu", by_columns(inner, y)) + below)
    return [lu_bar, None, op("lu_solve_transposed", lu, swaps, y_bar)]


def _transposed_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`A^T y = b`, `g = L^-T U^-T b`: `y_dot = A^-T (b_dot - (U^T L_dot^T + U_dot^T L^T) g)`."""
    lu, swaps, right = args
    change = dots[2]
    if dots[0] is not None:
        found = _lower(lu, _upper(lu, right, transposed=True), transposed=True)
        below, above = op("tril", dots[0], k=-1), op("triu", dots[0])
        unit = found + swapped(op("tril", lu, k=-1)) @ found
        moved = swapped(op("triu", lu)) @ (swapped(below) @ found) + swapped(above) @ unit
        change = -moved if change is None else change - moved
    return op("lu_solve_transposed", lu, swaps, change)


def _transposed_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    lu, swaps, right = args
    right_bar = op("lu_solve", lu, swaps, y_bar)
    found = _lower(lu, _upper(lu, right, transposed=True), transposed=True)
    unit = found + swapped(op("tril", lu, k=-1)) @ found
    below = op("tril", by_columns(found, op("triu", lu) @ right_bar), k=-1)
    return [-(below + op("triu", by_columns(unit, right_bar))), None, right_bar]


for _name, _trans, _tangent, _adjoint in (
    ("lu_solve", "", _solve_tangent, _solve_adjoint),
    ("lu_solve_transposed", ", trans=1", _transposed_tangent, _transposed_adjoint),
):
    general(
        _name,
        "lu, swaps, b",
        [],
        _tangent,
        _adjoint,
        infer=of_ranks(_solve_type, 2, 1, (1, 2)),
        cost=100,
        domain=[(_PACKED, _SWAPS, "float64[3]"), (_PACKED, _SWAPS, "float64[3,2]")],
        code=f"scipy.linalg.lu_solve((_0_, _1_), _2_{_trans})",
        source="de Hoog, Anderssen and Lukas 2011, section 2",
    )

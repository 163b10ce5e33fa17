"""Solves, inverses, determinants and diagonals of matrices.

Each adjoint follows from the tangent by `<y_bar, y_dot> = sum <x_bar, x_dot>` and the identity
`<A, B C> = <B^T A, C> = <A C^T, B>`. (Giles 2008, An extended collection of matrix derivative
results for forward and reverse mode algorithmic differentiation.) Leading axes are a stack of
matrices; a contribution that broadcasting widened is summed down by the transform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.ir.types import Dim, Shape, broadcast
from adjointgen.rules.framework.batching import by_axes
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import general, linear
from adjointgen.rules.framework.shape_helpers import (
    expand,
    length,
    op,
    rank_of,
    reduce_sum,
    zero_like,
)
from adjointgen.rules.framework.type_rules import (
    Types,
    float_dtype,
    fresh,
    result_dtype,
    shaped,
)
from adjointgen.rules.linalg.batched_products import diagonals, solved, stacked
from adjointgen.rules.linalg.matrix_series import determinant, solution
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_REGULAR = [[2.0, 1.0, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 1.5]]
_STACK = [[[2.0, 1.0], [0.5, 3.0]], [[1.0, -0.4], [0.3, 2.0]]]


def _column(a: Any) -> Any:
    return a.apply("expand_dims", a, axis=-1)


def _first_column(a: Any) -> Any:
    return a.apply("load", a, index="..., 0")


def _linear_dtype(types: Types) -> str:
    return float_dtype(result_dtype(types))


def _solve_type(types: Types, options: Options) -> Types:
    a, b = (t.shape for t in types)
    dtype = _linear_dtype(types)
    if a is None or b is None:
        return (fresh(dtype, None),)
    if len(b) == 1:
        return (fresh(dtype, a[:-1]),)
    lead = broadcast(a[:-2], b[:-2])
    return (fresh(dtype, None if lead is None else (*lead, a[-1], b[-1])),)


def _is_vector(a: Any, b: Any) -> bool:
    """Whether `b` is one vector for a stack of matrices, which is solved as a column."""
    return rank_of(b, "solve") == 1 and rank_of(a, "solve") > 2


def _solve_with(a: Any, b: Any, stacked: bool) -> Any:
    if stacked:
        return _first_column(a.apply("solve", a, _column(b)))
    return a.apply("solve", a, b)


def _solve_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`A y = b` gives `A y_dot = b_dot - A_dot y`."""
    a, right = args
    stacked = _is_vector(a, right)
    change = dots[1]
    if dots[0] is not None:
        product = _first_column(dots[0] @ _column(y)) if stacked else dots[0] @ y
        change = -product if change is None else change - product
    # A plain right-hand side stays one vector for all matrices.
    single = stacked and change.type.rank == 1
    return a.apply("solve", a, change) if single else _solve_with(a, change, stacked)


def _solve_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`b_bar = A^-T y_bar` and `A_bar = -b_bar y^T`."""
    a, right = args
    stacked = _is_vector(a, right)
    b_bar = _solve_with(swapped(a), y_bar, stacked)
    if stacked:
        return [-(_column(b_bar) * y.apply("expand_dims", y, axis=-2)), b_bar]
    if rank_of(right, "solve") == 1:
        return [-b_bar.apply("outer", b_bar, y), b_bar]
    return [-(b_bar @ swapped(y)), b_bar]


general(
    "solve",
    "a, b",
    ["numpy.linalg.solve"],
    _solve_tangent,
    _solve_adjoint,
    infer=_solve_type,
    cost=100,
    domain=[
        (_REGULAR, "float64[3]"),
        (_REGULAR, "float64[3,2]"),
        (_STACK, "float64[2]"),
        (_STACK, "float64[2,1]"),
        (_STACK, "float64[2,2,3]"),
    ],
    source="Giles 2008, section 2.3.1",
    batch=solved,
    series=solution,
)


def _matrix_type(types: Types, options: Options) -> Types:
    return (fresh(_linear_dtype(types), types[0].shape),)


def _inverse_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`Y A = I` gives `Y_dot = -Y A_dot Y`."""
    return -(y @ dots[0] @ y)


def _inverse_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = -Y^T Y_bar Y^T`."""
    back = swapped(y)
    return [-(back @ y_bar @ back)]


general(
    "inv",
    "a",
    ["numpy.linalg.inv", "scipy.linalg.inv"],
    _inverse_tangent,
    _inverse_adjoint,
    infer=_matrix_type,
    cost=100,
    domain=[(_REGULAR,), (_STACK,)],
    source="Giles 2008, section 2.2.3",
    batch=stacked,
)


def _determinant_type(types: Types, options: Options) -> Types:
    shape = types[0].shape
    return (shaped(_linear_dtype(types), None if shape is None else shape[:-2]),)


def _determinant_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`y_dot = sum(C * A_dot)` with the cofactors C of A, which are `y A^-T` for a regular A."""
    return reduce_sum(op("cofactor", args[0]) * dots[0], (-2, -1))


def _determinant_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = y_bar * C`."""
    return [expand(y_bar, args[0], (-2, -1)) * op("cofactor", args[0])]


general(
    "det",
    "a",
    ["numpy.linalg.det", "scipy.linalg.det"],
    _determinant_tangent,
    _determinant_adjoint,
    infer=_determinant_type,
    cost=100,
    domain=[(_REGULAR,), (_STACK,)],
    edge="of a singular matrix, its cofactors",
    source="Giles 2008, section 2.2.4",
    checked="open",
    batch=stacked,
    series=determinant,
)


def _cofactor_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """Of a singular matrix as well: nothing is divided by its determinant."""
    return op("cofactor_along", args[0], dots[0])


def _cofactor_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """The second derivative of a determinant is symmetric."""
    return [op("cofactor_along", args[0], y_bar)]


general(
    "cofactor",
    "a",
    [],
    _cofactor_tangent,
    _cofactor_adjoint,
    infer=_matrix_type,
    cost=400,
    domain=[(_REGULAR,), (_STACK,)],
    source="Giles 2008, section 2.2.4",
    runtime="cofactor.py",
    batch=stacked,
)


def _cofactors_along(a: Any, d: Any) -> Any:
    """`C = det(A) B` with `B = A^-T` changes by `<B, D> C - C D^T B`."""
    back, y = swapped(a.apply("inv", a)), op("cofactor", a)
    return expand(reduce_sum(back * d, (-2, -1)), y, (-2, -1)) * y - y @ swapped(d) @ back


composed(
    "cofactor_along",
    "a, d",
    [],
    _cofactors_along,
    infer=lambda types, options: _matrix_type(types[:1], options),
    cost=800,
    domain=[(_REGULAR, "float64[3,3]"), (_STACK, "float64[2,2,2]")],
    edge="NumPy raises LinAlgError for a singular matrix",
    runtime="cofactor.py",
)


def _log_determinant_type(types: Types, options: Options) -> Types:
    (sign,) = _determinant_type(types, options)
    return (sign, sign)


def _log_determinant_tangent(
    b: Builder, y: Any, args: Args, dots: Args, options: Options
) -> tuple[Any, Any]:
    """`log|det A|` has the tangent `trace(A^-1 A_dot)`; the sign is constant."""
    back = swapped(args[0].apply("inv", args[0]))
    return None, reduce_sum(back * dots[0], (-2, -1))


def _log_determinant_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = log_bar * A^-T`."""
    if y_bar[1] is None:
        return [None]
    back = swapped(args[0].apply("inv", args[0]))
    return [expand(y_bar[1], args[0], (-2, -1)) * back]


general(
    "slogdet",
    "a",
    ["numpy.linalg.slogdet"],
    _log_determinant_tangent,
    _log_determinant_adjoint,
    infer=_log_determinant_type,
    cost=100,
    domain=[(_REGULAR,), (_STACK,)],
    edge="NumPy raises LinAlgError for a singular matrix",
    source="Giles 2008, section 2.2.4",
    batch=stacked,
)


def _diagonal_length(shape: Shape, k: int) -> Dim | None:
    rows, columns = shape[:2]
    if rows is None or columns is None:
        return None
    if rows.known is not None and columns.known is not None:
        return Dim("", max(0, min(rows.known + min(k, 0), columns.known - max(k, 0))))
    return rows if rows == columns and k == 0 else None


def _diag_type(types: Types, options: Options) -> Types:
    (a,) = types
    k = options.get("k", 0)
    if a.shape is None:
        return (fresh(a.dtype, None),)
    if len(a.shape) == 1:
        dim = a.shape[0]
        side = None if dim is None else dim + abs(k)
        return (fresh(a.dtype, (side, side)),)
    return (fresh(a.dtype, (_diagonal_length(a.shape, k),)),)


def _pair_of(options: Options, rank: int) -> tuple[int, int]:
    """The axes of the matrices in a stack, the first two unless told."""
    return options.get("axis1", 0) % rank, options.get("axis2", 1) % rank


def _diagonal_type(types: Types, options: Options) -> Types:
    (a,) = types
    if a.shape is None:
        return (fresh(a.dtype, None),)
    first, second = _pair_of(options, len(a.shape))
    matrix = (a.shape[first], a.shape[second])
    lead = tuple(d for k, d in enumerate(a.shape) if k not in (first, second))
    return (fresh(a.dtype, (*lead, _diagonal_length(matrix, options.get("offset", 0)))),)


def _on_diagonal(y_bar: Any, a: Any, k: int) -> Any:
    """Zeros with `y_bar` on the k-th diagonals of the last two axes."""
    numbers = y_bar.apply("arange", length(y_bar, -1))
    rows = numbers - k if k < 0 else numbers
    columns = numbers + k if k > 0 else numbers
    lead = "..., " if rank_of(a, "diagonal") > 2 else ""
    return y_bar.apply("accumulate", zero_like(a), y_bar, rows, columns, index=f"{lead}_, _")


def _diag_back(y_bar: Any, a: Any, k: int) -> Any:
    if rank_of(a, "diag") == 1:
        return y_bar.apply("diagonal", y_bar, offset=k)
    return _on_diagonal(y_bar, a, k)


def _diagonal_back(y_bar: Any, a: Any, offset: int, axis1: int, axis2: int) -> Any:
    rank = rank_of(a, "diagonal")
    axes = (axis1 % rank, axis2 % rank)
    if axes == (rank - 2, rank - 1):
        return _on_diagonal(y_bar, a, offset)
    moved = a.apply("moveaxis", a, source=axes, destination=(rank - 2, rank - 1))
    made = _on_diagonal(y_bar, moved, offset)
    return made.apply("moveaxis", made, source=(rank - 2, rank - 1), destination=axes)


linear(
    "diag",
    "a, k=0",
    ["numpy.diag"],
    {0: _diag_back},
    infer=_diag_type,
    view="type",
    shares=lambda types, options: types[0].rank != 1,
    domain=[
        ("float64[3]",),
        ("float64[2]", {"k": -1}),
        ("float64[3,3]",),
        ("float64[2,3]", {"k": 1}),
        ("float64[3,2]", {"k": -1}),
    ],
    entries="among zeros",
    batch=diagonals,
)
_STACKED = "a, offset=0, axis1=0, axis2=1"
linear(
    "diagonal",
    _STACKED,
    ["numpy.diagonal", ".diagonal"],
    {0: _diagonal_back},
    infer=_diagonal_type,
    view="locked",
    domain=[
        ("float64[3,3]",),
        ("float64[2,3]", {"offset": 1}),
        ("float64[2,3,3]", {"axis1": -1, "axis2": -2}),
        ("float64[3,2,4]", {"axis1": 0, "axis2": 2, "offset": -1}),
    ],
    entries="picked",
    batch=by_axes("axis1", "axis2"),
)


def _trace_type(types: Types, options: Options) -> Types:
    (diagonal,) = _diagonal_type(types, options)
    shape = diagonal.shape
    return (shaped(diagonal.dtype, None if shape is None else shape[:-1]),)


def _trace_back(y_bar: Any, a: Any, offset: int, axis1: int, axis2: int) -> Any:
    """`y_bar` on the diagonal of each matrix."""
    if rank_of(a, "trace") == 2:
        ones = y_bar.apply("eye", length(a, 0), length(a, 1), k=offset, dtype=a.type.dtype)
        return y_bar * ones
    given = {"offset": offset, "axis1": axis1, "axis2": axis2}
    diagonal = op("diagonal", a, **given)
    return _diagonal_back(y_bar[..., None] * op("ones_like", diagonal), a, **given)


linear(
    "trace",
    _STACKED,
    ["numpy.trace", ".trace"],
    {0: _trace_back},
    infer=_trace_type,
    domain=[
        ("float64[3,3]",),
        ("float64[2,3]", {"offset": 1}),
        ("float64[2,3,4]",),
        ("float64[3,2,4]", {"axis1": 0, "axis2": 2, "offset": -1}),
    ],
    entries="picked",
    checked="open",
    batch=by_axes("axis1", "axis2"),
)

"""SciPy's solvers: triangular systems, `scipy.linalg.solve`, Sylvester's equation, square roots.

`A y = b` gives `A y_dot = b_dot - A_dot y`, and `b_bar = A^-T y_bar`, `A_bar = -b_bar y^T`; of A
only that is kept which the solver reads: a triangle, without a diagonal that is taken for ones.
(Giles 2008, An extended collection of matrix derivative results, section 2.3.1.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import COMPLEX, PART_OF
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import composed
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.framework.type_rules import Types, float_dtype, fresh, of_ranks, result_dtype
from adjointgen.rules.linalg.products import by_columns, swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_REGULAR = [[2.0, 1.0, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 1.5]]
_FACTOR = [[2.0, 0.4, 0.3], [0.5, 1.6, -0.4], [0.2, -0.7, 1.5]]


def _dtype(types: Types) -> str:
    return float_dtype(result_dtype(types))


def _second_type(types: Types, options: Options) -> Types:
    return (fresh(_dtype(types[:2]), types[1].shape),)


def _is_transposed(options: Options) -> bool:
    return options["trans"] not in (0, "N")


def _plain(options: Options) -> dict[str, Any]:
    """The options that are not the default."""
    usual = {"trans": 0, "lower": False, "unit_diagonal": False}
    return {k: v for k, v in options.items() if k in usual and v != usual[k]}


def _turned(options: Options) -> dict[str, Any]:
    """The options of the transposed system."""
    return _plain({**options, "trans": 0 if _is_transposed(options) else 1})


def _read(a: Any, options: Options) -> Any:
    """The triangle that is read."""
    part = "tril" if options["lower"] else "triu"
    if options["unit_diagonal"]:
        return op(part, a, k=-1 if options["lower"] else 1)
    return op(part, a)


def _triangular_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    change = dots[1]
    if dots[0] is not None:
        matrix = _read(dots[0], options)
        product = (swapped(matrix) if _is_transposed(options) else matrix) @ y
        change = -product if change is None else change - product
    return op("solve_triangular", args[0], change, **_plain(options))


def _triangular_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    b_bar = op("solve_triangular", args[0], y_bar, **_turned(options))
    pair = (y, b_bar) if _is_transposed(options) else (b_bar, y)
    return [_read(-by_columns(*pair), options), b_bar]


general(
    "solve_triangular",
    "a, b, trans=0, lower=False, unit_diagonal=False",
    ["scipy.linalg.solve_triangular"],
    _triangular_tangent,
    _triangular_adjoint,
    infer=of_ranks(_second_type, 2, (1, 2)),
    cost=50,
    domain=[
        (_FACTOR, "float64[3]"),
        (_FACTOR, "float64[3,2]", {"lower": True}),
        (_FACTOR, "float64[3]", {"lower": True, "trans": 1}),
        (_FACTOR, "float64[3]", {"trans": "T", "unit_diagonal": True}),
    ],
    edge="0 by what is not read",
    source="Giles 2008, section 2.3.1",
)


def _system(a: Any, b: Any, assume_a: Any, lower: bool, transposed: bool) -> Any:
    """`A^-1 b`; of a symmetric matrix the triangle that SciPy reads."""
    if assume_a in (None, "gen", "general"):
        return op("solve", swapped(a) if transposed else a, b)
    # Of a Hermitian matrix SciPy reads a triangle and its conjugate.
    real = a.type.dtype not in COMPLEX
    if assume_a in ("sym", "symmetric") or (real and assume_a in ("pos", "positive definite")):
        part, shift = ("tril", -1) if lower else ("triu", 1)
        return op("solve", op(part, a) + swapped(op(part, a, k=shift)), b)
    raise NoRule(
        f"no derivative rule for scipy.linalg.solve of a matrix assumed {assume_a!r}",
        code="AG201",
        help="use np.linalg.solve",
    )


composed(
    "scipy_solve",
    "a, b, lower=False, overwrite_a=False, overwrite_b=False, check_finite=True, assume_a=None,"
    " transposed=False",
    ["scipy.linalg.solve"],
    _system,
    infer=of_ranks(_second_type, 2, (1, 2)),
    cost=100,
    domain=[
        (_REGULAR, "float64[3]"),
        (_REGULAR, "float64[3,2]"),
        ([[3.0, 0.5], [0.4, 2.0]], "float64[2]", {"assume_a": "pos"}),
        ([[3.0, 0.5], [0.4, 2.0]], "float64[2]", {"assume_a": "sym", "lower": True}),
        (_REGULAR, "float64[3]", {"transposed": True}),
    ],
)


def _sylvester_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`A Y + Y B = Q` gives `A Y_dot + Y_dot B = Q_dot - A_dot Y - Y B_dot`."""
    terms = [
        None if dots[2] is None else dots[2],
        None if dots[0] is None else -(dots[0] @ y),
        None if dots[1] is None else -(y @ dots[1]),
    ]
    given = [t for t in terms if t is not None]
    change = given[0]
    for term in given[1:]:
        change = change + term
    return op("solve_sylvester", args[0], args[1], change)


def _sylvester_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A^T Q_bar + Q_bar B^T = Y_bar`, `A_bar = -Q_bar Y^T`, `B_bar = -Y^T Q_bar`."""
    q_bar = op("solve_sylvester", swapped(args[0]), swapped(args[1]), y_bar)
    return [-(q_bar @ swapped(y)), -(swapped(y) @ q_bar), q_bar]


general(
    "solve_sylvester",
    "a, b, q",
    ["scipy.linalg.solve_sylvester"],
    _sylvester_tangent,
    _sylvester_adjoint,
    infer=of_ranks(lambda types, options: (fresh(_dtype(types), types[2].shape),), 2),
    cost=400,
    domain=[(_REGULAR, [[1.0, 0.2], [0.4, 2.0]], "float64[3,2]")],
)


def _root_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`Y Y = A` gives `Y Y_dot + Y_dot Y = A_dot`."""
    return op("solve_sylvester", y, y, dots[0])


def _root_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [op("solve_sylvester", swapped(y), swapped(y), y_bar)]


def _root_type(types: Types, options: Options) -> Types:
    """Complex, which the root of a real matrix may be: its values decide."""
    dtype = _dtype(types)
    wider = {real: whole for whole, real in PART_OF.items()}
    return (fresh(wider.get(dtype, dtype), types[0].shape),)


general(
    "sqrtm",
    "a",
    ["scipy.linalg.sqrtm"],
    _root_tangent,
    _root_adjoint,
    infer=_root_type,
    cost=400,
    domain=[([[1.0, 2.0], [0.5, -3.0]],)],
    code="scipy.linalg.sqrtm(_0_) + 0j",
    perhaps_real=True,
    edge="taken as complex: of a real matrix it is real if no eigenvalue is negative",
)

"""Decompositions of matrices: Cholesky, eigenvalues of symmetric matrices, singular values.

Notation: `F_ij = 1 / (v_j - v_i)` for i != j, and 0 on the diagonal; `o` is the product entry by
entry. Where values coincide, the vectors that belong to them have no derivative, and F is infinite;
the values keep theirs, since F is left out where no vector is used. (Giles 2008, An extended
collection of matrix derivative results, sections 3.1 and 3.2; Walter and Lehmann 2010, Algorithmic
differentiation of linear algebra functions, for QR; Townsend 2016, Differentiating the singular
value decomposition; Murray 2016, Differentiation of the Cholesky decomposition.)

Of complex matrices, vectors are defined up to a phase each, which is held: `(V^H V_dot)_ii = 0`,
and singular vectors of a pair turn against each other by as much. Adjoints follow from
`L_dot = Re(sum z_bar z_dot)` (see `complex_convention.py`), hence conjugates where real matrices
have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import COMPLEX, PART_OF, Dim, Shape
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.complex_convention import conjugated
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import op
from adjointgen.rules.framework.type_rules import Types, float_dtype, fresh, of_ranks, result_dtype
from adjointgen.rules.linalg.batched_products import stacked
from adjointgen.rules.linalg.eigen_gaps import (
    cancelling,
    differences,
    identity,
    in_triangle,
    sums,
    symmetric,
    turned,
    turning,
)
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_ONE = Dim("", 1)
_POSITIVE = [[4.0, 0.6, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 2.5]]
_STACK = [[[2.0, 1.0], [0.5, 3.0]], [[1.0, -0.4], [0.3, 2.0]]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [0.3, 0.8]]
_WIDE = [[1.0, 2.0, -0.3], [0.5, -1.0, 0.8]]


def _dtype(types: Types) -> str:
    return float_dtype(result_dtype(types))


def _columns(vectors: Any, values: Any) -> Any:
    """Each column times its value."""
    return vectors * values[..., None, :]


def _real(values: Any) -> Any:
    """Real numbers that were computed as complex ones."""
    return op("real", values) if values.type.dtype in COMPLEX else values


def diagonal(a: Any) -> Any:
    """The diagonal of each matrix of a stack."""
    return a.apply("einsum", a, subscripts="...ii->...i")


def _whole(types: Types, options: Options) -> Types:
    return (fresh(_dtype(types), types[0].shape),)


def _half(a: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    return op("tril", a) - 0.5 * (a * identity(a))


def _is_lower(options: Options) -> bool:
    return bool(options["lower"]) if "lower" in options else not options["upper"]


def _cholesky_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`A = L L^T` gives `L_dot = L half(L^-1 A_dot L^-T)`."""
    lower = _is_lower(options)
    left = y if lower else swapped(y)
    inner = op("solve", left, swapped(op("solve", left, symmetric(dots[0], lower))))
    made = left @ _half(inner)
    return made if lower else swapped(made)


def _cholesky_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = L^-T half(L^T L_bar) L^-1`, in the triangle that is read."""
    lower = _is_lower(options)
    left, bar = (y, y_bar) if lower else (swapped(y), swapped(y_bar))
    back = swapped(left)
    inner = op("solve", back, _half(back @ bar))
    return [in_triangle(swapped(op("solve", back, swapped(inner))), lower)]


for _name, _signature, _spelling in (
    ("cholesky", "a, upper=False", "numpy.linalg.cholesky"),
    ("upper_cholesky", "a, lower=False", "scipy.linalg.cholesky"),
):
    _other = {_signature[3:8]: True}
    general(
        _name,
        _signature,
        [_spelling],
        _cholesky_tangent,
        _cholesky_adjoint,
        infer=_whole,
        cost=100,
        domain=[(_POSITIVE,), (_POSITIVE, _other), (_STACK,)],
        edge="by the triangle that is read; the other has derivative 0",
        source="Murray 2016, equations 8 and 10",
        batch=stacked if _name == "cholesky" else None,
    )


def _lower_option(options: Options) -> bool:
    if "lower" in options:
        return bool(options["lower"])
    return bool(options["UPLO"] == "L")


def _eigh_type(types: Types, options: Options) -> Types:
    shape, dtype = types[0].shape, _dtype(types)
    real = PART_OF.get(dtype, dtype)
    return (fresh(real, None if shape is None else shape[:-1]), fresh(dtype, shape))


def _eigh_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """With `P = V^T A_dot V`: `w_dot = diag(P)` and `V_dot = V (F o P)`."""
    values, vectors = y
    inner = turned(vectors) @ symmetric(dots[0], _lower_option(options)) @ vectors
    return _real(diagonal(inner)), vectors @ (op("gaps", values) * inner)


def _eigh_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = V (diag(w_bar) + F o N) V^T`, with the conjugate of the first V.

    `N = V^T V_bar`, of which the antisymmetric part counts: the other half of A is the same.
    """
    (values, vectors), (w_bar, v_bar) = y, y_bar
    back, first = swapped(vectors), conjugated(vectors)
    total = None if w_bar is None else _columns(first, w_bar) @ back
    if v_bar is not None:
        inner = back @ v_bar
        cancels = cancelling([(v_bar, -2)], [vectors], w_bar)
        change = inner - turned(inner)
        half = 0.5 * turning(change, differences(values), abs(inner), values, cancels)
        total = _plus(total, first @ half @ back)
    return [in_triangle(total, _lower_option(options))]


def _eigvalsh_type(types: Types, options: Options) -> Types:
    return _eigh_type(types, options)[:1]


def _eigvalsh_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`w_dot = diag(V^T A_dot V)`."""
    lower = _lower_option(options)
    _, vectors = args[0].several("eigh", args[0], **({} if lower else {"UPLO": "U"}))
    return _real(diagonal(turned(vectors) @ symmetric(dots[0], lower) @ vectors))


def _eigvalsh_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = V diag(w_bar) V^T`."""
    lower = _lower_option(options)
    _, vectors = args[0].several("eigh", args[0], **({} if lower else {"UPLO": "U"}))
    return [in_triangle(_columns(conjugated(vectors), y_bar) @ swapped(vectors), lower)]


# SciPy's routine may turn a vector of three around, at the least change of the matrix.
_SYMMETRIC: tuple[tuple[str, str, dict[str, Any], list[tuple[Any, ...]]], ...] = (
    ("numpy", "a, UPLO='L'", {"UPLO": "U"}, [(_POSITIVE,), (_STACK,)]),
    ("scipy", "a, b=None, lower=True", {"lower": False}, [(_STACK[0],)]),
)
for _prefix, _signature, _options, _given in _SYMMETRIC:
    for _name, _infer, _tangent, _adjoint in (
        ("eigh", _eigh_type, _eigh_tangent, _eigh_adjoint),
        ("eigvalsh", _eigvalsh_type, _eigvalsh_tangent, _eigvalsh_adjoint),
    ):
        general(
            _name if _prefix == "numpy" else f"scipy_{_name}",
            _signature,
            [f"{_prefix}.linalg.{_name}"],
            _tangent,
            _adjoint,
            infer=_infer if _prefix == "numpy" else of_ranks(_infer, 2),
            cost=200,
            domain=[*_given, (_given[0][0], _options)],
            edge="by the triangle that is read; vectors of equal values have none; phases are held",
            source="Giles 2008, section 3.1",
            batch=stacked if _prefix == "numpy" else None,
        )


def _least(shape: Shape) -> Dim | None:
    """The number of singular values, where it is certain."""
    rows, columns = shape[-2:]
    if rows is None or columns is None:
        return None
    if rows.known is not None and columns.known is not None:
        return Dim("", min(rows.known, columns.known))
    return rows if rows == columns else None


def _svd_type(types: Types, options: Options) -> Types:
    shape, dtype = types[0].shape, _dtype(types)
    both, real = options.get("compute_uv", True), PART_OF.get(dtype, dtype)
    if shape is None:
        vectors = fresh(dtype, None)
        return (vectors, fresh(real, None), vectors) if both else (fresh(real, None),)
    lead, (rows, columns), least = shape[:-2], shape[-2:], _least(shape)
    values = fresh(real, (*lead, least))
    if not both:
        return (values,)
    full = options.get("full_matrices", True)
    left = (*lead, rows, rows if full else least)
    right = (*lead, columns if full else least, columns)
    return (fresh(dtype, left), values, fresh(dtype, right))


def _thin(a: Any) -> tuple[Any, Any, Any]:
    """The singular value decomposition that has as many vectors as values."""
    left, values, right = a.several("svd", a, full_matrices=False)
    return left, values, right


def _vectors_used(a: Any, options: Options) -> None:
    """Refuse all vectors of a vector; those of any other matrix that is not square do not fit."""
    shape = (a.type.shape or (None, None))[-2:]
    if options["full_matrices"] and shape != (_ONE, _ONE) and _ONE in shape:
        raise NoRule(
            "no derivative rule for all singular vectors of a matrix that is not square",
            code="AG201",
            help="pass full_matrices=False",
        )


def _svd_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """With `P = U^T A_dot V` and F of the squares:

    s_dot = diag(P)
    U_dot = U (F o (P S + S P^T)) + (I - U U^T) A_dot V S^-1
    V_dot = V (F o (S P + P^T S)) + (I - V V^T) A_dot^T U S^-1
    """
    if not options["compute_uv"]:
        left, _, right = _thin(args[0])
        return _real(diagonal(turned(left) @ dots[0] @ turned(right)))
    left, values, right = y
    inner = turned(left) @ dots[0] @ turned(right)
    if options["full_matrices"]:
        u, _, v = _thin(args[0])
        values_dot = _real(diagonal(turned(u) @ dots[0] @ turned(v)))
    else:
        values_dot = _real(diagonal(inner))
    gaps, opposite = op("gaps", values) / sums(values), turned(inner)
    left_turn = gaps * (_columns(inner, values) + values[..., :, None] * opposite)
    right_turn = gaps * (values[..., :, None] * inner + _columns(opposite, values))
    if args[0].type.dtype in COMPLEX:
        phase = _phases(inner, values)
        left_turn, right_turn = left_turn + phase, right_turn - phase
    left_dot, right_dot = left @ left_turn, turned(right_turn) @ right
    if not options["full_matrices"]:
        image = dots[0] @ turned(right)
        left_dot = left_dot + _columns(image - left @ (turned(left) @ image), 1.0 / values)
        image = turned(left) @ dots[0]
        rest = image - (image @ turned(right)) @ right
        right_dot = right_dot + rest / values[..., :, None]
    return left_dot, values_dot, right_dot


def _phases(a: Any, values: Any) -> Any:
    """`i Im(a_jj) / (2 s_j)` on the diagonal: by how much the vectors of a pair turn."""
    return 0.5j * _columns(identity(a) * op("imag", a), 1.0 / values)


def _svd_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """The transpose of the tangent, term by term; of the values alone `A_bar = U S_bar V^T`."""
    if not options["compute_uv"]:
        left, _, right = _thin(args[0])
        return [_columns(conjugated(left), y_bar) @ conjugated(right)]
    left_bar, values_bar, right_bar = y_bar
    full = options["full_matrices"]
    total = None
    if values_bar is not None:
        u, _, v = _thin(args[0]) if full else y
        total = _columns(conjugated(u), values_bar) @ conjugated(v)
    if left_bar is not None or right_bar is not None:
        _vectors_used(args[0], options)
        total = _plus(total, _by_vectors(y, y_bar, full))
    return [total]


def _plus(total: Any, term: Any) -> Any:
    return term if total is None else total if term is None else total + term


def _by_vectors(y: Any, y_bar: Any, full: bool) -> Any:
    """What the vectors contribute: `U K V^H`, with conjugates of both, and what is outside of both.

    With the antisymmetric parts M of `U^T U_bar` and N of `V^T V_bar`,
    `K_ij = (M_ij s_j + s_i N_ij) / (s_j^2 - s_i^2)`, which is half of
    `(M + N)_ij / (s_j - s_i) + (M - N)_ij / (s_j + s_i)`. Where two values coincide the first
    numerator is zero for what does not change as both pairs of vectors turn alike, as `U V^T` does
    not. (Townsend 2016; the two quotients as in Papadopoulo and Lourakis 2000, section 3.)
    """
    (u, s, vt), (u_bar, values_bar, vt_bar) = y, y_bar
    first, last = conjugated(u), conjugated(vt)
    v_bar = None if vt_bar is None else turned(vt_bar)
    left = None if u_bar is None else swapped(u) @ u_bar
    right = None if v_bar is None else conjugated(vt) @ v_bar
    size = _plus(None if left is None else abs(left), None if right is None else abs(right))
    m = None if left is None else left - turned(left)
    n = None if right is None else right - turned(right)
    seeds = [(bar, axis) for bar, axis in ((u_bar, -2), (vt_bar, -1)) if bar is not None]
    cancels = cancelling(seeds, [u, vt], values_bar)
    total = turning(_plus(m, n), differences(s), size, s, cancels)
    rest = m if n is None else -n if m is None else m - n
    inner = 0.5 * (total + turning(rest, sums(s), size, s, True))
    if left is not None and u.type.dtype in COMPLEX:
        inner = inner + _phases(left, s)
    if right is not None and u.type.dtype in COMPLEX:
        inner = inner - _phases(right, s)
    made = first @ inner @ last
    if full:
        return made
    if left is not None:
        made = made + _columns(u_bar - first @ left, 1.0 / s) @ last
    if right is not None:
        made = made + first @ turned(_columns(v_bar - swapped(vt) @ right, 1.0 / s))
    return made


general(
    "svd",
    "a, full_matrices=True, compute_uv=True",
    ["numpy.linalg.svd", "scipy.linalg.svd"],
    _svd_tangent,
    _svd_adjoint,
    infer=_svd_type,
    cost=400,
    domain=[
        (_POSITIVE,),
        (_TALL, {"full_matrices": False}),
        (_WIDE, {"full_matrices": False}),
        (_STACK, {"full_matrices": False}),
        (_WIDE, {"compute_uv": False}),
    ],
    edge="vectors of equal values, and those of the value 0, have none; phases are held",
    source="Townsend 2016",
)


def _svdvals_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    return _svd_tangent(b, y, args, dots, {"compute_uv": False})


def _svdvals_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return _svd_adjoint(b, y, y_bar, args, {"compute_uv": False})


general(
    "svdvals",
    "a",
    ["numpy.linalg.svdvals", "scipy.linalg.svdvals"],
    _svdvals_tangent,
    _svdvals_adjoint,
    infer=lambda types, options: _svd_type(types, {"compute_uv": False}),
    cost=400,
    domain=[(_POSITIVE,), (_TALL,)],
    source="Townsend 2016",
    batch=stacked,
)

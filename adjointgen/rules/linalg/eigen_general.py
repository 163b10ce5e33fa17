"""Eigenvalues and eigenvectors of any square matrix, and the roots of a polynomial.

With `A V = V diag(w)` and `P = V^-1 A_dot V`, `w_dot` is the diagonal of P, and
`V_dot = V (F o P)` with `F_ij = 1 / (w_j - w_i)`, up to a factor for each vector. LAPACK gives
vectors of length 1 whose largest entry is real, which says what the factors are. Results are
complex, also where NumPy finds that no imaginary part is left: their type is not to depend on
values. (Giles 2008, section 3.1; Magnus 1985.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, op, rank_of
from adjointgen.rules.framework.type_rules import fresh
from adjointgen.rules.linalg.decompositions import diagonal
from adjointgen.rules.linalg.products import swapped

Args = Sequence[Any]
Types = tuple[Type, ...]
Options = Mapping[str, Any]
_SIMPLE = [[2.0, 0.3, -0.5], [0.4, 1.5, 0.2], [0.1, -0.6, 3.0]]
_TURNING = [[0.5, -1.5], [1.0, 0.3]]
_EQUAL = "equal eigenvalues have no derivative"


def _values_type(types: Types, options: Options) -> Types:
    shape = types[0].shape
    return (fresh("complex128", None if shape is None else shape[:-1]),)


def _vectors_type(types: Types, options: Options) -> Types:
    return (fresh("complex128", types[0].shape),)


def _values_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`w_dot = diag(V^-1 A_dot V)`."""
    vectors = _vectors(args[0], y)
    return diagonal(op("solve", vectors, dots[0] @ vectors))


def _values_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    return [_values_back(_vectors(args[0], y), y_bar)]


def _vectors(a: Any, values: Any) -> Any:
    """The vectors in the order of the values, which another routine may give in another one."""
    if rank_of(a, "eigvals") != 2:
        raise NoRule("no derivative rule for eigvals of a stack", code="AG201", help="use a loop")
    found = op("eigenvectors", a)
    others = diagonal(op("solve", found, a @ found))
    place = op("argmin", np.abs(values[:, None] - others), axis=1)
    return found.apply("load", found, place, index=":, _")


def _values_back(vectors: Any, bar: Any) -> Any:
    """`A_bar = V^-T diag(w_bar) V^T`."""
    back = swapped(vectors)
    return op("solve", back, bar[..., :, None] * back)


def _of(a: Any) -> tuple[Any, Any]:
    """Vectors, and their values in the same order."""
    vectors = op("eigenvectors", a)
    return vectors, diagonal(op("solve", vectors, a @ vectors))


def _tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`V_dot = V (F o P)`, less what would change the length, or turn the largest entry."""
    inner = op("solve", y, dots[0] @ y)
    free = y @ (op("gaps", _of(args[0])[1]) * inner)
    longer = np.sum(np.real(np.conj(y) * free), axis=-2)
    turn = np.sum(np.imag(np.where(_largest(y), free / _nonzero(y), 0.0)), axis=-2)
    return free - y * (longer + 1j * turn)[..., None, :]


def _adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    along = np.sum(y_bar * y, axis=-2)[..., None, :]
    bar = y_bar - np.real(along) * np.conj(y)
    bar = bar - np.where(_largest(y), np.imag(along) * 1j / _nonzero(y), 0.0)
    back = swapped(y)
    return [op("solve", back, op("gaps", _of(args[0])[1]) * (back @ bar) @ back)]


def _largest(vectors: Any) -> Any:
    """Where the largest entry of each column is."""
    sizes = np.abs(vectors)
    place = op("argmax", sizes, axis=-2)
    rows = sizes.apply("arange", length(vectors, -1))
    return rows[:, None] == place[..., None, :]


def _nonzero(a: Any) -> Any:
    return np.where(a == 0.0, 1.0, a)


for _name, _spellings, _code in (
    ("eigvals", ["numpy.linalg.eigvals"], "np.linalg.eigvals(_0_)"),
    ("eigenvalues", [], "np.linalg.eig(_0_)[0]"),
):
    general(
        _name,
        "a",
        _spellings,
        _values_tangent,
        _values_adjoint,
        infer=_values_type,
        domain=[(_SIMPLE,), (_TURNING,)],
        cost=300,
        code=f"{_code}.astype(np.complex128)",
        perhaps_real=True,
        edge=_EQUAL,
        source="Giles 2008, section 3.1",
    )
general(
    "eigenvectors",
    "a",
    [],
    _tangent,
    _adjoint,
    infer=_vectors_type,
    domain=[(_SIMPLE,), (_TURNING,)],
    cost=400,
    code="np.linalg.eig(_0_)[1].astype(np.complex128)",
    perhaps_real=True,
    edge=_EQUAL,
    source="Magnus 1985",
)


def _roots_type(types: Types, options: Options) -> Types:
    return (fresh("complex128", (None,)),)


def _powers(roots: Any, p: Any) -> tuple[Any, Any]:
    """The powers of each root that the coefficients stand by, and the slope there."""
    degree = length(p, 0) - 1
    exponents = degree - p.apply("arange", length(p, 0))
    powers = roots[:, None] ** exponents
    lower = roots[:, None] ** np.maximum(exponents - 1, 0)
    return powers, lower @ (p * exponents)


def _roots_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """`r_dot = -p_dot(r) / p'(r)`."""
    powers, slope = _powers(y, args[0])
    return -(powers @ dots[0]) / slope


def _roots_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    powers, slope = _powers(y, args[0])
    return [-((y_bar / slope) @ powers)]


general(
    "roots",
    "p",
    ["numpy.roots"],
    _roots_tangent,
    _roots_adjoint,
    infer=_roots_type,
    domain=[([1.0, -3.0, 1.5],), ([0.5, 1.0, 2.0, -1.5],)],
    cost=300,
    code="np.roots(_0_).astype(np.complex128)",
    edge="equal roots have no derivative",
)

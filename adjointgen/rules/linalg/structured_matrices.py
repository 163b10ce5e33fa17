"""Matrices that `scipy.linalg` makes of vectors, by the index of each entry, and matrix equations.

Of a matrix whose entries are those of a vector in some order the transpose adds up what is in equal
places, which is the adjoint of indexing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim, promote
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import along, composed, pull, push, varies
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import is_given, length, op, rank_of
from adjointgen.rules.framework.type_rules import (
    Types,
    add_lengths,
    float_dtype,
    fresh,
    of_entries,
    of_ranks,
    result_dtype,
)
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_VECTOR = [1.5, 0.7, -0.4]
_OTHER = [0.3, 1.1, 0.6, -0.8]
_STABLE = [[-2.0, 0.4, 0.1], [0.3, -1.5, 0.2], [-0.2, 0.6, -1.1]]
_INPUT = [[1.0, 0.2], [0.4, 0.7], [0.1, 0.9]]
_COST = ((2.0, 0.1, 0.3), (0.1, 1.5, 0.2), (0.3, 0.2, 1.0))
"""Not varied: SciPy insists on symmetry."""
_INSIDE = [[0.4, 0.2, -0.1], [0.1, -0.3, 0.2], [0.05, 0.1, 0.5]]


def _number(a: Any, count: Any) -> Any:
    """A length as a handle."""
    return count if hasattr(count, "apply") else a.builder.handle(a.builder.lower(count))


def _places(a: Any, count: Any) -> Any:
    number = _number(a, count)
    return number.apply("arange", number)


def _vector(a: Any, what: str) -> Any:
    if rank_of(a, what) != 1:
        raise NoRule(
            f"no derivative rule for scipy.linalg.{what} of an array that is no vector",
            code="AG201",
            help="make one matrix of each vector",
        )
    return a


def _dims(*places: int) -> Any:
    """The type of a matrix whose axes are as long as these operands."""

    def infer(types: Types, options: Options) -> Types:
        given = [
            types[k] if k < len(types) and types[k].kind != "object" else types[0] for k in places
        ]
        dims = tuple(t.shape[0] if t.shape else None for t in given)
        return (fresh(result_dtype([t for t in types if t.kind != "object"]), dims),)

    return infer


def _indexed(values: Any, rows: Any, columns: Any, sign: int, shift: Any) -> Any:
    """`values[shift + i + sign * j]`."""
    moved = columns[None, :] if sign > 0 else -columns[None, :]
    return values[rows[:, None] + moved + shift]


def _toeplitz(c: Any, r: Any = None) -> Any:
    """`c[i - j]` on and below the diagonal, `r[j - i]` above; without r, `conj(c)`."""
    c = _vector(c, "toeplitz")
    r = _vector(r, "toeplitz") if is_given(r) else op("conj", c)
    values = np.concatenate((op("flip", r[1:]), c))
    count = length(r, 0)
    return _indexed(values, _places(c, length(c, 0)), _places(c, count), -1, count - 1)


def _hankel(c: Any, r: Any = None) -> Any:
    """`c[i + j]`, and then r; without r, zeros."""
    c = _vector(c, "hankel")
    rest = _vector(r, "hankel") if is_given(r) else op("zeros_like", c)
    values = np.concatenate((c, rest[1:]))
    return _indexed(values, _places(c, length(c, 0)), _places(c, length(rest, 0)), 1, 0)


def _circulant(c: Any) -> Any:
    n = length(_vector(c, "circulant"), 0)
    rows = _places(c, n)
    return c[(rows[:, None] - rows[None, :]) % n]


def _companion(a: Any) -> Any:
    """`-a[1:] / a[0]` above ones below the diagonal."""
    ratio = -_vector(a, "companion")[1:] / a[0]
    rows = _places(a, length(a, 0) - 1)
    below = op("cast", rows[:, None] == rows[None, :] + 1, dtype=ratio.type.dtype)
    return np.where(rows[:, None] == 0, ratio[None, :], below)


def _leslie(f: Any, s: Any) -> Any:
    """Fecundities in the first row, survival below the diagonal."""
    rows = _places(f, length(_vector(f, "leslie"), 0))
    return np.where(rows[:, None] == 0, f[None, :], op("diag", s, k=-1))


def _fiedler(a: Any) -> Any:
    a = _vector(a, "fiedler")
    return abs(a[:, None] - a[None, :])


def _companion_type(types: Types, options: Options) -> Types:
    dim = add_lengths([types[0].shape[0] if types[0].shape else None])
    less = None if dim is None else Dim(dim.symbol, dim.offset - 1)
    return (fresh(float_dtype(types[0].dtype), (less, less)),)


def _convolution(a: Any, n: Any, mode: str) -> Any:
    """`a[i - j]`, of which `same` and `valid` are parts."""
    m, count = length(_vector(a, "convolution_matrix"), 0), n
    rows, columns = _places(a, m + count - 1), _places(a, count)
    places = rows[:, None] - columns[None, :]
    inside = (places >= 0) & (places < m)
    full = np.where(inside, a[np.where(inside, places, 0)], 0.0)
    if mode == "full":
        return full
    low, high = op("min", _number(a, m), count), op("max", _number(a, m), count)
    if mode == "valid":
        return full[low - 1 : high]
    start = (low - 1) // 2
    return full[start : start + high]


def _pairs(a: Any, b: Any) -> Any:
    """Kronecker products of columns."""
    whole = a[:, None, :] * b[None, :, :]
    return op("reshape", whole, _number(a, -1), length(a, 1))


def _matrix(
    name: str, signature: str, definition: Any, infer: Any, domain: Any, *ranks: int
) -> None:
    composed(
        name,
        signature,
        [f"scipy.linalg.{name}"],
        definition,
        infer=of_ranks(infer, *ranks),
        cost=20,
        domain=domain,
    )


_matrix(
    "toeplitz",
    "c, r=",
    _toeplitz,
    _dims(0, 1),
    [(_VECTOR,), (_VECTOR, _OTHER), (_OTHER, _VECTOR)],
    1,
)
_matrix("hankel", "c, r=", _hankel, _dims(0, 1), [(_VECTOR,), (_VECTOR, _OTHER)], 1)
_matrix("circulant", "c", _circulant, _dims(0, 0), [(_VECTOR,)], 1)
_matrix("companion", "a", _companion, _companion_type, [(_VECTOR,)], 1)
_matrix("leslie", "f, s", _leslie, _dims(0, 0), [(_VECTOR, [0.4, 0.8])], 1)
_matrix("fiedler", "a", _fiedler, of_entries(_dims(0, 0)), [(_VECTOR,)], 1)
_matrix(
    "convolution_matrix",
    "a, n, mode='full'",
    _convolution,
    lambda types, options: (fresh(types[0].dtype, (None, types[1].value)),),
    [(_VECTOR, 5), (_VECTOR, 5, {"mode": "same"}), (_VECTOR, 2, {"mode": "valid"})],
    1,
    0,
)
_matrix(
    "khatri_rao",
    "a, b",
    _pairs,
    lambda types, options: (
        fresh(result_dtype(types), (None, types[0].shape[1] if types[0].shape else None)),
    ),
    [("float64[2,3]", "float64[4,3]")],
    2,
)


def _continuous(a: Any, q: Any) -> Any:
    """`A X + X A^H = Q`."""
    return op("solve_sylvester", a, op("conj", swapped(a)), q)


def _discrete(a: Any, q: Any) -> Any:
    """`X = A X A^H + Q`, by columns one system (Higham 2008, section B.14)."""
    n = length(a, 0)
    twice = op("eye", _number(a, n * n)) - op("kron", a, op("conj", a))
    return op("reshape", op("solve", twice, op("ravel", q)), n, n)


def _equation_type(types: Types, options: Options) -> Types:
    return (fresh(float_dtype(result_dtype(types)), types[-1].shape),)


def _double_equation_type(types: Types, options: Options) -> Types:
    """SciPy builds the system in double precision."""
    return (fresh(promote(float_dtype(result_dtype(types)), "float64"), types[-1].shape),)


for _name in ("solve_continuous_lyapunov", "solve_lyapunov"):
    _matrix(_name, "a, q", _continuous, _equation_type, [(_STABLE, "float64[3,3]")], 2)
_matrix(
    "solve_discrete_lyapunov",
    "a, q",
    _discrete,
    _double_equation_type,
    [(_INSIDE, "float64[3,3]")],
    2,
)


def _riccati(x: Any, a: Any, b: Any, q: Any, r: Any) -> Any:
    """`A^T X + X A - X B R^-1 B^T X + Q`."""
    gain = x @ b
    return swapped(a) @ x + x @ a - gain @ op("solve", r, swapped(gain)) + q


def _discrete_riccati(x: Any, a: Any, b: Any, q: Any, r: Any) -> Any:
    """`A^T X A - X - A^T X B (R + B^T X B)^-1 B^T X A + Q`."""
    inner = swapped(b) @ x @ a
    moved = r + swapped(b) @ x @ b
    return swapped(a) @ x @ a - x - swapped(inner) @ op("solve", moved, inner) + q


class _Stabilizing:
    """A solution of an equation that is linear in its change: `L(X_dot) + F_dot = 0`.

    In continuous time `L(Y) = C^T Y + Y C` with the closed loop `C = A - B K`, in discrete time
    `L(Y) = C^T Y C - Y`. (Laub 1979, A Schur method for solving algebraic Riccati equations.)
    """

    def __init__(self, discrete: bool) -> None:
        self.discrete = discrete
        self.residual = _discrete_riccati if discrete else _riccati

    def closed(self, x: Any, a: Any, b: Any, r: Any) -> Any:
        if self.discrete:
            return a - b @ op("solve", r + swapped(b) @ x @ b, swapped(b) @ x @ a)
        return a - b @ op("solve", r, swapped(b) @ x)

    def solved(self, loop: Any, right: Any) -> Any:
        name = "solve_discrete_lyapunov" if self.discrete else "solve_continuous_lyapunov"
        return op(name, loop, right)

    def tangent(self, b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
        stmts, end = along(b, lambda: self.residual(y, *args))
        given = {
            a.operand.name: d.operand for a, d in zip(args, dots, strict=True) if d is not None
        }
        push(b, stmts, given)
        change: Any = b.handle(given[getattr(end, "name", "")])
        loop = swapped(self.closed(y, args[0], args[1], args[3]))
        return self.solved(loop, change if self.discrete else -change)

    def adjoint(self, b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
        loop = self.closed(y, args[0], args[1], args[3])
        bar = self.solved(loop, y_bar if self.discrete else -y_bar)
        stmts, end = along(b, lambda: self.residual(y, *args))
        bars = {getattr(end, "name", ""): bar.operand}
        asked = b.wanted or (True,) * len(args)
        wanted = {a.operand.name for a, want in zip(args, asked, strict=True) if want and varies(a)}
        pull(b, stmts, bars, wanted)
        found = [bars.get(getattr(a.operand, "name", "")) for a in args]
        return [None if f is None else b.handle(f) for f in found]


for _name, _rule in (
    ("solve_continuous_are", _Stabilizing(False)),
    ("solve_discrete_are", _Stabilizing(True)),
):
    general(
        _name,
        "a, b, q, r",
        [f"scipy.linalg.{_name}"],
        _rule.tangent,
        _rule.adjoint,
        infer=of_ranks(
            lambda types, options: (fresh(float_dtype(result_dtype(types)), types[0].shape),), 2
        ),
        cost=600,
        domain=[(_INSIDE, _INPUT, _COST, ((1.5, 0.2), (0.2, 1.2)))],
    )

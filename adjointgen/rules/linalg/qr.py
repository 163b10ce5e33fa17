"""The QR decomposition of one matrix or of a stack of them.

(Walter and Lehmann 2010, Algorithmic differentiation of linear algebra functions.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from adjointgen.errors import NoRule
from adjointgen.ir.types import Dim, Shape
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.declare import general
from adjointgen.rules.framework.shape_helpers import length, op
from adjointgen.rules.framework.type_rules import Types, float_dtype, fresh, of_ranks, result_dtype
from adjointgen.rules.linalg.products import swapped

Options = Mapping[str, Any]
Args = Sequence[Any]
_REGULAR = [[2.0, 1.0, 0.3], [0.5, 3.0, -0.4], [0.2, -0.7, 1.5]]
_STACK = [[[2.0, 1.0], [0.5, 3.0]], [[1.0, -0.4], [0.3, 2.0]]]
_TALL = [[1.0, 2.0], [0.5, -1.0], [0.3, 0.8]]
_WHOLE = ("complete", "full")
"""Modes with a square Q: its columns beyond those of the matrix have no derivative."""


def _least(shape: Shape) -> Dim | None:
    rows, columns = shape[-2:]
    if rows is None or columns is None or None in (rows.known, columns.known):
        return rows if rows == columns else None
    return Dim("", min(rows.offset, columns.offset))


def _qr_type(types: Types, options: Options) -> Types:
    shape, dtype = types[0].shape, float_dtype(result_dtype(types))
    mode = options.get("mode", "reduced")
    if mode == "raw" or (mode == "r" and options.get("tuple")):
        raise NoRule(
            f"no derivative rule for qr with mode {mode!r}",
            code="AG201",
            help="use the mode 'r' of np.linalg.qr, or 'economic' of scipy.linalg.qr",
        )
    if shape is None:
        factors = (fresh(dtype, None), fresh(dtype, None))
    else:
        rows, columns = shape[-2:]
        inner = rows if mode in ("complete", "full") else _least(shape)
        lead = shape[:-2]
        factors = (fresh(dtype, (*lead, rows, inner)), fresh(dtype, (*lead, inner, columns)))
    return factors[1:] if mode == "r" else factors


def _right_divided(a: Any, r: Any) -> Any:
    """`A R^-1`, which fails for an R that is not square."""
    return swapped(op("solve", swapped(r), swapped(a)))


def _reduced(a: Any, y: Any, options: Options) -> tuple[Any, Any]:
    """Q and R, computed where only R is there."""
    rows, columns = (a.type.shape or (None, None))[-2:]
    high, wide = (None if d is None else d.known for d in (rows, columns))
    if high is not None and wide is not None and high < wide:
        raise NoRule(
            "no derivative rule for the QR decomposition of more columns than rows",
            code="AG201",
            help="decompose the first columns, and solve with Q for the others",
        )
    if options["mode"] in ("reduced", "economic", "complete", "full"):
        return y[0], y[1]
    if options["mode"] == "r":
        q, r = a.several("qr", a)
        return q, r
    raise NoRule(
        f"no derivative rule for qr with mode {options['mode']!r}",
        code="AG201",
        help="use the mode 'reduced' of np.linalg.qr, or 'economic' of scipy.linalg.qr",
    )


def _is_square(a: Any) -> bool:
    rows, columns = (a.type.shape or (None, None))[-2:]
    return rows is not None and rows == columns


def _first_rows(a: Any, r: Any) -> Any:
    """What the reduced decomposition has of R: the rest is zero."""
    return r.apply("load", r, length(a, -1), index="..., :_, :")


def _qr_tangent(b: Builder, y: Any, args: Args, dots: Args, options: Options) -> Any:
    """With `C = A_dot R^-1` and `M = Q^T C`: `R_dot = (M - W) R` and `Q_dot = C - Q (M - W)`.

    W is the antisymmetric matrix with the lower triangle of M.
    """
    q_dot, r_dot = _changes(_reduced(args[0], y, options), dots[0])
    if options["mode"] == "r":
        return r_dot
    if options["mode"] in _WHOLE and not _is_square(args[0]):
        below = op("zeros_like", y[1])
        _, upper = _changes(args[0].several("qr", args[0]), dots[0])
        r_dot = below.apply("store", below, upper, length(args[0], -1), index="..., :_, :")
    return q_dot, r_dot


def _changes(factors: Sequence[Any], a_dot: Any) -> tuple[Any, Any]:
    q, r = factors
    change = _right_divided(a_dot, r)
    inner = swapped(q) @ change
    below = op("tril", inner, k=-1)
    upper = inner - (below - swapped(below))
    return change - q @ upper, upper @ r


def _qr_adjoint(b: Builder, y: Any, y_bar: Any, args: Args, options: Options) -> Args:
    """`A_bar = (Q_bar + Q copyltu(R R_bar^T - Q_bar^T Q)) R^-T`.

    `copyltu` is the symmetric matrix with this lower triangle.
    """
    q, r = _reduced(args[0], y, options)
    q_bar, r_bar = (None, y_bar) if options["mode"] == "r" else y_bar
    if options["mode"] in _WHOLE and q_bar is None and not _is_square(args[0]):
        q, r = args[0].several("qr", args[0])
        r_bar = _first_rows(args[0], r_bar)
    inner = None if r_bar is None else r @ swapped(r_bar)
    if q_bar is not None:
        turned = swapped(q_bar) @ q
        inner = -turned if inner is None else inner - turned
    copied = q @ (op("tril", inner) + swapped(op("tril", inner, k=-1)))
    total = copied if q_bar is None else q_bar + copied
    # Divided by R^T on the right.
    return [swapped(op("solve", r, swapped(total)))]


for _name, _signature, _spelling in (
    ("qr", "a, mode='reduced'", "numpy.linalg.qr"),
    ("scipy_qr", "a, overwrite_a=False, lwork=None, mode='full'", "scipy.linalg.qr"),
):
    general(
        _name,
        _signature,
        [_spelling],
        _qr_tangent,
        _qr_adjoint,
        infer=(
            _qr_type
            if _name == "qr"
            else of_ranks(
                lambda types, options: _qr_type(
                    types, {"mode": "full", "tuple": True} | dict(options)
                ),
                2,
            )
        ),
        cost=200,
        domain=[
            (_REGULAR,),
            (_TALL, {"mode": "reduced" if _name == "qr" else "economic"}),
            *([(_TALL, {"mode": "r"}), (_STACK,)] if _name == "qr" else []),
        ],
        edge="for at least as many rows as columns, of full rank; else NumPy raises LinAlgError",
        source="Walter and Lehmann 2010, section 4",
    )

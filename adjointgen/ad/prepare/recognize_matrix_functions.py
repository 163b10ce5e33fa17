"""Functions of matrices that are written with a decomposition are differentiated as one operation.

    u, s, vt = svd(A),  Q = u @ vt               the polar factor of a square A
    w, v = eigh(A),  F = (v * f(w)) @ v.T        f(A)

Where values coincide their vectors have no derivative, and these functions have one, which the
derivatives of the vectors do not tell. As in `even_powers.py` the value stays what the user wrote:
`through(Q, polar(A))` is Q with the derivative of the polar factor. (Higham 2008, Functions of
matrices, chapters 3 and 8.)
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.ad.prepare.even_powers import squared
from adjointgen.ad.prepare.smoother import differentiated_as
from adjointgen.ir.nodes import Apply, Const, Function, Operand, Value, walk
from adjointgen.ir.types import REAL
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.composed import push
from adjointgen.rules.framework.table import TABLE

Made = dict[str, Apply]
_TURNS = ("transpose", "swapaxes", "matrix_transpose")
_PRODUCTS = ("matmul", "dot")


def smooth(function: Function) -> Function:
    """The function with what is smoother than its parts differentiated as a whole."""
    return spectral(squared(function))


def spectral(function: Function) -> Function:
    """The function with such products differentiated by the matrix that was decomposed."""
    ops = {s.op for s in walk(function.body) if isinstance(s, Apply)}
    if not ops & {"svd", "eigh", "scipy_eigh"}:
        return function
    made: Made = {}
    return differentiated_as(function, lambda builder, stmt: _smoother(builder, stmt, made))


def _smoother(builder: Builder, stmt: Apply, made: Made) -> Operand | None:
    made.update((r.name, stmt) for r in stmt.results)
    return _written(builder, stmt, made) if stmt.op in _PRODUCTS else None


def _written(builder: Builder, stmt: Apply, made: Made) -> Operand | None:
    """The same matrix as a function of the one that was decomposed, if it is one."""
    a, b = stmt.args
    if stmt.result.type.dtype not in REAL or stmt.result.type.rank != 2:
        return None
    builder.span = stmt.span
    for first, second, turned in ((a, b, False), (_turned(b, made), _turned(a, made), True)):
        svd = _part(first, made, 0, ("svd",))
        if svd is not None and svd is _part(second, made, 2, ("svd",)) and _is_square(svd):
            factor = builder.apply("transpose", stmt.result) if turned else stmt.result
            polar = builder.apply("polar", factor, svd.args[0])
            return builder.apply("transpose", polar) if turned else polar
    return _function(builder, a, _turned(b, made), made)


def _function(builder: Builder, a: Operand, v: Operand | None, made: Made) -> Operand | None:
    """`(v * g) @ v.T`, with g a function of the values, entry by entry."""
    eigh = _part(v, made, 1, ("eigh", "scipy_eigh"))
    g = None if eigh is None or len(eigh.args) > 1 else _factor(a, v, made)
    if eigh is None or not isinstance(g, Value):
        return None
    values = eigh.results[0]
    chain: list[Apply] = []
    if not _follows(g, values, made, chain):
        return None
    dots: dict[str, Operand] = {values.name: builder.apply("ones_like", values)}
    with builder.called_as(eigh):
        push(builder, chain, dots)
    slope = dots.get(g.name)
    if slope is None:
        return None
    low = eigh.option("UPLO", "L") == "L" and bool(eigh.option("lower", True))
    return builder.apply("spectral", eigh.args[0], values, eigh.results[1], g, slope, lower=low)


def _factor(a: Operand, v: Operand | None, made: Made) -> Operand | None:
    """What the columns of v are multiplied with in `v * g`, `v * g[None, :]`, `v @ diag(g)`."""
    stmt = made.get(a.name) if isinstance(a, Value) else None
    if stmt is None or len(stmt.args) != 2 or v not in stmt.args:
        return None
    other = stmt.args[1] if stmt.args[0] == v else stmt.args[0]
    inner = made.get(other.name) if isinstance(other, Value) else None
    if stmt.op == "mul" and other.type.rank == 1:
        return other
    if inner is None or inner.args[0].type.rank != 1:
        return None
    row = inner.op == "load" and inner.option("index") in ("None, :", "None")
    if (stmt.op == "mul" and row) or (stmt.op in _PRODUCTS and _is_diagonal(stmt, v, inner)):
        return inner.args[0]
    return None


def _is_diagonal(stmt: Apply, v: Operand | None, inner: Apply) -> bool:
    return inner.op == "diag" and not inner.option("k", 0) and stmt.args[0] == v


def _follows(g: Value, values: Value, made: Mapping[str, Apply], chain: list[Apply]) -> bool:
    """Whether all that g is computed from is the values and numbers; the statements in order."""
    if g == values or g.name in (s.result.name for s in chain):
        return True
    stmt = made.get(g.name)
    if stmt is None or TABLE[stmt.op].kind != "elementwise" or len(stmt.results) != 1:
        return False
    inputs = [a for a in stmt.args if not isinstance(a, Const)]
    if not all(isinstance(a, Value) and _follows(a, values, made, chain) for a in inputs):
        return False
    chain.append(stmt)
    return True


def _part(operand: Operand | None, made: Made, place: int, ops: tuple[str, ...]) -> Apply | None:
    """The decomposition that a matrix is this result of."""
    stmt = made.get(operand.name) if isinstance(operand, Value) else None
    found = stmt is not None and stmt.op in ops and len(stmt.results) > place
    return stmt if stmt is not None and found and stmt.results[place] == operand else None


def _turned(operand: Operand, made: Made) -> Operand | None:
    """What a matrix is the transpose of."""
    stmt = made.get(operand.name) if isinstance(operand, Value) else None
    return stmt.args[0] if stmt is not None and stmt.op in _TURNS else None


def _is_square(svd: Apply) -> bool:
    """With all vectors, a product of both is one of square matrices."""
    shape = svd.args[0].type.shape
    known = shape is not None and None not in shape and shape[-1] == shape[-2]
    return known or bool(svd.option("full_matrices", True))

"""Sparse matrices of SciPy that the program is given, or the module holds: they are constants.

    A @ x,  A.dot(x)          by x: A.T @ y_bar
    x @ A                     x_bar = y_bar @ A.T
    spsolve(A, b)             b_bar = spsolve(A.T, y_bar)

What else is done with them is copied as it stands, and has no derivative.
"""

from __future__ import annotations

import ast

from adjointgen.frontend.domain.abstract_values import Abstract, Method, Outside, Ref
from adjointgen.frontend.domain.module_tables import Matrix
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.storage_cells import read
from adjointgen.ir.nodes import Operand, Value
from adjointgen.ir.types import OBJECT, Dim, Type, promote
from adjointgen.rules.framework.type_rules import float_dtype

_SAME = ("tocsr", "tocsc", "tocoo", "tolil", "asformat", "copy")


def matrix_of(ctx: Context, value: Abstract) -> Matrix | None:
    """The sparse matrix that a value is."""
    match value:
        case Outside(table=Matrix() as found):
            return found
        case Value(name=name):
            table = ctx.tables.get(name)
            return table if isinstance(table, Matrix) else None
        case Method(owner=owner, name="T"):
            inner = matrix_of(ctx, owner)
            return inner and inner.T
    return None


def product(ctx: Context, symbol: str, left: Abstract, right: Abstract) -> Value | None:
    """`A @ x` and `x @ A`, also as `A * x` of what is no array; None for any other operation."""
    first, second = matrix_of(ctx, left), matrix_of(ctx, right)
    if first is not None and _multiplies(symbol, first) and _is_array(right):
        x = read(ctx, right)
        return _made(ctx, "sparse_times", first.shape[:1], x.type, first, (read(ctx, left), x))
    if second is not None and _multiplies(symbol, second) and _is_array(left):
        x = read(ctx, left)
        return _made(ctx, "times_sparse", second.shape[1:], x.type, second, (x, read(ctx, right)))
    return None


def _multiplies(symbol: str, matrix: Matrix) -> bool:
    return len(matrix.shape) == 2 and (symbol == "@" or (symbol == "*" and matrix.multiplies))


def _is_array(value: Abstract) -> bool:
    return isinstance(value, Value | Ref)


def _made(
    ctx: Context,
    op: str,
    length: tuple[Dim | None, ...],
    x: Type,
    matrix: Matrix,
    args: tuple[Operand, Operand],
) -> Value | None:
    if x.kind != "array" or x.shape is None or len(x.shape) not in (1, 2):
        return None
    rest = x.shape[1:] if op == "sparse_times" else x.shape[:-1]
    shape = (*length, *rest) if op == "sparse_times" else (*rest, *length)
    return ctx.apply(op, *args, type=Type(promote(matrix.dtype, x.dtype), shape, "array"))


def solved(ctx: Context, matrix: Abstract, right: Operand) -> Value | None:
    """`spsolve(A, b)`."""
    found = matrix_of(ctx, matrix)
    if found is None or right.type.kind != "array" or right.type.rank != 1:
        return None
    ctx.imports |= {"import scipy.sparse": None, "import scipy.sparse.linalg": None}
    dtype = float_dtype(promote(found.dtype, right.type.dtype))
    return ctx.apply("sparse_solve", read(ctx, matrix), right, type=right.type.with_dtype(dtype))


def method(ctx: Context, node: ast.Call, method: Method) -> Abstract | None:
    """A method of a matrix that gives a product, or a matrix again."""
    found = matrix_of(ctx, method.owner)
    if found is None:
        return None
    if method.name == "dot" and len(node.args) == 1 and not node.keywords:
        given = ctx.expression(node.args[0])
        ctx.node = node
        return product(ctx, "@", method.owner, given)
    if method.name not in (*_SAME, "transpose") or node.args or node.keywords:
        return None
    holes = Holes(ctx)
    code = f"{holes.fill(method.owner)}.{method.name}()"
    result = verbatim(ctx, code, holes.operands, OBJECT, pure=True)
    ctx.tables[result.name] = found.T if method.name == "transpose" else found
    return result

"""What NumPy runs faster, for a program that NumPy runs: products that end in BLAS.

    np.sum(a * b)                      np.vdot(a, b), without the product as an array
    np.outer(u, v) * s                 np.outer(u * s, v), and its sum with a matrix u @ (A @ v),
                                       or (A.T @ u) @ v where A.T @ u is there already
    np.outer(a, b) + np.outer(c, d)    one product of two matrices, written once
    (s * A) @ x                        s * (A @ x), and so for sums of such matrices
    zeros; x_bar[i] += v               x_bar[i] = v, where nothing was added before

A compiler has its own forms for these (`targets/loops/`), so they are made last, and here alone.
What is added in another order is a derivative; the user's statements stay.
"""

from __future__ import annotations

from itertools import islice

from adjointgen.costs import ACCUMULATION_WINDOW, PRODUCT_WINDOW
from adjointgen.ir.nodes import Apply, Operand
from adjointgen.optimize.rewrites.indexing import are_disjoint, names_once
from adjointgen.optimize.rewrites.rewrite_context import Context, Rewrite, Term, term


def sum_of_product(stmt: Apply, context: Context) -> Term | None:
    """`sum(a * b)` is a product of vectors."""
    made = context.own(stmt.args[0], "mul")
    if made is None or stmt.options or not _is_double(stmt.result):
        return None
    a, b = made.args
    for factor, rest in ((a, b), (b, a)):
        if factor.type.is_scalar and not rest.type.is_scalar:
            return term("mul", factor, term("sum", rest))
    if not (_is_double(a) and _is_double(b) and context.lengths.same(a, b)):
        return None
    return _signed(a, b, context) or _with_outer(a, b, context) or _vdot(a, b)


def _signed(a: Operand, b: Operand, context: Context) -> Term | None:
    """A sign, or a scalar, of the first factor."""
    made = context.own(a, "neg", "mul")
    if made is not None and made.op == "neg":
        return term("neg", _vdot(made.args[0], b))
    if made is None or not made.args[0].type.is_scalar or not _is_double(made.args[1]):
        return None
    return term("mul", made.args[0], _vdot(made.args[1], b))


def _with_outer(a: Operand, b: Operand, context: Context) -> Term | None:
    for outer, matrix in ((a, b), (b, a)):
        made = _outer(outer, context)
        if made is None:
            continue
        left, right = made
        there = _product_there(matrix, left, context)
        if there is not None:
            return term("matmul", there, right)
        return term("matmul", left, term("matmul", matrix, right))
    return None


def _product_there(matrix: Operand, vector: Operand, context: Context) -> Operand | None:
    """`matrix.T @ vector`, if the block has just computed it."""
    for stmt in islice(reversed(context.definitions.values()), PRODUCT_WINDOW):
        if stmt.op != "matmul" or stmt.args[1] != vector:
            continue
        turned = context.made_by(stmt.args[0], "transpose")
        here = context.blocks.get(stmt.result.name) == context.block
        if here and turned is not None and turned.args[0] == matrix:
            return stmt.result
    return None


def _vdot(a: Operand, b: Operand) -> Term:
    return term("matmul" if a.type.rank == 1 else "vdot", a, b)


def scaled_outer(stmt: Apply, context: Context) -> Term | None:
    """`outer(u, v) * s` is `outer(u * s, v)`."""
    for matrix, scalar in (stmt.args, stmt.args[::-1]):
        made = _outer(matrix, context)
        if made is not None and scalar.type.is_scalar and scalar.type.dtype != "bool":
            return term("outer", term("mul", made[0], scalar), made[1])
    return None


def sum_of_outers(stmt: Apply, context: Context) -> Term | None:
    """`outer(a, b) + outer(c, d)` is the product of two columns and two rows."""
    last = _outer(stmt.args[1], context) if context.own(stmt.args[1], "outer") else None
    columns, rows = _stacked(stmt.args[0], context)
    if last is None or not columns or len(columns) == ACCUMULATION_WINDOW:
        return None
    if not context.lengths.same(columns[0], last[0]) or not context.lengths.same(rows[0], last[1]):
        return None
    left = term("array", term("list_of", *columns, last[0]))
    right = term("array", term("list_of", *rows, last[1]))
    return term("matmul", term("transpose", left), right)


def _stacked(operand: Operand, context: Context) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """The columns and rows whose products an operand is the sum of."""
    made = context.own(operand, "outer", "matmul")
    if made is not None and made.op == "outer":
        found = _outer(operand, context)
        return ((), ()) if found is None else ((found[0],), (found[1],))
    left = None if made is None else context.own(made.args[0], "transpose")
    parts = (None if left is None else left.args[0], None if made is None else made.args[1])
    arrays = [None if p is None else context.own(p, "array") for p in parts]
    lists = [None if a is None else context.own(a.args[0], "list_of") for a in arrays]
    columns, rows = ((() if made is None else made.args) for made in lists)
    return columns, rows


def _outer(operand: Operand, context: Context) -> tuple[Operand, Operand] | None:
    made = context.known(operand, "outer")
    if made is None or not all(_is_double(a) and a.type.rank == 1 for a in made.args):
        return None
    return made.args[0], made.args[1]


def product_with_vector(stmt: Apply, context: Context) -> Term | None:
    """`(s * A) @ x` is `s * (A @ x)`, and `(s * A + t * B) @ x` two such products."""
    for place, matrix in enumerate(stmt.args):
        if (matrix.type.rank, stmt.args[1 - place].type.rank) != (2, 1):
            continue
        if not all(map(_is_double, stmt.args)):
            continue
        made = _scaled(stmt, place, matrix, context) or _distributed(stmt, place, matrix, context)
        if made is not None:
            return made
    return None


def _scaled(stmt: Apply, place: int, matrix: Operand, context: Context) -> Term | None:
    """A matrix with a factor, maybe transposed; the user's own product need not be kept for it."""
    made = context.standing(matrix, "mul", "transpose")
    turned = made is not None and made.op == "transpose"
    if made is not None and turned:
        made = context.standing(made.args[0], "mul")
    for scalar, inner in () if made is None else (made.args, made.args[::-1]):
        if scalar.type.is_scalar and inner.type.rank == 2 and _is_double(inner):
            whole = term("transpose", inner) if turned else inner
            return term("mul", scalar, _product(stmt, place, whole))
    return None


def _distributed(stmt: Apply, place: int, matrix: Operand, context: Context) -> Term | None:
    """A sum of matrices that is made for the product alone."""
    made = context.own(matrix, "add", "sub")
    if made is None or not all(_is_scaled(a, context) for a in made.args):
        return None
    if not context.lengths.same(*made.args):
        return None
    return term(made.op, *(_product(stmt, place, a) for a in made.args))


def _is_scaled(operand: Operand, context: Context) -> bool:
    made = context.own(operand, "mul")
    return made is not None and any(a.type.is_scalar for a in made.args) and _is_double(operand)


def _product(stmt: Apply, place: int, matrix: Operand | Term) -> Term:
    args = (matrix, stmt.args[1]) if place == 0 else (stmt.args[0], matrix)
    return term(stmt.op, *args, **dict(stmt.options))


def first_write(stmt: Apply, context: Context) -> Term | None:
    """`accumulate(zeros, v, i)` is `store(zeros, v, i)`, if `i` names no place twice."""
    array, value = stmt.args[:2]
    if value.type.dtype != array.type.dtype or not names_once(stmt):
        return None
    for _ in range(ACCUMULATION_WINDOW):
        made = context.own(array, "store", "accumulate", "zeros_like", "zeros")
        if made is None:
            return None
        if made.op in ("zeros_like", "zeros"):
            return term("store", *stmt.args, **dict(stmt.options))
        if not are_disjoint(stmt, made):
            return None
        array = made.args[0]
    return None


def _is_double(operand: Operand) -> bool:
    return operand.type.dtype == "float64" and operand.type.kind in ("scalar", "array")


NUMPY_FORMS: tuple[tuple[str, Rewrite], ...] = (
    ("sum", sum_of_product),
    ("mul", scaled_outer),
    ("add", sum_of_outers),
    ("matmul", product_with_vector),
    ("accumulate", first_write),
)

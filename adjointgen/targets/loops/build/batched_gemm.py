"""Products of a stack of matrices with one matrix, and of two stacks summed over both, as one
product of matrices, which is a call of BLAS.

    A @ C                                  (A.reshape(n * m, k) @ C).reshape(n, m, l)
    tensordot(A, B, ((0, 1), (0, 1)))      A.reshape(n * m, k).T @ B.reshape(n * m, l)

Small matrices, as far as their lengths are known, are multiplied faster in loops.
"""

from __future__ import annotations

from typing import Any

from adjointgen.analysis.loops.loop_matmuls import EXACT
from adjointgen.costs import MATMUL_FROM
from adjointgen.ir.nodes import Apply
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import Builder, Handle
from adjointgen.rules.framework.shape_helpers import length


def is_stack(stmt: Apply, often: bool) -> bool:
    """Whether a statement is such a product of numbers that BLAS knows.

    What is done `often`, in a loop, is so only where the matrix is certainly not small.
    """
    if stmt.op not in ("matmul", "tensordot") or len({a.type.dtype for a in stmt.args}) > 1:
        return False
    a, b = (x.type for x in stmt.args)
    if a.dtype not in EXACT or not (a.is_array and b.is_array) or not a.rank or not b.rank:
        return False
    if stmt.op == "matmul":
        return a.rank > 2 and b.rank == 2 and _is_large(b, b, 0, not often)
    shared = tuple(range(a.rank - 1))
    summed = len(shared) > 1 and a.rank == b.rank and stmt.option("axes") == (shared, shared)
    return summed and _is_large(a, b, -1, not often)


def _is_large(one: Type, other: Type, axis: int, unknown: bool) -> bool:
    """Whether a matrix has many entries, as long as an axis of one and the last of the other."""
    dims = (one.shape or ())[axis], (other.shape or ())[-1]
    rows, columns = (None if d is None else d.known for d in dims)
    return unknown if rows is None or columns is None else rows * columns > MATMUL_FROM


def product(builder: Builder, stmt: Apply) -> Any:
    """The product with the axes of the stack as one."""
    a, b = map(builder.handle, stmt.args)
    if stmt.op == "tensordot":
        flat = _flat(a)
        return flat.apply("transpose", flat) @ _flat(b)
    made = _flat(a) @ b
    lengths = [length(a, k) for k in range((a.type.rank or 0) - 1)]
    return made.apply("reshape", made, *lengths, length(b, 1))


def _flat(a: Handle) -> Any:
    """The stack as one matrix."""
    rank = a.type.rank or 0
    rows = length(a, 0)
    for axis in range(1, rank - 1):
        rows = rows * length(a, axis)
    in_order = a.apply("ascontiguousarray", a)
    return a.apply("reshape", in_order, rows, length(a, rank - 1))

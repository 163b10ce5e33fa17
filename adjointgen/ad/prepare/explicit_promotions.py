"""Conversions to another precision, which NumPy does on its own, are operations of the program.

    z = w * y            t = w.astype(np.float64)           w is an array of float32, y of float64
                         z = t * y

An adjoint multiplies what the function multiplies, in another order. `w * (w * y)` is computed in
float64, and `w * w` is not: it may overflow, or be 0. Once converted, an operand has the precision
of the result wherever a derivative reads it, and the adjoint of the conversion gives `w_bar` the
dtype of `w`.
"""

from __future__ import annotations

from adjointgen.ir.nodes import Apply, Function, Operand, Stmt
from adjointgen.ir.types import COMPLEX, PART_OF
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.operation_walk import with_operations
from adjointgen.rules.framework.table import TABLE


def explicit(function: Function) -> Function:
    """The function whose arithmetic is done on arrays of one precision."""
    return with_operations(function, _converted)


def _converted(builder: Builder, stmt: Apply) -> Stmt:
    """A statement of arithmetic whose arrays have the precision of its result."""
    row = TABLE.rows.get(stmt.op)
    if row is None or len(stmt.results) != 1 or len(stmt.args) < 2:
        return stmt
    if row.kind != "elementwise" and row.loop != "contraction" and not row.contracts:
        return stmt
    wanted = _precision(stmt.result.type.dtype)
    return replace(stmt, args=tuple(_of(builder, arg, wanted) for arg in stmt.args))


def _of(builder: Builder, operand: Operand, wanted: str) -> Operand:
    """An operand in this precision, if it is an array of float32.

    What is of float16 stays: compilers compute it in float32, and have no arrays of it.
    """
    lower = operand.type.is_array and operand.type.dtype == "float32" and wanted == "float64"
    return builder.apply("cast", operand, dtype=wanted) if lower else operand


def _precision(dtype: str) -> str:
    return PART_OF[dtype] if dtype in COMPLEX else dtype

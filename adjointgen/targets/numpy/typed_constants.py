"""Constants of a precision of their own, where nothing else in the operation has it.

    1.0 * mask                       np.float32(1.0) * mask             the result is of float32
    np.einsum(",i->i", 1.0, y)       np.einsum(",i->i", np.float32(1.0), y)

NumPy gives Python's numbers the precision of the array that they meet. Truth values and integers
have none, and functions that make arrays of all they take give such a number 64 bits.
"""

from __future__ import annotations

from typing import Final

from adjointgen.ir.nodes import Apply, Const, Function, Operand, Stmt
from adjointgen.ir.types import COMPLEX, REAL
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder
from adjointgen.rules.framework.operation_walk import with_operations
from adjointgen.rules.framework.table import TABLE

_NARROW: Final = ("float32", "complex64")
_INEXACT: Final = (*REAL, *COMPLEX)


def typed(function: Function) -> Function:
    """The function whose constants give results the precision that these are taken to have."""
    return with_operations(function, _typed)


def _typed(builder: Builder, stmt: Apply) -> Stmt:
    row = TABLE.rows.get(stmt.op)
    if row is None or len(stmt.results) != 1 or stmt.result.type.dtype not in _NARROW:
        return stmt
    if stmt.option("dtype") is not None:
        return stmt
    only_shape = row.shape_of if row.shape_only and row.casts != row.shape_of else None
    read = [arg for k, arg in enumerate(stmt.args) if k != only_shape]
    decides = any(not isinstance(a, Const) and a.type.dtype in _INEXACT for a in read)
    if decides and row.loop != "contraction" and not row.contracts:
        return stmt
    constants = [k for k, arg in enumerate(stmt.args) if _is_inexact(arg)]
    for k in constants if decides else constants[:1]:
        made = builder.apply("cast", stmt.args[k], dtype=stmt.result.type.dtype)
        stmt = replace(stmt, args=(*stmt.args[:k], made, *stmt.args[k + 1 :]))
    return stmt


def _is_inexact(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, float | complex)

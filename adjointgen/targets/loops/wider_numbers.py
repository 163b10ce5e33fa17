"""Numbers of a higher precision for compilers, to which `float` is no conversion.

    a = float(w[i])         a = np.float64(w[i])         w is an array of float32
    s = 0                   s = 0.0                      s is a float elsewhere
    s = n                   s = float(n)                 n is an int, s is a float elsewhere

Numba's `float` leaves a number of float32 what it is, and `complex` makes a complex64 of it;
Python's have 64 bits for each part. An int that counts as a float stays an int in Python, whose
ints have any size; compiled, it has the type of what it counts as.
"""

from __future__ import annotations

from adjointgen.ir.edit import rebuild, with_simple
from adjointgen.ir.nodes import Apply, Block, Const, Function, Operand, Stmt
from adjointgen.ir.types import COMPLEX, INTEGER, PYTHON, REAL
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE


def wider(function: Function) -> Function:
    """The function whose conversions to Python's numbers name the dtype of these."""
    return replace(function, body=_typed(with_simple(function.body, _named)))


def _typed(block: Block) -> Block:
    """The block with ints that count as floats written as floats."""
    stmts = tuple(rebuild(stmt, _number, _typed) for stmt in block.stmts)
    return replace(block, stmts=stmts, yields=tuple(map(_number, block.yields)))


def _number(operand: Operand) -> Operand:
    value = operand.value if isinstance(operand, Const) else None
    is_float = operand.type.is_scalar and operand.type.dtype in REAL
    return Const(float(value), operand.type) if is_float and type(value) is int else operand


def _named(stmt: Stmt) -> Stmt:
    if not isinstance(stmt, Apply):
        return stmt
    row = TABLE.get(stmt.op)
    if row.view == "same" and stmt.args[0].type.dtype in INTEGER and stmt.result.type.dtype in REAL:
        return replace(stmt, op="cast")
    if ".astype" not in row.spellings:
        return stmt
    dtype, given = stmt.result.type.dtype, stmt.args[0].type
    narrow = given.is_scalar and given.dtype in (*REAL, *COMPLEX) and given.dtype not in PYTHON
    if not narrow or dtype not in ("float64", "complex128") or stmt.option("spelling"):
        return stmt
    return replace(stmt, options=(*stmt.options, ("spelling", f"numpy.{dtype}")))

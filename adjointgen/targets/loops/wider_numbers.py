"""Numbers of a higher precision for compilers, to which `float` is no conversion.

    a = float(w[i])         a = np.float64(w[i])         w is an array of float32
    s = 0                   s = 0.0                      s is a float elsewhere
    s = n                   s = float(n)                 n is an int, s is a float elsewhere
    s = [0, 0]              s = [float(v) for v in ...]  s is given floats later

Numba's `float` leaves a number of float32 what it is, and `complex` makes a complex64 of it;
Python's have 64 bits for each part. An int that counts as a float stays an int in Python, whose
ints have any size; compiled, it has the type of what it counts as.
"""

from __future__ import annotations

from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Apply, Block, Const, Function, Operand, Stmt
from adjointgen.ir.types import COMPLEX, INTEGER, PYTHON, REAL
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE


def wider(function: Function) -> Function:
    """The function whose conversions to Python's numbers name the dtype of these."""
    return replace(function, body=_typed(function.body))


def _typed(block: Block) -> Block:
    stmts = tuple(_named(rebuild(stmt, _number, _typed)) for stmt in block.stmts)
    return replace(block, stmts=stmts, yields=tuple(map(_number, block.yields)))


def _number(operand: Operand) -> Operand:
    """An int that counts as a float is written as one."""
    value = operand.value if isinstance(operand, Const) else None
    is_float = operand.type.is_scalar and operand.type.dtype in REAL
    return Const(float(value), operand.type) if is_float and type(value) is int else operand


def _is_widened(stmt: Apply) -> bool:
    """Whether a list of ints is copied as one that is given floats."""
    if stmt.option("code") != "list(_0_)" or len(stmt.results) != 1:
        return False
    given, made = stmt.args[0].type, stmt.result.type
    return made.kind == "list" and given.dtype in INTEGER and made.dtype in REAL


def _floats(rank: int, source: str) -> str:
    """The text of a list of the floats in a list, or in lists in lists."""
    if not rank:
        return f"float({source})"
    return f"[{_floats(rank - 1, f'v_{rank}')} for v_{rank} in {source}]"


def _named(stmt: Stmt) -> Stmt:
    if not isinstance(stmt, Apply):
        return stmt
    if _is_widened(stmt):
        code = _floats(stmt.result.type.rank or 1, "_0_")
        return replace(stmt, options=tuple(sorted({**dict(stmt.options), "code": code}.items())))
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

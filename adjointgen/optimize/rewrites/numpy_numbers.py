"""Which numbers are certainly NumPy's: their arithmetic gives infinity or NaN, and never raises.

Elements of arrays, what NumPy's functions give, and arithmetic with one of these. A rule makes a
number one of NumPy's before it divides by it (`shape_helpers.py`); where it is one, that is
dropped.
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.ir.nodes import Apply, Value
from adjointgen.ir.types import PYTHON
from adjointgen.rules.framework.table import Row

# Operations with a spelling of NumPy's that are written otherwise for numbers.
_OF_PYTHON = ("select", "cast", "copy", "size", "ndim", "dim")


def gives_numpy(stmt: Apply, row: Row, known: Collection[str]) -> bool:
    """Whether a number is certainly one of NumPy's, given which of the operands are."""
    if not stmt.results:
        return False
    result = stmt.results[0].type
    if not result.is_scalar or result.dtype not in PYTHON:
        return result.is_scalar
    if stmt.op == "load":
        return stmt.args[0].type.is_array
    spelling = str(stmt.option("spelling", row.spellings[0] if row.spellings else ""))
    if row.symbol and stmt.option("spelling") is None:
        return any(isinstance(a, Value) and a.name in known for a in stmt.args)
    method = spelling.startswith(".") and any(a.type.is_array for a in stmt.args)
    return stmt.op not in _OF_PYTHON and (method or spelling.startswith("numpy."))

"""The statements whose results a variable may still give its name to.

    a, b = p        t_1 = p[0]; t_2 = p[1]    ->    a = p[0]; b = p[1]

What is unpacked is made first, entry by entry, and named when all of it is there.
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.ir.nodes import Apply, Call, Loop, Operand, Stmt, Value
from adjointgen.records import replace

_MOST = 16
"""Of longer lists, the last so many entries have the names of variables."""


def made_lately(stmts: Sequence[Stmt], value: Operand) -> int | None:
    """Where a value without a name was made, if that was just now."""
    if not isinstance(value, Value) or value.root:
        return None
    for k in range(len(stmts) - 1, max(len(stmts) - 1 - _MOST, -1), -1):
        stmt = stmts[k]
        if isinstance(stmt, Apply | Call | Loop) and value in stmt.results:
            return k
    return None


def with_result(stmt: Stmt, old: Value, new: Value) -> Stmt:
    """The statement with another value in the place of a result."""
    assert isinstance(stmt, Apply | Call | Loop)
    return replace(stmt, results=tuple(new if r == old else r for r in stmt.results))

"""`a_bar + t` as `accumulate(a_bar, t)` where `a_bar` is not read again: a wish for `a_bar += t`.

Only for arrays of derivatives; the user's own `a + b` stays. `own` grants the wish where the
storage of `a_bar` is free, and else writes the sum as it was.
"""

from __future__ import annotations

from dataclasses import replace

from adjointgen.analysis.liveness import last_use
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import Apply, Block, Stmt, Value, results_of
from adjointgen.ir.types import Type, same_length

WHOLE = (("index", "..."),)


def accumulating(block: Block, primal: frozenset[str]) -> Block:
    """The block with sums of arrays, none of them the user's own, as accumulations."""
    live_out = frozenset(y.name for y in block.yields if isinstance(y, Value))
    mine = {p.name for p in block.params}
    stmts: list[Stmt] = []
    for stmt, dying in zip(block.stmts, last_use(block, live_out), strict=True):
        if isinstance(stmt, Apply) and stmt.op == "add" and stmt.result.name not in primal:
            stmt = _wish(stmt, dying & mine)
        mine |= {r.name for r in results_of(stmt)}
        stmts.append(rebuild(stmt, lambda o: o, lambda b: accumulating(b, primal)))
    return replace(block, stmts=tuple(stmts))


def _wish(stmt: Apply, dying: frozenset[str]) -> Apply:
    a, b = stmt.args
    for target, term in ((a, b), (b, a)):
        free = isinstance(target, Value) and target.name in dying
        if free and target != term and same_array(target.type, stmt.result.type):
            return replace(stmt, op="accumulate", args=(target, term), options=WHOLE)
    return stmt


def same_array(a: Type, b: Type) -> bool:
    """Whether two types are certainly arrays of one dtype and shape."""
    if not (a.is_array and b.is_array) or a.dtype != b.dtype or a.shape is None or b.shape is None:
        return False
    return len(a.shape) == len(b.shape) and all(
        same_length(p, q) for p, q in zip(a.shape, b.shape, strict=True)
    )

"""`accumulate(zeros, v, i) + w` is `accumulate(w, v, i)`: what is added last can come first.

The adjoint of `new = u.copy()`, of a reshaped or a renamed array is such a sum: contributions that
were gathered from zero, and then an array that is whole. Started from the array, the zeros and the
last sum are not needed, and the gathering happens in place. `w` must be defined before the zeros.
"""

from __future__ import annotations

from collections.abc import Mapping

from adjointgen.analysis.values.liveness import uses
from adjointgen.ir.edit import rebuild, substitute, substitute_in
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Stmt, Value, results_of
from adjointgen.records import replace


def rebase(function: Function, primal: frozenset[str]) -> Function:
    """The function with sums gathered from what they end with; the user's own sums stay."""
    count = uses(function.body)
    return replace(function, body=_block(function.body, primal, count))


def _block(block: Block, primal: frozenset[str], count: Mapping[str, int]) -> Block:
    stmts = [rebuild(s, lambda o: o, lambda b: _block(b, primal, count)) for s in block.stmts]
    place = {r.name: k for k, s in enumerate(stmts) for r in results_of(s)}
    by: dict[str, Operand] = {}
    for stmt in stmts:
        if not isinstance(stmt, Apply) or stmt.op != "add" or stmt.result.name in primal:
            continue
        for gathered, whole in (stmt.args, stmt.args[::-1]):
            whole = substitute(whole, by)
            first = _chain(gathered, stmts, place, count)
            if first is not None and _can_start(whole, gathered, place.get(first, 0), place):
                by[first] = whole
                by[stmt.result.name] = gathered
                break
    if not by:
        return replace(block, stmts=tuple(stmts))
    return substitute_in(replace(block, stmts=tuple(stmts)), by)


def _chain(
    end: Operand, stmts: list[Stmt], place: Mapping[str, int], count: Mapping[str, int]
) -> str | None:
    """The zeros that a chain of accumulations begins with, each version read once."""
    while isinstance(end, Value) and end.name in place and count[end.name] == 1:
        stmt = stmts[place[end.name]]
        if not isinstance(stmt, Apply):
            return None
        if stmt.op in ("zeros_like", "zeros"):
            return end.name
        if stmt.op != "accumulate":
            return None
        end = stmt.args[0]
    return None


def _can_start(whole: Operand, gathered: Operand, zeros: int, place: Mapping[str, int]) -> bool:
    """Whether `whole` is there when the gathering starts, and of its type."""
    if not isinstance(whole, Value) or whole.type != gathered.type or not whole.type.is_array:
        return False
    return place.get(whole.name, -1) < zeros

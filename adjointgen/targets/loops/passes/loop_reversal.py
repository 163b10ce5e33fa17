"""Loop reversal: loops that run backwards run forwards where the order makes no difference.

    for i in reversed(range(n)):              for i in range(n):
        x_bar[i] += y_bar[i] * a      ->          x_bar[i] += y_bar[i] * a
        a_bar += y_bar[i] * x[i]                  a_bar += y_bar[i] * x[i]

A reverse sweep undoes iterations last to first. Iterations that have nothing of each other but sums
can be taken in any order (Tapenade's II-LOOP: Hascoët, Fidanova and Held 2001, "Adjoining
independent computations", there declared and here proved), and then `loop_fusion.py` joins the
reverse sweep with the forward one: what both compute stays where it is, and needs no tape.
Independent is a loop whose arrays are touched in the row of its own index only, or added to and not
read; its numbers are sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from adjointgen.ir.edit import carried, is_one_array, name_of, rebuild, versions
from adjointgen.ir.nodes import (
    NESTED,
    STORES,
    Apply,
    Block,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    blocks_of,
    operands_of,
    reads_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.arrays.index_arithmetic import axis_by_axis
from adjointgen.rules.arrays.indexing import numbers_of
from adjointgen.targets.loops.build.nonnegative import begins, counting
from adjointgen.targets.loops.passes.loop_fusion import computes


def turned(function: Function) -> Function:
    """The function with every backward loop turned that can be."""
    counts = counting(function)

    def inner(block: Block) -> Block:
        return replace(block, stmts=tuple(map(statement, block.stmts)))

    def statement(stmt: Stmt) -> Stmt:
        if not isinstance(stmt, NESTED):
            return stmt
        made = rebuild(stmt, lambda operand: operand, inner)
        if isinstance(made, Loop) and made.backwards and _is_free(made, counts):
            return replace(made, backwards=False)
        return made

    return replace(function, body=inner(function.body))


def _is_free(loop: Loop, counts: Container[str]) -> bool:
    """Whether the iterations may be done in any order."""
    if loop.trips is not None or loop.pair or not computes(loop):
        return False
    reads = Counter(v.name for v in reads_of(loop.body))
    rows = begins(loop, counts)
    return all(
        (
            _is_sum(loop, param, end, reads)
            if param.type.is_scalar
            else is_one_array(loop, k) and _has_no_order(loop, param, rows)
        )
        for k, (param, _, end, _) in enumerate(carried(loop))
    )


def _is_sum(loop: Loop, param: Value, end: Operand, reads: Counter[str]) -> bool:
    """Whether a number is only added to, and read by nothing else."""
    made = {
        s.result.name: s for s in loop.body.stmts if isinstance(s, Apply) and len(s.results) == 1
    }
    while name_of(end) != param.name:
        stmt = made.get(name_of(end))
        if stmt is None or stmt.op not in ("add", "sub") or reads[name_of(end)] != 1:
            return False
        end = stmt.args[0]
    return reads[param.name] == 1


def _has_no_order(loop: Loop, param: Value, rows: bool) -> bool:
    """Whether an array is only added to, or touched in rows of which every index has its own."""
    touches = _touches(loop, param)
    added = all(s is not None and s.op == "accumulate" for s in touches)
    return added or (rows and _are_in_row(touches, loop, param))


def is_apart(loop: Loop, param: Value) -> bool:
    """Whether an array is touched in the row of the index only."""
    return _are_in_row(_touches(loop, param), loop, param)


def _are_in_row(touches: Sequence[Apply | None], loop: Loop, param: Value) -> bool:
    return any(
        all(s is not None and _place(s, axis) == loop.index for s in touches)
        for axis in range(param.type.rank or 0)
    )


def _touches(loop: Loop, param: Value) -> list[Apply | None]:
    """What reads or writes the versions of an array; None for what is no entry."""
    return _uses(loop.body, versions(loop, {param.name}))


def _uses(block: Block, names: set[str]) -> list[Apply | None]:
    """The statements that read or write entries of an array; None for any other use."""
    found: list[Apply | None] = []
    for stmt in walk(block):
        if isinstance(stmt, Apply):
            if any(name_of(a) in names for a in stmt.args):
                found.append(stmt if _is_entry(stmt, names) else None)
        elif not blocks_of(stmt) and any(name_of(o) in names for o in operands_of(stmt)):
            found.append(None)
    return found


def _is_entry(stmt: Apply, names: set[str]) -> bool:
    if stmt.op not in ("load", *STORES):
        return False
    if any(name_of(a) in names for a in stmt.args[1:]):
        return False
    return stmt.op == "accumulate" or stmt.args[0].type.is_array


def _place(stmt: Apply, axis: int) -> Operand | None:
    """The index of an entry along an axis."""
    at = axis_by_axis(str(stmt.option("index")), numbers_of(stmt))
    return at[axis] if at is not None and axis < len(at) else None

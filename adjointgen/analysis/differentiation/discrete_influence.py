"""Steering: the values whose rounding matters, since something is decided by them.

What a test, the bounds of a loop, an index or a step function depends on must come out in the
reverse sweep exactly as it did in the forward sweep; a change in the last digit may take another
branch. Everything else may be computed in another order. Plain reachability, from what decides to
what it is computed from, in time linear in the size of the function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from adjointgen.ir.edit import flags_of, merged
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    walk,
)
from adjointgen.rules.framework.table import TABLE

Edge = tuple[str, Operand]


def steering(body: Block) -> frozenset[str]:
    """The names of the values that steer."""
    decisive = (o for stmt in walk(body) for o in _decisive(stmt))
    return ancestors(body, [o.name for o in decisive if isinstance(o, Value)])


def ancestors(body: Block, names: Iterable[str]) -> frozenset[str]:
    """The names of some values and of all that they are computed from."""
    sources: dict[str, list[str]] = defaultdict(list)
    waiting = list(names)
    slots: dict[str, list[Operand]] = defaultdict(list)
    replays: list[Replay] = []
    for stmt in walk(body):
        if isinstance(stmt, Record):
            slots[stmt.slot].append(stmt.value)
        elif isinstance(stmt, Replay):
            replays.append(stmt)
        for name, operand in _edges(stmt):
            if isinstance(operand, Value):
                sources[name].append(operand.name)
    for replay in replays:
        values = [o for o in slots[replay.slot] if isinstance(o, Value)]
        sources[replay.result.name] += [v.name for v in values]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += sources[name]
    return frozenset(found)


def _decisive(stmt: Stmt) -> Iterable[Operand]:
    """The operands by which a statement decides something."""
    match stmt:
        case Branch():
            return (stmt.test,)
        case Loop():
            return (*stmt.bounds, *stmt.body.yields[: flags_of(stmt)])
        case While():
            return (*stmt.test.yields, *stmt.body.yields[: flags_of(stmt)])
        case Call():
            return stmt.args
        case Apply() if not reads_shape_only(stmt) and _is_step(stmt):
            return stmt.args
        case _:
            return ()


def reads_shape_only(stmt: Apply) -> bool:
    """Whether an operation reads no more of its operands than their shapes, or nothing."""
    row = TABLE.get(stmt.op)
    return row.measures or (row.shape_only and row.shape_of == 0) or stmt.op == "comment"


def _is_step(stmt: Apply) -> bool:
    """Whether an operation jumps: it has no derivative, or none that is known, or is no number."""
    row = TABLE.rows.get(stmt.op)
    if row is None or row.kind in ("constant", "refuse") or stmt.op in ("verbatim", "statement"):
        return True
    return not any(r.type.is_differentiable for r in stmt.results)


def _edges(stmt: Stmt) -> Iterator[Edge]:
    """Each value with what it is computed from."""
    match stmt:
        case Apply():
            yield from ((r.name, a) for r in stmt.results for a in stmt.args)
        case _:
            yield from ((value.name, source) for value, source in merged(stmt))

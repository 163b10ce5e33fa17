"""Update in place: sums of arrays whose first term is not read again.

    c_bar = a_bar + t        ->     c_bar = accumulate(a_bar, t)          # a_bar += t
    c_bar = a_bar - t        ->     c_bar = accumulate(a_bar, -t)         # a_bar -= t

Only for arrays of derivatives, and where the user writes `a += b`; the user's own `a + b` stays.
`insert_copies.py` keeps that where the storage of `a_bar` is free, and else has the sum as it was.
"""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.analysis.values.liveness import last_use
from adjointgen.errors import Span
from adjointgen.ir.edit import rebuild
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Const,
    Loop,
    Operand,
    Record,
    Stmt,
    Value,
    While,
    results_of,
    walk,
)
from adjointgen.ir.types import Type, same_length
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names

WHOLE = (("index", "..."),)


def accumulating(
    block: Block, primal: frozenset[str], names: Names, updates: Collection[Span] = ()
) -> Block:
    """The block with sums of arrays as accumulations, of the user's own those in `updates`."""
    return _accumulating(block, primal - _updated(block, updates), literals(block), names)


def _updated(block: Block, updates: Collection[Span]) -> frozenset[str]:
    if not updates:
        return frozenset()
    stmts = (s for s in walk(block) if isinstance(s, Apply) and s.op in ("add", "sub"))
    # What is recorded has to be an array of its own anyway.
    recorded = {s.value for s in walk(block) if isinstance(s, Record)}
    return frozenset(
        s.result.name for s in stmts if s.span in updates and not recorded & {s.result, *s.args}
    )


def _accumulating(
    block: Block, primal: frozenset[str], bare: frozenset[str], names: Names
) -> Block:
    live_out = frozenset(y.name for y in block.yields if isinstance(y, Value))
    mine = {p.name for p in block.params}
    stmts: list[Stmt] = []
    for stmt, dying in zip(block.stmts, last_use(block, live_out), strict=True):
        if isinstance(stmt, Apply) and stmt.op in ("add", "sub"):
            if stmt.result.name not in primal:
                stmts += _wish(stmt, (dying & mine) - bare, names)
            else:
                stmts.append(stmt)
        else:
            stmts.append(
                rebuild(stmt, lambda o: o, lambda b: _accumulating(b, primal, bare, names))
            )
        mine |= {r.name for r in results_of(stmt)}
    return replace(block, stmts=tuple(stmts))


def literals(block: Block) -> frozenset[str]:
    """The values that are arrays by their type, and may be a number that a loop began with.

    `total = 0.0` before `total += x` is one: it has no storage to write to.
    """
    found: set[str] = set()
    size = -1
    while size < len(found):
        size = len(found)
        for stmt in walk(block):
            match stmt:
                case Loop() | While():
                    rows = zip(stmt.inits, stmt.body.params, stmt.results, strict=True)
                    begun = [(p, r) for init, p, r in rows if _is_literal(init, found)]
                    found |= {v.name for pair in begun for v in pair}
                case Branch():
                    arms = zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True)
                    for result, *yields in arms:
                        if any(_is_literal(y, found) for y in yields):
                            found.add(result.name)
    return frozenset(found)


def _is_literal(operand: Operand, found: Collection[str]) -> bool:
    if isinstance(operand, Const):
        return operand.type.is_array
    return operand.name in found


def _wish(stmt: Apply, dying: frozenset[str], names: Names) -> tuple[Apply, ...]:
    """`accumulate(a, b)` for `a + b`, `accumulate(a, -b)` for `a - b`, where `a` dies."""
    a, b = stmt.args
    for target, term in ((a, b), (b, a))[: 2 if stmt.op == "add" else 1]:
        free = isinstance(target, Value) and target.name in dying
        if not free or target == term or not same_array(target.type, stmt.result.type):
            continue
        wish = replace(stmt, op="accumulate", args=(target, term), options=WHOLE)
        if stmt.op == "add":
            return (wish,)
        if term.type.dtype == "bool":
            break
        minus = Value(names.fresh("t"), term.type)
        negative = Apply((minus,), "neg", (term,), span=stmt.span)
        return negative, replace(wish, args=(target, minus))
    return (stmt,)


def same_array(a: Type, b: Type) -> bool:
    """Whether two types are certainly arrays of one dtype and shape."""
    if not (a.is_array and b.is_array) or a.dtype != b.dtype or a.shape is None or b.shape is None:
        return False
    return len(a.shape) == len(b.shape) and all(
        same_length(p, q) for p, q in zip(a.shape, b.shape, strict=True)
    )

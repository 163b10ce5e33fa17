"""A function made ready to print: what would only be noise in Python is taken out.

* A value that is recorded once, outside of loops, needs no tape: `replay` is the value itself, or
  what a branch makes of it.
* The test and the body of a `while` read the same variables, so they share their parameters.
* What is computed from an undefined value is undefined itself.
* Lengths are asked of the newest versions of arrays (`newest_lengths.py`).
* What nothing reads and has no effect is left out, results of branches included.

One sweep from the end to the start, so that every read is seen before the definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import assert_never

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.emit.decide.newest_lengths import ask_newest
from adjointgen.ir.edit import substitute_in
from adjointgen.ir.nodes import (
    LOOPS,
    UNDEFINED,
    WRITES,
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    blocks_of,
    operands_of,
    results_of,
    slots_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.framework.table import TABLE

EFFECTS = WRITES | {"statement", "comment"}


def has_effect(stmt: Stmt) -> bool:
    """Whether a statement does more than define its results.

    The user's expressions do if they call something, or are kept for what they may raise.
    """
    if isinstance(stmt, Call):
        return stmt.effect
    if not isinstance(stmt, Apply):
        return True
    if is_users_expression(stmt):
        told = stmt.option("region") or stmt.option("kept")
        return bool(told) or "(" in str(stmt.option("code"))
    row = TABLE.rows.get(stmt.op)
    if stmt.option("effect"):
        return True
    return stmt.op in EFFECTS or bool(stmt.option("writes")) or (row is not None and row.effect)


def is_users_expression(stmt: Apply) -> bool:
    """Whether this is an expression of the user's that writes to nothing of the program's."""
    return stmt.op == "verbatim" and not stmt.option("writes")


def prepare(function: Function) -> tuple[Block, Counter[str]]:
    """The body to print, and how often each of its values is read."""
    body = function.body
    aliases = _plain_tapes(body) | _shared_parameters(body) | _undefined(body)
    if aliases:
        body = substitute_in(body, {name: _resolve(aliases, name) for name in aliases})
    body = ask_newest(body)
    sweep = _Sweep({*slots_of(function.results)})
    return sweep.block(body), sweep.reads


def _resolve(aliases: dict[str, Operand], name: str) -> Operand:
    operand = aliases[name]
    while isinstance(operand, Value) and operand.name in aliases:
        operand = aliases[operand.name]
    return operand


def plain_slots(body: Block) -> dict[str, Operand]:
    """What is recorded in each slot that is recorded once and in no loop."""
    found: dict[str, list[Operand | None]] = {}
    stack = [(stmt, False) for stmt in body.stmts]
    while stack:
        stmt, inside = stack.pop()
        if isinstance(stmt, Record):
            found.setdefault(stmt.slot, []).append(None if inside else stmt.value)
        inside = inside or isinstance(stmt, LOOPS)
        stack += [(s, inside) for block in blocks_of(stmt) for s in block.stmts]
    return {slot: v[0] for slot, v in found.items() if len(v) == 1 and v[0] is not None}


def _plain_tapes(body: Block) -> dict[str, Operand]:
    plain = plain_slots(body)
    plain |= _given_by_branches(body, plain)
    return {
        stmt.result.name: plain[stmt.slot]
        for stmt in walk(body)
        if isinstance(stmt, Replay) and stmt.slot in plain
    }


def _given_by_branches(body: Block, plain: Mapping[str, Operand]) -> dict[str, Operand]:
    """The slots that hold a number which their arm also yields: the branch's result is the same.

    Read under that name, the number needs no other one beside it. What is replayed in the arm
    itself is read before there is a result.
    """
    found: dict[str, Operand] = {}
    for stmt in walk(body):
        for arm in (stmt.then, stmt.orelse) if isinstance(stmt, Branch) else ():
            ends = dict(zip(arm.yields, results_of(stmt), strict=True))
            inside = {s.slot for s in walk(arm) if isinstance(s, Replay)}
            found |= {
                s.slot: ends[s.value]
                for s in arm.stmts
                if isinstance(s, Record)
                and s.slot in plain.keys() - inside
                and s.value in ends
                and s.value.type.is_scalar
            }
    return found


def _undefined(body: Block) -> dict[str, Operand]:
    """What is computed from a value that is not defined, on a path that does not use it."""
    found: dict[str, Operand] = {}
    for stmt in walk(body):
        if isinstance(stmt, Apply) and not has_effect(stmt):
            names = (a.name for a in stmt.args if isinstance(a, Value))
            if any(map(is_undefined, stmt.args)) or any(name in found for name in names):
                found |= {r.name: Const(UNDEFINED, r.type) for r in stmt.results}
    return found


def _shared_parameters(body: Block) -> dict[str, Operand]:
    return {
        own.name: shared
        for stmt in walk(body)
        if isinstance(stmt, While)
        for own, shared in zip(stmt.body.params, stmt.test.params, strict=True)
        if own.name != shared.name
    }


class _Sweep:
    """Rebuilds blocks from their ends, counting reads on the way."""

    def __init__(self, slots: set[str]) -> None:
        self.reads: Counter[str] = Counter()
        self._slots = slots

    def block(self, block: Block) -> Block:
        self._read(block.yields)
        kept = []
        for stmt in reversed(block.stmts):
            new = self._stmt(stmt)
            if new is not None:
                kept.append(new)
        return Block(block.params, tuple(reversed(kept)), block.yields)

    def _read(self, operands: tuple[Operand, ...]) -> None:
        self.reads.update(o.name for o in operands if isinstance(o, Value))

    def _stmt(self, stmt: Stmt) -> Stmt | None:
        match stmt:
            case Apply():
                if not has_effect(stmt) and not any(self.reads[r.name] for r in stmt.results):
                    return None
            case Branch():
                return self._branch(stmt)
            case Loop():
                stmt = replace(stmt, body=self.block(stmt.body))
            case While():
                shared = stmt.test.params
                body = self.block(replace(stmt.body, params=shared))
                stmt = replace(stmt, body=body, test=self.block(stmt.test))
            case Replay():
                if not self.reads[stmt.result.name] and stmt.slot not in self._slots:
                    return None
                self._slots.add(stmt.slot)
            case Record():
                if stmt.slot not in self._slots:
                    return None
            case Call():
                if not stmt.effect and not any(self.reads[r.name] for r in stmt.results):
                    return None
            case _:
                assert_never(stmt)
        self._read(operands_of(stmt))
        return stmt

    def _branch(self, stmt: Branch) -> Branch | None:
        live = [k for k, r in enumerate(stmt.results) if self.reads[r.name]]
        then, orelse = (
            self.block(replace(arm, yields=tuple(arm.yields[k] for k in live)))
            for arm in (stmt.then, stmt.orelse)
        )
        arms = (then, orelse)
        if not any(arm.stmts for arm in arms) and all(
            is_undefined(y) for arm in arms for y in arm.yields
        ):
            return None
        self._read((stmt.test,))
        results = tuple(stmt.results[k] for k in live)
        return replace(stmt, results=results, then=then, orelse=orelse)

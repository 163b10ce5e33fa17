"""Update in place: sums of arrays whose first term is not read again.

    c_bar = a_bar + t        ->     c_bar = accumulate(a_bar, t)          # a_bar += t
    c_bar = a_bar - t        ->     c_bar = accumulate(a_bar, -t)         # a_bar -= t

Only for arrays of derivatives, and where the user writes `a += b`; the user's own `a + b` stays.
`insert_copies.py` keeps that where the storage of `a_bar` is free, and else has the sum as it was.
What belongs to another variable is a new array, so that no name means two things.
A sum of a few terms of one statement of the user's stays one expression: NumPy adds to what is
computed inside of an expression in place by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from adjointgen.analysis.values.liveness import last_use, uses
from adjointgen.analysis.values.temporary_names import is_temporary
from adjointgen.costs import SUM_LENGTH
from adjointgen.errors import Span
from adjointgen.ir.edit import rebuild, stem
from adjointgen.ir.nodes import (
    WRITES,
    Apply,
    Block,
    Branch,
    Const,
    Loop,
    Operand,
    Quote,
    Record,
    Stmt,
    Value,
    While,
    results_of,
    walk,
)
from adjointgen.ir.types import Type, same_length
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Names
from adjointgen.rules.framework.table import TABLE

WHOLE = (("index", "..."),)


def accumulating(
    block: Block,
    primal: frozenset[str],
    names: Names,
    updates: Collection[Span] = (),
    quotes: Collection[Quote] = (),
) -> Block:
    """The block with sums of arrays as accumulations, of the user's own those in `updates`.

    `quotes` are the user's statements.
    """
    lines = {(q[0], n): q for q in quotes for n in range(q[1], q[2] + 1)}
    facts = _Facts(primal - _updated(block, updates), literals(block), uses(block), lines)
    return _accumulating(block, facts, names)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What is known of a program: the values that are the user's own, those that may be numbers,
    how often each is read, and the user's statement on each line."""

    primal: frozenset[str]
    bare: frozenset[str]
    reads: Mapping[str, int]
    lines: Mapping[tuple[str, int], Quote]

    def statement(self, span: Span | None) -> object:
        """The user's statement that a place is in; None where there is none."""
        return span and self.lines.get((span.file, span.line), (span.file, span.line))


def _updated(block: Block, updates: Collection[Span]) -> frozenset[str]:
    if not updates:
        return frozenset()
    stmts = (s for s in walk(block) if isinstance(s, Apply) and _is_sum(s))
    # What is recorded has to be an array of its own anyway.
    recorded = {s.value for s in walk(block) if isinstance(s, Record)}
    return frozenset(
        s.result.name for s in stmts if s.span in updates and not recorded & {s.result, *s.args}
    )


def _accumulating(block: Block, facts: _Facts, names: Names) -> Block:
    live_out = frozenset(y.name for y in block.yields if isinstance(y, Value))
    mine = {p.name for p in block.params}
    made = _Made(facts)
    for stmt, dying in zip(block.stmts, last_use(block, live_out), strict=True):
        if not isinstance(stmt, Apply):
            made.add(rebuild(stmt, lambda o: o, lambda b: _accumulating(b, facts, names)))
        elif not _is_sum(stmt) or stmt.result.name in facts.primal:
            made.add(stmt)
        elif (first := made.first_term(stmt, dying & mine)) is not None:
            made.add_sum(stmt, first)
        else:
            made.add(*_wish(stmt, (dying & mine) - facts.bare, names))
        mine |= {r.name for r in results_of(stmt)}
    return replace(block, stmts=tuple(made.stmts))


class _Made:
    """The statements of a block so far, and which of them can be written where they are read."""

    def __init__(self, facts: _Facts) -> None:
        self.stmts: list[Stmt] = []
        self._facts = facts
        self._formulas: dict[str, tuple[int, int]] = {}
        """The place and the length of what is computed by no more than an expression."""

    def add(self, *stmts: Stmt) -> None:
        """Add statements. What one writes to, no formula before it must be moved behind."""
        self.stmts += stmts
        stmt = stmts[-1]
        row = TABLE.rows.get(stmt.op) if isinstance(stmt, Apply) else None
        if not isinstance(stmt, Apply) or row is None or stmt.op in WRITES or row.effect:
            self._formulas.clear()
        elif len(stmt.results) == 1 and self._facts.reads[stmt.result.name] == 1:
            length = 1 + sum(map(self._length, stmt.args))
            self._formulas[stmt.result.name] = (len(self.stmts) - 1, length)

    def first_term(self, stmt: Apply, dying: Collection[str]) -> Value | None:
        """The term that a sum of a few terms of one statement of the user's begins with."""
        free = [a for a in stmt.args if isinstance(a, Value) and a.name in dying]
        if not free or free[0].name not in self._formulas or stmt.args[0] == stmt.args[1]:
            return None
        statement = self._facts.statement(stmt.span)
        before = self.stmts[self._formulas[free[0].name][0]]
        if statement is None or self._facts.statement(before.span) != statement:
            return None
        if _is_update(before):
            return None
        return free[0] if 1 + sum(map(self._length, stmt.args)) <= SUM_LENGTH else None

    def add_sum(self, stmt: Apply, first: Value) -> None:
        """Add a sum whose first term is no variable of its own."""
        at, _ = self._formulas[first.name]
        before = self.stmts[at]
        assert isinstance(before, Apply)
        bare = replace(first, root="")
        self.stmts[at] = replace(before, results=(bare,))
        self.add(replace(stmt, args=tuple(bare if a == first else a for a in stmt.args)))

    def _length(self, operand: Operand) -> int:
        found = self._formulas.get(operand.name) if isinstance(operand, Value) else None
        return found[1] if found else 0


def _is_sum(stmt: Apply) -> bool:
    return stmt.op in ("add", "sub")


def _is_update(stmt: Stmt) -> bool:
    """Whether this is a sum that is written `y += t`."""
    if not isinstance(stmt, Apply) or not _is_sum(stmt) or not stmt.result.root:
        return False
    return any(isinstance(a, Value) and a.root == stmt.result.root for a in stmt.args)


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
        if isinstance(target, Value) and _are_other_variables(target, stmt.result):
            if isinstance(term, Value) and stem(term.name) == stem(stmt.result.name):
                continue
            break
        wish = replace(stmt, op="accumulate", args=(target, term), options=WHOLE)
        if stmt.op == "add":
            return (wish,)
        if term.type.dtype == "bool":
            break
        minus = Value(names.fresh("t"), term.type)
        negative = Apply((minus,), "neg", (term,), span=stmt.span)
        return negative, replace(wish, args=(target, minus))
    return (stmt,)


def _are_other_variables(target: Value, result: Value) -> bool:
    """Whether a sum is of another variable than its term: `v_bar += t` is no adjoint of `u`."""
    names = (stem(target.name), stem(result.name))
    return names[0] != names[1] and all(
        name.endswith(("_bar", "_dot")) and not is_temporary(name) for name in names
    )


def same_array(a: Type, b: Type) -> bool:
    """Whether two types are certainly arrays of one dtype and shape."""
    if not (a.is_array and b.is_array) or a.dtype != b.dtype or a.shape is None or b.shape is None:
        return False
    return len(a.shape) == len(b.shape) and all(
        same_length(p, q) for p, q in zip(a.shape, b.shape, strict=True)
    )

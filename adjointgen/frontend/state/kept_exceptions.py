"""What the user computes and nobody reads is kept where it may raise: `x[10]`, `1.0 / n`.

A value is read if a result, an effect or a decision depends on it; this is found from there
backwards, as dead code is (`dce.py`). What else may raise (`exception_classes.py`) has an effect
of its own from here on, and what it reads is read. A call that nobody reads has one if its function
may raise, which is known when all functions are (`call_effects.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adjointgen.frontend.domain.exception_classes import as_kept, may_raise
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import (
    NESTED,
    Apply,
    Block,
    Branch,
    Call,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    blocks_of,
    operands_of,
    results_of,
    walk,
)
from adjointgen.records import replace
from adjointgen.rules.arrays.index_bounds import inside
from adjointgen.rules.framework.table import TABLE

Steering = tuple[Operand, ...]


def kept(body: Block) -> Block:
    """The body in which statements that may raise, and that nothing reads, have an effect."""
    every = [*_simple(body, ())]
    needed = _Needed(body)
    needed.add(body.yields)
    for stmt, steering in every:
        if _acts(stmt):
            needed.add((*operands_of(stmt), *steering))
    unread = [pair for pair in every if not (_acts(pair[0]) or needed.reads(pair[0]))]
    if not unread:
        return body
    sure, marked = inside(body), set[str]()
    for stmt, steering in reversed(unread):
        if needed.reads(stmt) or not (isinstance(stmt, Call) or may_raise(stmt, sure)):
            continue
        marked.update(v.name for v in results_of(stmt))
        needed.add((*operands_of(stmt), *steering))
    return with_simple(body, lambda stmt: _marked(stmt, marked)) if marked else body


def _marked(stmt: Stmt, names: set[str]) -> Stmt:
    if names.isdisjoint(v.name for v in results_of(stmt)):
        return stmt
    if isinstance(stmt, Call):
        return replace(stmt, effect=True)
    assert isinstance(stmt, Apply)
    return as_kept(stmt)


def _acts(stmt: Apply | Call) -> bool:
    """Whether a statement stays whether it is read or not."""
    if isinstance(stmt, Call):
        return stmt.effect
    if stmt.op == "verbatim" and not stmt.option("writes") and not stmt.option("region"):
        return "(" in str(stmt.option("code")) and bool(stmt.option("effect", True))
    return bool(stmt.option("effect", TABLE[stmt.op].effect))


def _simple(block: Block, steering: Steering) -> Iterator[tuple[Apply | Call, Steering]]:
    """The statements without blocks, with what decides whether they are run."""
    for stmt in block.stmts:
        if isinstance(stmt, Apply | Call):
            yield stmt, steering
            continue
        inner = _steered(stmt)
        for part in blocks_of(stmt):
            yield from _simple(part, (*steering, *inner))


def _steered(stmt: Stmt) -> Steering:
    """What decides how often the blocks of a statement are run."""
    match stmt:
        case Branch(test=test):
            return (test,)
        case Loop():
            return (*stmt.bounds, *(stmt.body.yields[:1] if stmt.trips is not None else ()))
        case While():
            return (*stmt.test.yields, *(stmt.body.yields[:1] if stmt.breaks else ()))
    return ()


class _Needed:
    """The names that are read, directly or in turn, by what is kept."""

    def __init__(self, body: Block) -> None:
        self.names: set[str] = set()
        self._sources: dict[str, list[Sequence[Operand]]] = {}
        for stmt in walk(body):
            self._note(stmt)

    def reads(self, stmt: Apply | Call) -> bool:
        """Whether a result of a statement is read."""
        return not self.names.isdisjoint(v.name for v in results_of(stmt))

    def add(self, operands: Iterable[Operand]) -> None:
        stack = [o.name for o in operands if isinstance(o, Value)]
        while stack:
            name = stack.pop()
            if name not in self.names:
                self.names.add(name)
                for group in self._sources.get(name, ()):
                    stack += (o.name for o in group if isinstance(o, Value))

    def _from(self, names: Iterable[Value], *groups: Sequence[Operand]) -> None:
        for value in names:
            self._sources.setdefault(value.name, []).extend(groups)

    def _note(self, stmt: Stmt) -> None:
        if not isinstance(stmt, NESTED):
            self._from(results_of(stmt), operands_of(stmt))
            return
        steering = _steered(stmt)
        if isinstance(stmt, Branch):
            rows = zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True)
            for result, *ends in rows:
                self._from((result,), ends, steering)
            return
        first = len(stmt.body.yields) - len(stmt.inits)
        carried = zip(
            stmt.results, stmt.body.params, stmt.inits, stmt.body.yields[first:], strict=True
        )
        for result, param, init, end in carried:
            self._from((result, param), (init, end), steering)
        if isinstance(stmt, While):
            for param, inside in zip(stmt.test.params, stmt.body.params, strict=True):
                self._from((param,), (inside,))
        if stmt.trips is not None:
            self._from((stmt.trips,), steering)

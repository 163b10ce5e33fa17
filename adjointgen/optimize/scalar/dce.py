"""Dead-code elimination: what no result, effect or live replay reads is removed.

Liveness is marked from the roots through a map from names to definitions, never assumed: what a
loop carries only for itself is not reached, and goes (mark and sweep, as in Cytron et al. 1991,
section 7.1). A statement that is live makes the statements around it live, with what steers them.
A slot is live if one of its replays is, and then all its records and replays are, so that pushes
and pops stay in step. What a loop carries unchanged, or sets to its initial value, is replaced by
that value first.

Every name has one definition, so an adjoint that is still open is no special case: a reverse block
that reads a value of a forward block keeps it alive. Time is linear in the size of the program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import assert_never

from adjointgen.ir.edit import flags_of, rebuild, with_columns
from adjointgen.ir.nodes import (
    LOOPS,
    NESTED,
    TAPES,
    Apply,
    Block,
    Branch,
    Call,
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
)
from adjointgen.optimize.rewrites.rewrite_context import identical
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.table import TABLE


def dead(function: Function, keep: Collection[str] = frozenset()) -> Function:
    """The function without dead statements; what defines a name in `keep` is live."""
    kept = frozenset(keep)
    body = _without_invariants(function.body, kept)
    marks = _Marks()
    sites = marks.enter(body, None)
    marks.need(y.name for y in body.yields if isinstance(y, Value))
    marks.need(kept)
    marks.hand_out(slots_of(function.results))
    marks.run()
    return replace(function, body=replace(body, stmts=_sweep(sites)))


def has_effect(stmt: Stmt) -> bool:
    """Whether a statement does more than define its results.

    Verbatim code does unless its option `effect` says that it does not, and operations that are
    not known may do anything.
    """
    if isinstance(stmt, Call):
        return stmt.effect
    if not isinstance(stmt, Apply) or stmt.op == "comment":
        return False
    row = TABLE.rows.get(stmt.op)
    return True if row is None else bool(stmt.option("effect", row.effect))


def is_look(stmt: Stmt) -> bool:
    """Whether a statement only looks at what others write to: its place counts, if it is read."""
    return isinstance(stmt, Apply) and bool(stmt.option("quiet"))


@dataclass(slots=True, eq=False)
class _Site:
    """A statement, where it stands, and whether it and each of its columns are live.

    A column is what a loop carries, or a result of a branch, by number.
    """

    stmt: Stmt
    parent: _Site | None
    blocks: list[list[_Site]] = field(default_factory=list)
    live: bool = False
    columns: set[int] = field(default_factory=set)


class _Marks:
    """The worklist: names to be looked up, and where each is defined."""

    def __init__(self) -> None:
        self.home: dict[str, tuple[_Site, int | None]] = {}
        self.slots: dict[str, list[_Site]] = {}
        self.needed: set[str] = set()
        self.waiting: list[str] = []
        self.effects: list[_Site] = []

    def enter(self, block: Block, parent: _Site | None) -> list[_Site]:
        """Note the sites of a block and what they define."""
        return [self.site(stmt, parent) for stmt in block.stmts]

    def site(self, stmt: Stmt, parent: _Site | None) -> _Site:
        site = _Site(stmt, parent)
        for value in results_of(stmt):
            self.home[value.name] = (site, None)
        if has_effect(stmt) and not is_look(stmt):
            self.effects.append(site)
        if isinstance(stmt, Apply):
            return site
        if isinstance(stmt, NESTED):
            params = [] if isinstance(stmt, Branch) else [stmt.body.params]
            params += [stmt.test.params] if isinstance(stmt, While) else []
            for row in (stmt.results, *params):
                for column, value in enumerate(row):
                    self.home[value.name] = (site, column)
        if isinstance(stmt, Loop):
            self.home[stmt.index.name] = (site, None)
        if isinstance(stmt, TAPES):
            self.slots.setdefault(stmt.slot, []).append(site)
        site.blocks = [self.enter(b, site) for b in blocks_of(stmt)]
        return site

    def hand_out(self, slots: Iterable[str]) -> None:
        """Tapes that are results."""
        self.effects += [site for slot in slots for site in self.slots.get(slot, ())]

    def run(self) -> None:
        for site in self.effects:
            self.mark(site)
        while self.waiting:
            site, column = self.home[self.waiting.pop()]
            self.mark(site)
            if column is not None and column not in site.columns:
                site.columns.add(column)
                self.read(_column(site.stmt, column))

    def need(self, names: Iterable[str]) -> None:
        """Names whose definitions are live; parameters of the function have none."""
        for name in names:
            if name not in self.needed and name in self.home:
                self.needed.add(name)
                self.waiting.append(name)

    def read(self, operands: Iterable[Operand]) -> None:
        self.need([o.name for o in operands if isinstance(o, Value)])

    def mark(self, site: _Site | None) -> None:
        """A statement is live, and so is what it stands in."""
        while site is not None and not site.live:
            site.live = True
            self.read(_steering(site.stmt))
            if isinstance(site.stmt, TAPES):
                for other in self.slots.pop(site.stmt.slot, ()):
                    self.mark(other)
            site = site.parent


def _steering(stmt: Stmt) -> tuple[Operand, ...]:
    """What a live statement reads whichever of its columns are live."""
    match stmt:
        case Apply() | Call() | Branch() | Record() | Replay():
            return operands_of(stmt)
        case Loop():
            return (*stmt.bounds, *stmt.body.yields[: flags_of(stmt)])
        case While():
            return (*stmt.test.yields, *stmt.body.yields[: flags_of(stmt)])
        case _:
            assert_never(stmt)


def _column(stmt: Stmt, k: int) -> tuple[Operand, ...]:
    """What a column reads: where it comes from."""
    match stmt:
        case Loop() | While():
            return stmt.inits[k], stmt.body.yields[flags_of(stmt) + k]
        case Branch():
            return stmt.then.yields[k], stmt.orelse.yields[k]
        case _:
            return ()


def _sweep(sites: list[_Site]) -> tuple[Stmt, ...]:
    return tuple(_trimmed(s) for s in sites if s.live or _is_comment(s.stmt))


def _is_comment(stmt: Stmt) -> bool:
    """A comment is read by people: it stays with the block that it stands in."""
    return isinstance(stmt, Apply) and stmt.op == "comment"


def _trimmed(site: _Site) -> Stmt:
    """A live statement with its live columns and the live statements inside it."""
    if isinstance(site.stmt, Apply):
        return site.stmt
    blocks = iter(site.blocks)

    def live(block: Block) -> Block:
        return replace(block, stmts=_sweep(next(blocks)))

    stmt, columns = site.stmt, sorted(site.columns)
    if isinstance(stmt, NESTED):
        stmt = with_columns(stmt, columns)
    return rebuild(stmt, lambda operand: operand, live)


def _without_invariants(body: Block, keep: frozenset[str]) -> Block:
    """The block in which what loops carry unchanged is what entered the loop."""
    by: dict[str, Operand] = {}
    _invariants(body, keep, by)
    return _replaced(body, by) if by else body


def _resolve(operand: Operand, by: dict[str, Operand]) -> Operand:
    while isinstance(operand, Value) and operand.name in by:
        operand = by[operand.name]
    return operand


def _invariants(block: Block, keep: frozenset[str], by: dict[str, Operand]) -> None:
    """Note what stands for carried values that no iteration changes, inner loops first."""
    for stmt in block.stmts:
        for inner in blocks_of(stmt):
            _invariants(inner, keep, by)
        if not isinstance(stmt, LOOPS):
            continue
        for k, param in enumerate(stmt.body.params):
            others = [stmt.test.params[k]] if isinstance(stmt, While) else []
            names = {v.name for v in (param, stmt.results[k], *others)}
            end = _resolve(stmt.body.yields[flags_of(stmt) + k], by)
            stays = identical(end, param) or identical(end, _resolve(stmt.inits[k], by))
            if stays and not names & keep:
                by |= dict.fromkeys(names, stmt.inits[k])


def _replaced(block: Block, by: dict[str, Operand]) -> Block:
    stmts = (
        rebuild(_changing(s, by), lambda o: _resolve(o, by), lambda b: _replaced(b, by))
        for s in block.stmts
    )
    return Block(block.params, tuple(stmts), tuple(_resolve(y, by) for y in block.yields))


def _changing(stmt: Stmt, by: dict[str, Operand]) -> Stmt:
    """A loop with only those columns that its iterations change."""
    if not isinstance(stmt, LOOPS):
        return stmt
    return with_columns(stmt, [k for k, p in enumerate(stmt.body.params) if p.name not in by])

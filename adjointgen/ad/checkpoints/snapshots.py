"""Snapshots of the state of a loop, and the state before a step in the reverse sweep.

    forward                                     reverse
    at, snapshots = [-1], []                    for i in range(n - 1, -1, -1):
    for i in range(n):                              first, u = latest(at, snapshots, i)
        if keeps(at, snapshots, i, n):              for j in range(first, i):
            snapshots.append(u.copy())                  if keeps(at, snapshots, j, i + 1): ...
        u = f_step(u, i)                                u = f_advance(u, j)
                                                    u_bar = f_step_adjoint(u, i, u_bar)

`at` has the number of the step of each snapshot, in ascending order. The schedule is a function
that says which states are kept (`runtime/schedules.py`); the same rule serves both sweeps, and any
number of steps. (Griewank and Walther 2008, chapter 12.)
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb

from adjointgen.ad.modes.adjoint_state import Bars
from adjointgen.ad.modes.derived_calls import Split
from adjointgen.ir.edit import clone, rebuild
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Call,
    Function,
    Loop,
    Operand,
    Stmt,
    Value,
    While,
    results_of,
)
from adjointgen.ir.schedules import INDEPENDENT, Schedule
from adjointgen.ir.types import INT, OBJECT
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Builder, Names, const

UNKNOWN = const(-1)
"""The number of steps of a loop that may end at any time."""


def with_snapshots(function: Function, splits: Mapping[str, Split]) -> Function:
    """The forward sweep with snapshots in its loops that have a schedule and a state."""
    work = _Snapshots(Names.of(function), splits)
    return replace(function, body=work.block(function.body))


def is_resumed(stmt: Loop | While) -> bool:
    """Whether the reverse sweep has the state before each step from a snapshot, or from the start
    of a loop that is independent."""
    return kept_in(stmt) is not None or stmt.schedule == INDEPENDENT


def kept_in(stmt: Loop | While) -> Apply | None:
    """The statement that keeps the state of a loop, in a forward sweep with snapshots."""
    first = stmt.body.stmts[0] if stmt.schedule is not None and stmt.body.stmts else None
    return first if isinstance(first, Apply) and first.option("schedule") else None


class _Snapshots:
    def __init__(self, names: Names, splits: Mapping[str, Split]) -> None:
        self.names = names
        self.splits = splits

    def block(self, block: Block) -> Block:
        stmts: list[Stmt] = []
        for stmt in block.stmts:
            stmt = rebuild(stmt, lambda operand: operand, self.block)
            if isinstance(stmt, Loop | While) and stmt.schedule is not None:
                stmts += self.loop(stmt, stmt.schedule)
            else:
                stmts.append(stmt)
        return replace(block, stmts=tuple(stmts))

    def loop(self, stmt: Loop | While, schedule: Schedule) -> tuple[Stmt, ...]:
        call = stmt.body.stmts[-1] if stmt.body.stmts else None
        split = self.splits.get(call.results[0].name) if isinstance(call, Call) else None
        if split is None or not split.derived.live:
            return (replace(stmt, schedule=None),)
        if schedule == INDEPENDENT:
            return (stmt,)
        builder = Builder(self.names)
        builder.span = stmt.span
        state = tuple(stmt.body.params[k] for k in split.derived.live)
        place, count = _counted(stmt)
        limit = self.limit(builder, schedule, [stmt.inits[k] for k in split.derived.live])
        rule = _rule(schedule, count)
        count = count if rule in ("log", "binomial") else UNKNOWN
        handles = ("at", "snapshots", "levels")[: 3 if rule == "online" else 2]
        held = tuple(builder.value(name, OBJECT) for name in handles)
        folder = (("folder", schedule.folder), ("period", _period(schedule)))
        builder.add(Apply(held, "snapshots", (), folder if schedule.folder else (), stmt.span))
        options = (("schedule", rule),)
        keep = Apply((), "keep", (*held[:2], place, count, limit, *held[2:], *state), options)
        body = replace(stmt.body, stmts=(replace(keep, span=stmt.span), *stmt.body.stmts))
        return (*builder.stmts, replace(stmt, body=body))

    def limit(self, builder: Builder, schedule: Schedule, state: list[Operand]) -> Operand:
        """How many snapshots there may be, or how many steps there are from one to the next."""
        if schedule.bytes:
            return _room(builder, schedule.bytes, state)
        return const(schedule.period if schedule.kind == "periodic" else schedule.snapshots)


def _room(builder: Builder, size: int, state: list[Operand]) -> Value:
    """`max(1, size // (u.nbytes + 8))`: how many snapshots fit, each with its step."""
    sizes = {"array": "_{}_.nbytes", "list": "8 * len(_{}_)"}
    parts = [sizes.get(o.type.kind, "8").format(k) for k, o in enumerate(state)]
    code = f"max(1, {size} // ({' + '.join([*parts, '8'])}))"
    limit = builder.value("", INT, "limit")
    options = (("code", code), ("effect", False))
    builder.add(Apply((limit,), "verbatim", tuple(state), options, builder.span))
    return limit


def _counted(stmt: Loop | While) -> tuple[Operand, Operand]:
    """The number of an iteration, and how many there will be where this is known."""
    if isinstance(stmt, While):
        return stmt.body.params[-1], UNKNOWN
    return stmt.index, UNKNOWN if stmt.trips is not None else stmt.bounds[1]


def _rule(schedule: Schedule, count: Operand) -> str:
    """The function of `runtime/schedules.py` that says which states the forward sweep keeps."""
    if schedule.kind in ("log", "periodic", "disk"):
        return schedule.kind
    return "online" if count == UNKNOWN else "binomial"


def _period(schedule: Schedule) -> int:
    """How many steps there are between snapshots in files, if the directive does not say.

    So many that steps are run again three times, with the snapshots that there are in memory.
    """
    return schedule.period or comb(schedule.snapshots + 3, 3)


def resume(work: Bars, stmt: Loop | While, splits: Mapping[str, Split], index: Value) -> None:
    """Put the state before step `index` in place of what the forward sweep had there."""
    keep = kept_in(stmt)
    if keep is not None:
        _from_snapshot(work, stmt, splits, index, keep)
    elif stmt.schedule == INDEPENDENT:
        _from_start(work, stmt, splits)


def _from_snapshot(
    work: Bars, stmt: Loop | While, splits: Mapping[str, Split], index: Value, keep: Apply
) -> None:
    """Run the steps from the latest snapshot on."""
    split = splits[results_of(stmt.body.stmts[-1])[0].name]
    at, snapshots, place, _, limit = keep.args[:5]
    live = split.derived.live
    state = [stmt.body.params[k] for k in live]
    builder = work.builder
    first = builder.value("", INT, "first")
    found = tuple(work.same(v) for v in state)
    builder.span = None
    builder.add(Apply((first, *found), "resume", (at, snapshots, index)))
    if isinstance(place, Value):
        work.restore(place, index)
    j = builder.value("", INT, "j")
    params = tuple(work.same(v) for v in state)
    rule = str(keep.option("schedule"))
    options = (("schedule", "binomial" if rule == "online" else rule),)
    with builder.block() as made:
        after = builder.apply("add", index, const(1))
        args = (at, snapshots, j, after, limit, *params)
        builder.add(Apply((), "keep", args, options))
        ends = _advanced(work, stmt, split, {place: j, **dict(zip(state, params, strict=True))})
    bounds = (first, index, const(1))
    results = tuple(work.same(v) for v in state)
    body = Block(params, tuple(made), ends)
    builder.add(Loop(results, j, bounds, found, body))
    for value, held in zip(state, results, strict=True):
        work.restore(value, held)


def _from_start(work: Bars, stmt: Loop | While, splits: Mapping[str, Split]) -> None:
    """Put the state before the loop in place of that before a step: what the step reads is there
    as it was, since no other has written it."""
    split = splits[results_of(stmt.body.stmts[-1])[0].name]
    for k in split.derived.live:
        work.restore(stmt.body.params[k], stmt.inits[k])


def _advanced(
    work: Bars, stmt: Loop | While, split: Split, given: Mapping[Operand, Operand]
) -> tuple[Value, ...]:
    """The next live state, of the values that stand for those of the loop."""
    *before, call = stmt.body.stmts[1:]
    assert isinstance(call, Call)
    by = {v.name: new for v, new in given.items() if isinstance(v, Value)}
    copied = clone(Block((), tuple(before), call.args), work.builder.names.fresh, by)
    for each in copied.stmts:
        work.builder.add(each)
    args = tuple(work.primal(copied.yields[k]) for k in split.derived.takes)
    results = tuple(work.same(stmt.body.params[k]) for k in split.derived.live)
    work.builder.add(Call(results, split.derived.advance, args))
    return results

"""Reverse mode: the statements in reverse order, each with `x_bar += y_bar * partial`.

The result is the forward sweep followed by the reverse sweep, one recursion Block -> Block:

* `y = op(x)`: every active `x` receives its contribution, summed down to its type.
* `a_2 = store(a_1, v, i)`: `v_bar += a_bar[i]`, `a_bar[i] = 0`; then the store is undone with the
  element it overwrote. The undo is always written; `dead` removes it, and with it the load that
  keeps the old element, wherever no derivative reads the older version.
* `Loop`: a loop over the same indices backwards that carries the adjoints of what the loop
  carries, of what its body reads from outside, and the arrays being restored.
* `Branch`: a branch on the same test. `Record` and `Replay` exchange their roles.

The program is **open**: reverse blocks name forward values of their partner (same `pair`) as if
they were in scope. `record` closes it. (Griewank and Walther 2008, section 3.2; Hascoët and
Pascual 2013, section 3, for the restoration of overwritten storage.)
"""

from __future__ import annotations

from collections.abc import Collection
from typing import assert_never

from adjointgen.ad.checkpoints.snapshots import is_resumed, resume, with_snapshots
from adjointgen.ad.modes.adjoint_call import reverse_call
from adjointgen.ad.modes.adjoint_loop_state import Arm, Carried, nothing, received
from adjointgen.ad.modes.adjoint_rules import reverse_apply
from adjointgen.ad.modes.adjoint_state import Bars, Held
from adjointgen.ad.modes.derived_calls import NONE, DerivedBy, Split, split_calls
from adjointgen.ad.modes.rule_lookup import adjoint_type
from adjointgen.ad.modes.store_undo import Prepared, keep_old
from adjointgen.ad.modes.tangent import distinct, inputs_of, with_seeds
from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.analysis.differentiation.zero_times_infinity import NEVER, Idle
from adjointgen.analysis.loops.element_forwarding import Rereads
from adjointgen.analysis.values.storage_classes import storage
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Loop,
    Operand,
    Parameter,
    Record,
    Replay,
    Stmt,
    Value,
    While,
    defined_in,
    reads_of,
)
from adjointgen.ir.packing import Groups, with_bars
from adjointgen.ir.schedules import INDEPENDENT
from adjointgen.ir.sweep_marks import sweep
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.framework.sweep import bar_root


@dataclass(frozen=True, slots=True)
class Open:
    """An adjoint program before `record`.

    `restored` says which values of the reverse sweep hold what a forward value held, for the
    versions of arrays that are written in place: several, in blocks of their own or in order.
    `standing` holds for elements that stand in a final array how they are read from it, `passing`
    how others are read from later versions of theirs. `primal` are the names of the user's own
    program.
    """

    function: Function
    restored: dict[str, tuple[Held, ...]]
    primal: frozenset[str]
    standing: dict[str, Apply] = field(default_factory=dict)
    passing: Rereads = field(default_factory=dict)


def adjoint(
    function: Function,
    groups: Groups,
    activity: Activity,
    derived: DerivedBy = NONE,
    outputs: Collection[int] | None = None,
    idle: Idle = NEVER,
    fresh: Collection[str] = frozenset(),
    called: bool = False,
) -> Open:
    """The adjoint program: `f(x)` becomes `f_adjoint(x, y_bar)`, which returns `(y, x_bar)`.

    `derived` names the adjoints of the functions that are called; only the results numbered
    `outputs` have seeds, `idle` tells which adjoints may be zero by choice, and `fresh` which
    stores overwrite nothing active. The seeds of a function that is `called` by another may vary
    with its arguments, and the adjoints of its lists are arrays. Raises NoRule (AG201) where an
    active value reaches an operation without a derivative.
    """
    taped, splits = split_calls(function, activity, derived)
    taped = with_snapshots(taped, splits)
    work = _Adjoint(keep_old(taped), activity, splits, idle, fresh, called)
    seeds, stmts = work.seeds(function, outputs), work.forward.body.stmts
    work.builder.follow(work.forward.body, activity.varied, () if called else seeds)
    work.reverse(stmts)
    inputs = inputs_of(function, groups)
    bars = tuple(work.as_given(work.bar_or_zero(p), p) for p in inputs)
    stmts = (sweep("forward"), *stmts, sweep("reverse"), *work.builder.stmts)
    body = Block((*function.body.params, *seeds), stmts, (*function.body.yields, *bars))
    program = replace(
        function,
        name=f"{function.name}_adjoint",
        parameters=with_seeds(function.parameters, [_seed(s, len(seeds) == 1) for s in seeds]),
        body=body,
        results=with_bars(function.results, groups, inputs),
        names=function.names + distinct((f"{p.root}_bar" for p in inputs), function.names),
    )
    return Open(program, work.everything, frozenset(v.name for v in defined_in(function.body)))


def _seed(seed: Value, alone: bool) -> Parameter:
    """The parameter of a seed; the adjoint of a single scalar result defaults to 1."""
    return Parameter(seed.root, "1.0" if alone and seed.type.is_scalar else "")


class _Adjoint(Bars):
    """The recursion over statements."""

    def __init__(
        self,
        prepared: Prepared,
        activity: Activity,
        splits: dict[str, Split],
        idle: Idle,
        fresh: Collection[str],
        called: bool,
    ) -> None:
        super().__init__(Builder(prepared.names), activity, idle)
        self.called = called
        self.fresh = fresh
        self.forward = prepared.function
        self.splits = splits
        self.old = prepared.old
        self.slots: dict[str, str] = {}
        self.storage = storage(prepared.function)
        self.at_hand(prepared.function.body)

    def seeds(self, function: Function, outputs: Collection[int] | None) -> list[Value]:
        """A parameter for the adjoint of each result that is asked for."""
        places = range(len(function.names)) if outputs is None else sorted(outputs)
        places = [k for k in places if function.body.yields[k].type.is_differentiable]
        wishes = [f"{function.names[k]}_bar" for k in places]
        names = distinct(wishes, (p.name for p in function.parameters))
        seeds = []
        for y, name in zip((function.body.yields[k] for k in places), names, strict=True):
            type = adjoint_type(y.type) if self.called else y.type
            seeds.append(self.builder.value(name, type))
            # That seeds have the shapes of the results is tested where a program is called.
            self.contribute(y, self.as_array(seeds[-1]), fits=not self.called)
        return seeds

    def as_array(self, seed: Value) -> Operand:
        """A seed as an adjoint: a list becomes an array."""
        return self.builder.apply("asarray", seed) if seed.type.kind == "list" else seed

    def as_given(self, bar: Operand, param: Value) -> Operand:
        """An adjoint as it is returned: a list for a list."""
        if param.type.kind != "list" or self.called:
            return bar
        return self.builder.apply(
            "tolist" if param.type.rank == 1 else "rows", bar, root=bar_root(param)
        )

    # Statements.

    def reverse(self, stmts: tuple[Stmt, ...]) -> None:
        for stmt in reversed(stmts):
            self.builder.span = stmt.span
            match stmt:
                case Apply():
                    self.apply(stmt)
                case Loop():
                    self.loop(stmt)
                case While():
                    self.while_(stmt)
                case Branch():
                    self.branch(stmt)
                case Record() | Replay():
                    self.tape(stmt)
                case Call():
                    first = stmt.results[0].name if stmt.results else ""
                    reverse_call(self, stmt, self.splits.get(first))
                case _:
                    assert_never(stmt)

    def apply(self, stmt: Apply) -> None:
        reverse_apply(self, stmt)
        old = self.old.get(stmt.results[0].name) if stmt.results else None
        if (old is not None or stmt.op == "push") and self.storage.undone(stmt.args[0]):
            self.restore(stmt.args[0], self.undone(stmt, old))

    def undone(self, stmt: Apply, old: Value | None) -> Operand:
        """The version before a write: `a_1 = store(a_2, old, i)`."""
        held, root = self.primal(stmt.result), stmt.result.root
        if old is None:
            return self.builder.apply("drop", held, root=root)
        if stmt.op == "drop":
            return self.builder.apply("push", held, old, root=root)
        index = [self.primal(i) for i in stmt.args[2:]]
        pattern = stmt.option("index")
        return self.builder.apply("store", held, old, *index, root=root, index=pattern)

    def tape(self, stmt: Record | Replay) -> None:
        """What was pushed is popped, what was popped is pushed."""
        if not self.activity.slot_active(stmt.slot):
            return
        if stmt.slot not in self.slots:
            self.slots[stmt.slot] = self.builder.names.fresh(f"{stmt.slot}_bar")
        slot = self.slots[stmt.slot]
        if isinstance(stmt, Replay):
            bar = self.bar_or_zero(stmt.result)
            self.bars.pop(stmt.result.name, None)
            self.builder.add(Record(slot, bar, stmt.span))
        elif isinstance(stmt.value, Value):
            bar = self.fresh_bar(stmt.value)
            self.builder.add(Replay(bar, slot, stmt.span))
            self.contribute(stmt.value, bar)

    # Loops.

    def loop(self, stmt: Loop) -> None:
        index = self.same(stmt.index)
        start, stop, step = self.visited(stmt)
        carried, body = self.sweep(stmt, int(stmt.trips is not None), index)
        self.finish(
            carried,
            Loop(
                carried.results,
                index,
                (start, stop, step),
                carried.inits,
                body,
                backwards=stmt.backwards if stmt.schedule == INDEPENDENT else not stmt.backwards,
                pair=stmt.pair,
                span=stmt.span,
            ),
        )

    def visited(self, stmt: Loop) -> tuple[Operand, Operand, Operand]:
        """The bounds of the indices that a loop ran through, which may have been left early."""
        start, stop, step = (self.primal(b) for b in stmt.bounds)
        if stmt.trips is None:
            return start, stop, step
        apply = self.builder.apply
        span = apply("mul", self.primal(stmt.trips), step)
        if not stmt.backwards:
            return start, apply("add", start, span), step
        if isinstance(step, Const) and step.value in (1, -1):
            return apply("sub", stop, span), stop, step
        # The range has (stop - start + step -+ 1) // step indices; the last `trips` were visited.
        reach = apply("add", apply("sub", stop, start), step)
        count = apply("floordiv", apply("sub", reach, apply("sign", step)), step)
        first = apply("add", start, apply("sub", apply("mul", count, step), span))
        return first, apply("add", first, span), step

    def while_(self, stmt: While) -> None:
        index = self.builder.value("", const(0).type, "k")
        bounds = (const(0), self.primal(stmt.trips), const(1))
        carried, body = self.sweep(stmt, int(stmt.breaks), index)
        made = Loop(carried.results, index, bounds, carried.inits, body, backwards=True)
        self.finish(carried, replace(made, pair=stmt.pair, span=stmt.span))

    def sweep(self, stmt: Loop | While, flags: int, index: Value) -> tuple[Carried, Block]:
        """The body of the reverse loop, and what it carries in and out."""
        body, ends = stmt.body, stmt.body.yields[flags:]
        carried = self.carry(stmt)
        # Inside the loop the rank may be known where it is not after a loop that may not run.
        pairs = (
            (r, stmt.body.params[k]) for r, k in zip(carried.bars, carried.indices, strict=True)
        )
        bars = [p if r.type.rank is None else r for r, p in pairs]
        params = [self.fresh_bar(v) for v in (*bars, *carried.outer)]
        arrays = [self.same(body.params[k]) for k in carried.arrays]
        with self.scope(stmt.pair) as made:
            count = len(carried.bars)
            self.bars = {v.name: p for v, p in zip(carried.outer, params[count:], strict=True)}
            if isinstance(stmt, Loop):
                self.restore(stmt.index, index)
            resume(self, stmt, self.splits, index)
            for k, held in zip(carried.arrays, arrays, strict=True):
                self.restore(ends[k], held)
            for k, bar in zip(carried.indices, params[:count], strict=True):
                self.hand(ends[k], received(self, bar, ends[k], body.params[k]))
            self.reverse(body.stmts)
            self.builder.span = stmt.span
            yields = [
                self.bars.get(body.params[k].name) or nothing(self, body.params[k], bar)
                for k, bar in zip(carried.indices, params[:count], strict=True)
            ]
            yields += [self.bars[v.name] for v in carried.outer]
            yields += [self.primal(body.params[k]) for k in carried.arrays]
        return carried, Block((*params, *arrays), tuple(made), tuple(yields))

    def carry(self, stmt: Loop | While) -> Carried:
        """What the reverse loop carries, with its initial values and results."""
        pairs = list(zip(stmt.results, stmt.body.params, strict=True))
        active = self.activity.active
        indices = [k for k, (r, p) in enumerate(pairs) if active(r) or active(p)]
        undone = not is_resumed(stmt)
        arrays = [k for k, (r, _) in enumerate(pairs) if undone and self.storage.undone(r)]
        outer = self.read_from_outside(stmt.body)
        bars = [stmt.results[k] for k in indices]
        inits = [self.bar_or_zero(v) for v in (*bars, *outer)]
        for v in bars:
            self.bars.pop(v.name, None)
        held = [self.primal(stmt.results[k]) for k in arrays]
        results = [self.fresh_bar(v) for v in (*bars, *outer)]
        results += [self.same(stmt.results[k]) for k in arrays]
        return Carried(stmt, indices, bars, outer, arrays, (*inits, *held), tuple(results))

    def finish(self, carried: Carried, reverse: Loop) -> None:
        """Append the reverse loop and take what it leaves."""
        self.builder.add(reverse)
        count = len(carried.bars)
        after = carried.results[count:]
        for v, bar in zip(carried.outer, after, strict=False):
            self.bars[v.name] = bar
        for k, held in zip(carried.arrays, after[len(carried.outer) :], strict=True):
            self.restore(carried.stmt.inits[k], held)
        for k, bar in zip(carried.indices, carried.results, strict=False):
            self.hand(carried.stmt.inits[k], bar)

    def read_from_outside(self, *blocks: Block) -> list[Value]:
        """The active values that blocks read and do not define, in order of appearance."""
        inside = {v.name for block in blocks for v in defined_in(block)}
        found = {
            v.name: v
            for block in blocks
            for v in reads_of(block)
            if v.name not in inside and self.activity.active(v)
        }
        return list(found.values())

    # Branches.

    def branch(self, stmt: Branch) -> None:
        incoming = [self.bars.pop(r.name, None) for r in stmt.results]
        arms = [self.arm(stmt, arm, incoming) for arm in (stmt.then, stmt.orelse)]
        outer = self.read_from_outside(stmt.then, stmt.orelse)
        changed = [
            v for v in outer if any(a.bars.get(v.name) != self.bars.get(v.name) for a in arms)
        ]
        both = [n for n in arms[0].restored if n in arms[1].restored]
        held = [self.versions[n] for n in both if arms[0].restored[n] != arms[1].restored[n]]
        for name in both:
            if arms[0].restored[name] == arms[1].restored[name]:
                self.restore(self.versions[name], arms[0].restored[name])
        results = [self.fresh_bar(v) for v in changed]
        again = [self.same(v) for v in held]
        then, orelse = (self.arm_block(arm, changed, held) for arm in arms)
        test = self.primal(stmt.test)
        self.builder.add(
            Branch((*results, *again), test, then, orelse, pair=stmt.pair, span=stmt.span)
        )
        self.bars.update({v.name: r for v, r in zip(changed, results, strict=True)})
        for value, result in zip(held, again, strict=True):
            self.restore(value, result)

    def arm(self, stmt: Branch, arm: Block, incoming: list[Operand | None]) -> Arm:
        """The reverse of one arm, and the adjoints and restored arrays at its end."""
        with self.scope(stmt.pair, int(arm is stmt.orelse)) as made:
            for result, end, bar in zip(stmt.results, arm.yields, incoming, strict=True):
                if self.storage.undone(result):
                    self.restore(end, self.primal(result))
                if bar is not None:
                    self.hand(end, bar)
            self.reverse(arm.stmts)
            return Arm(made, self.bars, self.restored)

    def arm_block(self, arm: Arm, changed: list[Value], held: list[Value]) -> Block:
        with self.builder.block() as tail:
            ends = [arm.bars.get(v.name) for v in changed]
            bars = [
                self.zero(v) if end is None else end for v, end in zip(changed, ends, strict=True)
            ]
        return Block((), (*arm.stmts, *tail), (*bars, *(arm.restored[v.name] for v in held)))

"""Walks a finished program as Python would run it, on shadows.

Names hold what they hold until they are assigned anew or the function ends, expressions hold their
operands until they have their value, tapes hold what was appended. Where a test is decided by
entries of arrays, the arm with more in it is taken, in both sweeps alike.

Of a loop with many steps some are walked, each of which counts for several: what a step leaves on a
tape weighs as much as that of all steps that it stands for. Of a loop with snapshots a few steps
are walked, and all snapshots that there will be are there from the first step on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Final

from adjointgen.analysis.values.maybe_undefined import is_undefined
from adjointgen.emit.decide.plan import Plan, decide
from adjointgen.emit.decide.positions import Layer, Place, stop_flag
from adjointgen.emit.write.parallel_moves import in_sequence, needed
from adjointgen.errors import Span
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Const,
    Function,
    Loop,
    Node,
    Operand,
    Record,
    Replay,
    Slot,
    Stmt,
    Tree,
    Value,
    While,
    walk,
)
from adjointgen.records import dataclass
from adjointgen.rules.framework.table import TABLE
from adjointgen.views.memory.operations import Operations
from adjointgen.views.memory.shadows import Array, Kept, Meter, Unknown, beside, weight
from adjointgen.views.memory.statements import Statements

STEPS: Final = (256, 24, 6)
"""How many steps of a loop are walked, by how many loops are around it."""
WITH_SNAPSHOTS: Final = 3
ASSUMED: Final = 100
"""Steps of a loop that goes on as its numbers say, where it has snapshots and nobody counted."""
MISSING: Final = object()


class NotCounted(Exception):
    """How often a loop runs follows from entries of arrays, and is not told."""

    def __init__(self, span: Span | None) -> None:
        super().__init__(span)
        self.span = span


@dataclass(frozen=True, slots=True)
class Turns:
    """A loop that is being walked: all its steps, and for how many one that is walked counts."""

    count: int
    stretch: float


Counts = Mapping[tuple[str, int], int]
"""How often loops run, by their files and lines."""


class Program:
    """The functions of a program, and how often its loops run."""

    def __init__(self, function: Function, counts: Counts, meter: Meter) -> None:
        self.functions = {f.name: f for f in (function, *function.callees)}
        self.counts, self.meter = counts, meter
        self.unsure = False
        self._plans: dict[str, Plan] = {}

    def told(self, loop: Loop | While) -> int | None:
        span = loop.span
        return None if span is None else self.counts.get((span.file, span.line))

    def plan(self, name: str) -> Plan:
        if name not in self._plans:
            self._plans[name] = decide(self.functions[name])
        return self._plans[name]


class Walker:
    """One call of a function; `turns` are the loops around it."""

    def __init__(self, program: Program, name: str, turns: Sequence[Turns] = ()) -> None:
        self._program, self._meter = program, program.meter
        self._plan, self._function = program.plan(name), program.functions[name]
        self._names: dict[str, object] = {}
        self._tapes: dict[str, list[object]] = defaultdict(list)
        self._symbols: dict[str, int] = {}
        self._operations = Operations(self._meter, self._symbols)
        self._statements = Statements(self._operations, self._read, self._operation)
        self._turns = [*turns]
        self._since = self._meter.clock

    def call(self, args: Sequence[object]) -> object:
        """The results of the function in their structure, as tuples.

        What is `MISSING` is a seed, of which nothing is known but its type.
        """
        pairs = [*zip(self._function.body.params, args, strict=True)]
        for parameter, value in pairs:
            self._bind(parameter, value)
        for parameter, value in pairs:
            if parameter.name in self._plan.names:
                held = self._operations.lent(parameter.type) if value is MISSING else value
                self._names[self._plan.names[parameter.name]] = held
        self._layer(self._plan.layer)
        yields = iter([self._read(y) for y in self._plan.layer.block.yields])
        self._program.unsure |= self._operations.unsure
        found = self._packed(self._function.results, yields)
        # What only the call had is free now, and not when a collector comes round.
        self._names, self._tapes = {}, defaultdict(list)
        return found

    def _bind(self, parameter: Value, value: object) -> None:
        """The symbols that a parameter gives lengths and integers."""
        own = parameter.root or parameter.name
        match value:
            case Array(shape=shape):
                self._symbols |= {f"{own}.{axis}": n for axis, n in enumerate(shape)}
            case list():
                self._symbols[f"{own}.0"] = len(value)
            case int() if not isinstance(value, bool):
                self._symbols[own] = value

    def _packed(self, tree: Tree, leaves: Iterator[object]) -> object:
        match tree:
            case Slot(name=name):
                return self._tapes[self._plan.slots[name]]
            case Node(children=children):
                return tuple(self._packed(child, leaves) for child in children)
        return next(leaves)

    def _layer(self, layer: Layer) -> None:
        for place in layer.places:
            if self._plan.folds.is_folded(place.stmt):
                continue
            self._meter.at = place.stmt.span or self._meter.at
            for tape in self._plan.tapes.get(place.at, ()):
                self._tapes[tape] = []
            self._place(place.stmt, place)

    def _place(self, stmt: Stmt, place: Place) -> None:
        match stmt:
            case Loop():
                self._loop(stmt, place)
            case While():
                self._while(stmt, place)
            case Branch() if not self._plan.folds.is_expression(stmt):
                arm = place.layers[0 if self._decided(stmt) else 1]
                self._layer(arm)
                self._pass(stmt.results, arm.block.yields)
            case Record():
                self._tapes[self._plan.slots[stmt.slot]].append(self._kept(stmt.value))
            case Replay():
                tape = self._tapes[self._plan.slots[stmt.slot]]
                kept = tape.pop() if tape else Unknown()
                self._define(stmt.result, kept.value if isinstance(kept, Kept) else kept)
            case Apply() | Call() | Branch():
                found = self._values(stmt)
                for result in stmt.results:
                    self._define(result, found.pop(0) if found else Unknown())

    def _kept(self, operand: Operand) -> Kept:
        """What a tape holds: in a loop of which some steps are walked, that of several."""
        value, times = self._read(operand), prod(turns.stretch for turns in self._turns)
        each = beside(value, operand.type)
        others = each if operand.type.is_scalar else weight(value, self._since)
        return Kept(self._meter, value, each + (times - 1.0) * others)

    def _define(self, result: Value, value: object) -> None:
        if result.name in self._plan.used:
            self._names[self._plan.names[result.name]] = value

    def _pass(self, targets: Sequence[Value], sources: Sequence[Operand]) -> None:
        """`targets = sources`, in the order in which they are written."""
        folds, names, used = self._plan.folds, self._plan.names, self._plan.used
        pairs = [(t, s) for t, s in zip(targets, sources, strict=True) if t.name in used]
        for group in in_sequence(needed(pairs, lambda o: list(folds.leaves(o)), names)):
            values = [self._read(copy.source) for copy in group]
            for copy in group:
                self._names[copy.name] = values.pop(0)

    def _operation(self, operand: Operand) -> Stmt | None:
        """The statement that is written in the place of an operand."""
        return self._plan.folds.folded.get(operand.name) if isinstance(operand, Value) else None

    def _read(self, operand: Operand) -> object:
        folded = self._operation(operand)
        if folded is not None:
            return self._values(folded)[0]
        if isinstance(operand, Const):
            return None if is_undefined(operand) else operand.value
        return self._names.get(self._plan.names[operand.name], Unknown())

    def _values(self, stmt: Stmt) -> list[object]:
        """The values of an expression or a simple statement."""
        match stmt:
            case Branch():
                arm = stmt.then if self._decided(stmt) else stmt.orelse
                return [self._read(y) for y in arm.yields]
            case Call():
                return self._called(stmt)
            case Apply() if stmt.option("slots") is not None:
                return self._unpacked(stmt)
            case Apply() if TABLE.get(stmt.op).form == "append":
                return self._statements.keep(stmt, self._turns[-1].count)
            case Apply():
                return self._statements.values(stmt)
        return []

    def _called(self, stmt: Call) -> list[object]:
        if stmt.function not in self._program.functions:
            return [self._operations.declared(r.type) for r in stmt.results]
        args = [self._read(a) for a in stmt.args]
        found = Walker(self._program, stmt.function, self._turns).call(args)
        return list(found) if len(stmt.results) > 1 and isinstance(found, tuple) else [found]

    def _unpacked(self, stmt: Apply) -> list[object]:
        """A tape is taken apart into values and the lists of its slots."""
        tape, slots = self._read(stmt.args[0]), stmt.option("slots", ())
        parts = [tape] if stmt.option("single") or not isinstance(tape, tuple) else list(tape)
        assert isinstance(slots, tuple)
        for slot, part in zip(slots, parts[len(stmt.results) :], strict=False):
            if isinstance(part, list) and slot in self._plan.slots:
                again = stmt.option("replayed")
                self._tapes[self._plan.slots[slot]] = list(part) if again else part
        return parts[: len(stmt.results)]

    def _decided(self, stmt: Branch) -> bool:
        """The arm that is taken, the one with more arrays in it where nobody knows."""
        test = self._read(stmt.test)
        if isinstance(test, Array | list | tuple):
            return True
        if not isinstance(test, Unknown):
            return bool(test)
        if test.decided is None:
            then, orelse = (_arrays(arm) for arm in (stmt.then, stmt.orelse))
            test.decided = then >= orelse
        return test.decided

    def _loop(self, stmt: Loop, place: Place) -> None:
        params, inits, ends, results = _columns(stmt)
        self._pass(params, inits)
        bounds = [b for b in map(self._read, stmt.bounds) if isinstance(b, int)]
        if len(bounds) < len(stmt.bounds):
            raise NotCounted(stmt.span)
        steps: Sequence[int] = range(*bounds)
        steps = steps[::-1] if stmt.backwards else steps
        told = self._program.told(stmt)
        if stmt.trips is not None and told is not None:
            steps = steps[:told]
        turns, walked = self._turns_of(stmt, len(steps))
        for k in range(walked):
            if stmt.index.name in self._plan.names:
                at = steps[min(int(k * turns.stretch), len(steps) - 1)]
                self._names[self._plan.names[stmt.index.name]] = at
            self._turn(turns, place.layers[0], params, ends)
            flag = stop_flag(stmt)
            if flag is not None and self._read(flag) is True:
                steps = steps[: int((k + 1) * turns.stretch)]
                break
        if stmt.trips is not None:
            self._define(stmt.trips, len(steps))
        self._pass(results, params)

    def _while(self, stmt: While, place: Place) -> None:
        params, inits, ends, results = _columns(stmt)
        self._pass(params, inits)
        test, body = place.layers
        told = self._program.told(stmt)
        turns, walked = self._turns_of(stmt, ASSUMED if told is None else told)
        done = 0
        while True:
            self._layer(test)
            going = self._read(stmt.test.yields[0])
            if told is None and not isinstance(going, bool):
                raise NotCounted(stmt.span)
            if done >= walked if told is not None else not going:
                break
            done += 1
            self._turn(turns, body, params, ends)
        self._define(stmt.trips, done if told is None else told)
        self._pass(results, params)

    def _turns_of(self, stmt: Loop | While, count: int) -> tuple[Turns, int]:
        """A loop of so many steps, and how many of them are walked."""
        forms = {TABLE.get(s.op).form for s in stmt.body.stmts if isinstance(s, Apply)}
        if forms & {"append", "latest"}:
            return Turns(count, 1.0), min(count, WITH_SNAPSHOTS)
        limit = STEPS[min(len(self._turns), len(STEPS) - 1)]
        return Turns(count, max(1.0, count / limit)), min(count, limit)

    def _turn(
        self, turns: Turns, layer: Layer, params: Sequence[Value], ends: Sequence[Operand]
    ) -> None:
        outer, self._since = self._since, self._meter.clock
        self._turns.append(turns)
        self._layer(layer)
        self._pass(params, ends)
        self._turns.pop()
        self._since = outer


def _columns(
    stmt: Loop | While,
) -> tuple[list[Value], list[Operand], list[Operand], list[Value]]:
    """What a loop carries: its parameters, what enters, what a step passes on, the results."""
    rows = carried(stmt)
    return [r[0] for r in rows], [r[1] for r in rows], [r[2] for r in rows], [r[3] for r in rows]


def _arrays(block: Block) -> int:
    """How many arrays the statements of an arm make or record."""
    return sum(
        isinstance(stmt, Record)
        or (isinstance(stmt, Apply) and any(r.type.is_array for r in stmt.results))
        for stmt in walk(block)
    )

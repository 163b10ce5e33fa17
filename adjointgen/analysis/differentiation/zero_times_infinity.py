"""Which derivatives may be zero by a choice of the program, and which may be infinite.

    y = sqrt(t),  t = x if x > 0 else 0.0        y_dot = 0.5 / y * t_dot,  inf * 0 for x <= 0
    y = sqrt(t),  z = y if c else 1.0            t_bar = 0.5 / y * y_bar,  inf * 0 without c

A slope may be infinite where a value is finite: the square root at 0. Where the program has chosen
something else, what meets it is zero, and the product has to be zero as well. A derivative is
*idle* if a choice may have made it zero, whatever the seeds: the arm of a branch, an entry that is
not read. It is *steep* if it may be infinite. Tangents are followed in the order of the program,
adjoints against it; a value is idle if all that contributes to it is, and steep if any of it is.

A program without a steep operation has neither, and is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Literal

from adjointgen.analysis.differentiation.activity import Activity, carriers
from adjointgen.analysis.differentiation.call_patterns import Pattern, pattern_of
from adjointgen.analysis.differentiation.chosen_zeros import (
    infinite_by_choice,
    is_steep,
    leaves_out,
    omits,
    omitted,
    zeros_by_choice,
)
from adjointgen.analysis.differentiation.poles_left_out import omitted_poles
from adjointgen.ir.edit import carried
from adjointgen.ir.nodes import (
    Apply,
    Block,
    Branch,
    Call,
    Function,
    Loop,
    Operand,
    Record,
    Replay,
    Value,
    While,
    defined_in,
    walk,
)
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.contributions import is_zero
from adjointgen.rules.framework.table import TABLE

Mode = Literal["tangent", "adjoint"]
Said = tuple[set[int], set[int]]
"""Of some operands, by number: which may be idle, and which steep."""


@dataclass(frozen=True, slots=True)
class Idle:
    """The names of the values whose derivatives may be zero by choice, and may be infinite.

    `zero` are those that may themselves be zero by choice, and `wild` those that may be infinite or
    NaN where a choice leaves them out.
    """

    idle: frozenset[str] = frozenset()
    steep: frozenset[str] = frozenset()
    zero: frozenset[str] = frozenset()
    wild: frozenset[str] = frozenset()


NEVER = Idle()


@dataclass(slots=True)
class _Known:
    """Of a function that is called, by number: what its calls hand in, and what they get."""

    given: Said = field(default_factory=lambda: (set(), set()))
    gives: Said = field(default_factory=lambda: (set(), set()))


def idle(
    mode: Mode,
    root: tuple[Function, Activity],
    needed: Mapping[Pattern, Activity],
    table: Mapping[str, Function],
    again: bool = False,
) -> dict[Pattern | None, Idle]:
    """What may be idle or steep in a program (None) and, by pattern, in what it calls.

    The program may be a derivative that is differentiated `again`.

    Callers come first; the rounds end, since what is known of a call only grows.
    """
    whole: dict[Pattern | None, tuple[Function, Activity]] = {None: root}
    for pattern in reversed(tuple(needed)):
        whole[pattern] = table[pattern.function], needed[pattern]
    stmts = chain.from_iterable(walk(f.body) for f, _ in whole.values())
    steep = {s.op for s in stmts if isinstance(s, Apply) and (is_steep(s) or omits(s))}
    if not steep and not any(omitted_poles(f.body) for f, _ in whole.values()):
        return dict.fromkeys(whole, NEVER)
    again = again or "scaled" in steep
    known = {pattern: _Known() for pattern in needed}
    found: dict[Pattern | None, Idle] = {}
    before = -1
    while before != _size(known):
        before = _size(known)
        for place, (function, facts) in whole.items():
            kind = _Tangents if mode == "tangent" else _Adjoints
            found[place] = kind(facts, known, again).function(function, place)
    return found


class _Walk:
    """What both directions have in common: the sets, and what calls say of each other."""

    def __init__(self, facts: Activity, known: Mapping[Pattern, _Known], again: bool) -> None:
        self.facts = facts
        self.known = known
        self.idle: set[str] = set()
        self.steep: set[str] = set()
        self.said: dict[int, tuple[Pattern, Said]] = {}
        self.choices: set[str] = set()
        self.zero: frozenset[str] = frozenset()
        self.again = again
        self.wild: frozenset[str] = frozenset()

    def masks(self, stmt: Apply) -> bool:
        """Whether something is multiplied by truth values, or by a choice of which one is 0."""
        names = (getattr(o, "name", "") for o in stmt.args)
        truth = any(o.type.dtype == "bool" for o in stmt.args)
        return stmt.op == "mul" and (truth or any(name in self.choices for name in names))

    def look(self, block: Block) -> None:
        """Note the choices of a program of which one is 0, and what they make zero."""
        self.zero = zeros_by_choice(block)
        self.wild = omitted(block) | omitted_poles(block)
        if self.again:
            self.wild |= infinite_by_choice(block)
        for stmt in walk(block):
            if isinstance(stmt, Apply) and stmt.op == "select" and any(map(is_zero, stmt.args[1:])):
                self.choices.add(stmt.result.name)

    def rests(self, operand: Operand) -> bool:
        """Whether the derivative of an operand is zero, or may be by a choice."""
        raise NotImplementedError

    def of(self, operands: Iterable[Operand], places: Iterable[int]) -> Said:
        """The numbers of those operands that may be idle, and of those that may be steep."""
        pairs = list(zip(places, operands, strict=True))
        idle = {k for k, o in pairs if self.rests(o)}
        return idle, {k for k, o in pairs if self.any_steep([o])}

    def done(
        self, pattern: Pattern | None, operands: Iterable[Operand], places: Iterable[int]
    ) -> Idle:
        """What was found, handed on to the functions that are called and to those that call."""
        for callee, said in self.said.values():
            _add(self.known[callee].given, said)
        if pattern is not None:
            _add(self.known[pattern].gives, self.of(operands, places))
        return Idle(frozenset(self.idle), frozenset(self.steep), self.zero, self.wild)

    def active(self, operands: Iterable[Operand]) -> list[Value]:
        return [o for o in operands if isinstance(o, Value) and self.facts.active(o)]

    def sources(self, stmt: Apply) -> list[Value]:
        """The arguments that the results have a derivative with respect to."""
        return self.active(stmt.args[k] for k in carriers(stmt) if k < len(stmt.args))

    def note(self, names: Iterable[str], idle: bool, steep: bool) -> None:
        names = tuple(names)
        (self.idle.update if idle else self.idle.difference_update)(names)
        if steep:
            self.steep.update(names)

    def any_steep(self, operands: Iterable[Operand]) -> bool:
        return any(isinstance(o, Value) and o.name in self.steep for o in operands)


class _Tangents(_Walk):
    """In the order of the program."""

    def function(self, function: Function, pattern: Pattern | None) -> Idle:
        if pattern is not None:
            names = [p.name for p in function.body.params]
            idle, steep = self.known[pattern].given
            self.idle |= {names[k] for k in idle}
            self.steep |= {names[k] for k in steep}
        self.look(function.body)
        self.block(function.body)
        ends = function.body.yields
        return self.done(pattern, ends, range(len(ends)))

    def rests(self, operand: Operand) -> bool:
        """Whether the tangent of an operand is zero, or may be by a choice."""
        return not self.facts.active(operand) or getattr(operand, "name", "") in self.idle

    def block(self, block: Block) -> None:
        for stmt in block.stmts:
            match stmt:
                case Apply():
                    self.apply(stmt)
                case Loop() | While():
                    self.loop(stmt)
                case Branch():
                    self.block(stmt.then)
                    self.block(stmt.orelse)
                    arms = zip(stmt.results, stmt.then.yields, stmt.orelse.yields, strict=True)
                    for result, *ends in arms:
                        idle = any(map(self.rests, ends))
                        self.note([result.name], idle, self.any_steep(ends))
                case Call():
                    self.call(stmt)
                case Record():
                    self.note([f"tape {stmt.slot}"], self.rests(stmt.value), False)
                case Replay():
                    self.note([stmt.result.name], f"tape {stmt.slot}" in self.idle, False)

    def apply(self, stmt: Apply) -> None:
        args = self.sources(stmt)
        if args:
            rests = [a.name in self.idle for a in args]
            idle = all(rests) or (stmt.op == "mul" and any(rests)) or self.chooses(stmt, args)
            steep = self.any_steep(args) or is_steep(stmt)
            self.note((r.name for r in stmt.results), idle, steep)

    def chooses(self, stmt: Apply, args: list[Value]) -> bool:
        """Whether the tangents of results may be zero where those of the arguments are not."""
        entries = TABLE.get(stmt.op).entries
        if entries == "assembled":
            parts = [o for o in stmt.args if o.type.is_differentiable]
            return len(self.active(parts)) < len(parts)
        return entries in ("chosen", "among zeros") or self.masks(stmt)

    def loop(self, stmt: Loop | While) -> None:
        rows = carried(stmt)
        for param, init, _, _ in rows:
            self.note([param.name], self.rests(init), self.any_steep([init]))
        while True:
            self.block(stmt.body)
            late = [(p, y) for p, _, y, _ in rows if self.later(p, y)]
            for param, end in late:
                idle = param.name in self.idle or self.rests(end)
                self.note([param.name], idle, self.any_steep([end]))
            if not late:
                break
        for _, _, end, result in rows:
            self.note([result.name], self.rests(end), self.any_steep([end]))

    def later(self, param: Value, end: Operand) -> bool:
        """Whether the next iteration begins with what this one did not."""
        idle = self.rests(end) and param.name not in self.idle
        return idle or (self.any_steep([end]) and param.name not in self.steep)

    def call(self, stmt: Call) -> None:
        pattern = pattern_of(stmt, self.facts)
        if pattern is None:
            return
        known = self.known[pattern]
        args = [stmt.args[k] for k in pattern.wrt]
        self.said[id(stmt)] = pattern, self.of(args, pattern.wrt)
        for k, result in enumerate(stmt.results):
            self.note([result.name], k in known.gives[0], k in known.gives[1])


Handed = tuple[bool, bool, bool]
"""Of an adjoint that is handed on: whether it may be idle, may be steep, and is there."""


def _either(a: Handed, b: Handed) -> Handed:
    """What holds of one or the other; what is not there is not idle."""
    return (a[0] and a[2]) or (b[0] and b[2]), a[1] or b[1], a[2] or b[2]


class _Adjoints(_Walk):
    """Against the order of the program; `used` are the names that have a contribution."""

    def __init__(self, facts: Activity, known: Mapping[Pattern, _Known], again: bool) -> None:
        super().__init__(facts, known, again)
        self.used: set[str] = set()

    def function(self, function: Function, pattern: Pattern | None) -> Idle:
        ends = function.body.yields
        if pattern is None:
            self.give(ends, False, False)
        else:
            idle, steep = self.known[pattern].given
            for k in pattern.results:
                self.give([ends[k]], k in idle, k in steep)
        self.look(function.body)
        self.block(function.body)
        places = () if pattern is None else pattern.wrt
        return self.done(pattern, [function.body.params[k] for k in places], places)

    def give(self, operands: Iterable[Operand], idle: bool, steep: bool) -> None:
        """Contributions to adjoints: idle only as long as all are."""
        for value in self.active(operands):
            self.note([value.name], idle and self.rests(value), steep)
            self.used.add(value.name)

    def rests(self, operand: Operand) -> bool:
        """Whether the adjoint so far is zero, or may be by a choice."""
        name = getattr(operand, "name", "")
        return name not in self.used or name in self.idle

    def block(self, block: Block) -> None:
        for stmt in reversed(block.stmts):
            match stmt:
                case Apply():
                    self.apply(stmt)
                case Loop() | While():
                    self.loop(stmt)
                case Branch():
                    self.branch(stmt)
                case Call():
                    self.call(stmt)
                case Record() | Replay():
                    self.tape(stmt)

    def apply(self, stmt: Apply) -> None:
        if self.used.isdisjoint(r.name for r in stmt.results):
            return
        idle = all(self.rests(r) for r in stmt.results)
        steep = self.any_steep(stmt.results) or is_steep(stmt)
        for value in self.sources(stmt):
            self.give([value], idle or leaves_out(stmt, value) or self.masks(stmt), steep)

    def branch(self, stmt: Branch) -> None:
        """What only one arm reads of outside has a zero adjoint where the other is taken."""
        used, idle = self.used, self.idle
        inside: set[str] = set()
        after = set(used)
        busy: list[set[str]] = []
        for arm in (stmt.then, stmt.orelse):
            self.used, self.idle = set(used), set(idle)
            for result, end in zip(stmt.results, arm.yields, strict=True):
                if result.name in used:
                    self.give([end], self.rests(result), self.any_steep([result]))
            self.block(arm)
            local = {v.name for v in defined_in(arm)}
            inside |= self.idle & local
            busy.append(self.used - self.idle - local)
            after |= self.used - local
        self.used = after
        self.idle = inside | (after - (busy[0] & busy[1]))

    def loop(self, stmt: Loop | While) -> None:
        rows = carried(stmt)
        local = {v.name for v in defined_in(stmt.body)}
        handed = [(self.rests(r), self.any_steep([r]), r.name in self.used) for *_, r in rows]
        while True:
            self.used -= local
            self.idle -= local
            for (_, _, end, _), (idle, steep, live) in zip(rows, handed, strict=True):
                if live:
                    self.give([end], idle, steep)
            self.block(stmt.body)
            # What held once may hold: a swap would turn it round for ever.
            found = [self.between(p, r) for p, _, _, r in rows]
            now = [_either(*pair) for pair in zip(handed, found, strict=True)]
            if now == handed:
                break
            handed = now
        for (param, init, _, _), (_, _, live) in zip(rows, handed, strict=True):
            if live:
                self.give([init], self.rests(param), self.any_steep([param]))

    def between(self, param: Value, result: Value) -> Handed:
        """What holds of the adjoint of what is carried, between iterations and after the last."""
        idle = self.rests(param) or (result.name in self.used and self.rests(result))
        live = param.name in self.used or result.name in self.used
        return idle, self.any_steep([param, result]), live

    def call(self, stmt: Call) -> None:
        pattern = pattern_of(stmt, self.facts)
        if pattern is None:
            return
        known = self.known[pattern]
        places = pattern.results
        self.said[id(stmt)] = pattern, self.of([stmt.results[k] for k in places], places)
        for k in pattern.wrt:
            self.give([stmt.args[k]], k in known.gives[0], k in known.gives[1])

    def tape(self, stmt: Record | Replay) -> None:
        name = f"tape {stmt.slot}"
        if isinstance(stmt, Replay) and stmt.result.name in self.used:
            self.note([name], self.rests(stmt.result), False)
            self.used.add(name)
        elif isinstance(stmt, Record) and name in self.used:
            self.give([stmt.value], name in self.idle, False)


def _add(known: Said, said: Said) -> None:
    for old, new in zip(known, said, strict=True):
        old |= new


def _size(known: Mapping[Pattern, _Known]) -> int:
    """How much is known of the calls."""
    return sum(len(s) for one in known.values() for s in (*one.given, *one.gives))

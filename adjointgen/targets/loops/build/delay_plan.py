"""The plan of producer-consumer fusion: a statement is a nest, part of its readers, or itself.

An array is *delayed*, so that whatever reads an entry computes it, unless

* something that is no nest reads it: a matrix product, a statement inside a loop, the caller;
* several nests read it, or one reads its entries at several places, and it costs something;
* an array that it is computed from is overwritten before it is read.

Decisions are made from the last statement to the first, so that it is known of each who reads it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from adjointgen.costs import COPIED_FACTOR
from adjointgen.costs import SPREAD_READS
from adjointgen.costs import DELAYED_ONCE
from adjointgen.costs import DELAYED_ALWAYS
from adjointgen.ir.edit import name_of, reads_by
from adjointgen.ir.nodes import STORES, WRITES, Apply, Block, Loop, Operand, Stmt, Value, While
from adjointgen.targets.loops.build.entry_expressions import filled
from adjointgen.targets.loops.build.op_classes import Kind
from adjointgen.targets.loops.build.axis_lengths import ONE, Shapes
from adjointgen.records import dataclass, field
from adjointgen.rules.arrays.indexing import Slice
from adjointgen.rules.framework.table import TABLE



@dataclass(slots=True)
class Plan:
    """`delayed` are names of arrays that need not exist, `kept` those of parts that do as well.

    `straight` are names of small matrices that lie across, and are copied to lie as they are read.
    `until` is the position of the last statement that reads an array from memory.
    """

    kinds: list[Kind] = field(default_factory=list)
    delayed: dict[str, Apply] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    straight: set[str] = field(default_factory=set)
    until: dict[str, int] = field(default_factory=dict)


def is_broad(stmt: Apply) -> bool:
    """A write to all of an array but a few entries at the ends of its axes."""
    for item in filled(stmt, stmt.args[0].type.rank or 0):
        if not isinstance(item, Slice) or item.step not in (None, 1):
            return False
        if isinstance(item.stop, int) and item.stop >= 0:
            return False
        if not isinstance(item.start, int | None) or not isinstance(item.stop, int | None):
            return False
    return True


class Planner:
    """Plans one block, given the kinds of its statements."""

    def __init__(self, block: Block, kinds: list[Kind], shapes: Shapes) -> None:
        self.shapes = shapes
        self.block = block
        self.plan = Plan(kinds)
        self.uses: dict[str, list[int]] = defaultdict(list)
        self.kill: dict[str, int] = {}
        self.sinks: dict[str, set[int]] = {}
        self.times: dict[str, int] = {}
        self.cost: dict[str, float] = {}
        turning = (s for s in block.stmts if isinstance(s, Apply) and s.op == "transpose")
        self.turned = {s.result.name for s in turning}

    def made(self) -> Plan:
        for at, stmt in enumerate(self.block.stmts):
            self.read(at, stmt)
            self.priced(at, stmt)
        end = len(self.block.stmts)
        for operand in self.block.yields:
            if isinstance(operand, Value):
                self.uses[operand.name].append(end)
        for at in reversed(range(end)):
            stmt = self.block.stmts[at]
            if isinstance(stmt, Apply) and len(stmt.results) == 1:
                self.decide(at, stmt)
        for name, uses in self.uses.items():
            self.plan.until[name] = max((s for u in uses for s in self.read_at(u)), default=-1)
        return self.plan

    def read(self, at: int, stmt: Stmt) -> None:
        for operand in self.operands(at, stmt):
            if isinstance(operand, Value):
                self.uses[operand.name].append(at)
        for name in self.overwritten(at, stmt):
            self.kill.setdefault(name, at)

    def operands(self, at: int, stmt: Stmt) -> Iterable[Operand]:
        """What a statement reads, at any depth; only the length of some is read by nests."""
        if isinstance(stmt, Apply):
            return stmt.args if self.plan.kinds[at] == "other" else entry_operands(stmt)
        return reads_by(stmt)

    def overwritten(self, at: int, stmt: Stmt) -> list[str]:
        """The arrays whose storage a statement may take over."""
        found: Sequence[Operand] = ()
        match stmt:
            case Loop() | While():
                found = stmt.inits
            case Apply(op=op) if op in WRITES and not self.broad(at):
                found = stmt.args[:1]
            case Apply() if stmt.option("writes"):
                found = stmt.args
        return [f.name for f in found if isinstance(f, Value) and not f.type.is_scalar]

    def broad(self, at: int) -> bool:
        stmt = self.block.stmts[at]
        return self.plan.kinds[at] == "change" and isinstance(stmt, Apply) and is_broad(stmt)

    def priced(self, at: int, stmt: Stmt) -> None:
        """What an entry costs, where all that it is computed from is delayed."""
        if not isinstance(stmt, Apply) or self.plan.kinds[at] == "other":
            return
        computed = self.plan.kinds[at] == "entries" and TABLE[stmt.op].loop != "same"
        own = TABLE[stmt.op].cost if computed else 0.0
        for arg in entry_operands(stmt):
            if isinstance(arg, Value) and not arg.type.is_scalar:
                own += self.cost.get(arg.name, 1.0)
        if self.plan.kinds[at] in ("entries", "part", "change"):
            self.cost[stmt.results[0].name] = own

    def decide(self, at: int, stmt: Apply) -> None:
        name, kind = stmt.result.name, self.plan.kinds[at]
        sinks = {s for use in self.uses[name] for s in self.read_at(use)}
        needed = any(self.is_other(use, name) for use in self.uses[name])
        delayed = kind in ("entries", "part") or self.broad(at)
        if delayed:
            last = max(sinks, default=at)
            dead = any(
                self.kill.get(a.name, last) < last for a in stmt.args if isinstance(a, Value)
            )
            if self.lies_across(stmt):
                delayed = False
                self.plan.straight.add(name)
            elif kind == "part":
                delayed = not dead
                if delayed and (needed or name in self.shapes.telling):
                    self.plan.kept.add(name)
            else:
                delayed = not (needed or dead or self.dear(name, sinks))
        if delayed:
            self.plan.delayed[name] = stmt
            self.sinks[name] = sinks or {at}
            self.times[name] = self.readings(name)
        else:
            self.sinks[name] = {at}

    def lies_across(self, stmt: Apply) -> bool:
        """Whether it is a small matrix, turned to be the second of products of matrices.

        Libraries multiply by few columns faster if these are rows in memory.
        """
        name = stmt.result.name
        lengths = [d.known for d in self.shapes.of(stmt.result)] if stmt.op == "transpose" else []
        if len(lengths) != 2 or not all(n is not None and n <= COPIED_FACTOR for n in lengths):
            return False
        if name_of(stmt.args[0]) in self.turned:
            return False
        uses = [u for u in self.uses[name] if u < len(self.block.stmts)]
        readers = [(self.plan.kinds[u], self.block.stmts[u]) for u in uses]
        products = [r for r in readers if not (isinstance(r[1], Apply) and r[1].op == "transpose")]
        return bool(products) and all(
            kind == "other"
            and isinstance(s, Apply)
            and s.op == "matmul"
            and name_of(s.args[0]) != name
            for kind, s in products
        )

    def dear(self, name: str, sinks: set[int]) -> bool:
        cost = self.cost[name]
        times = self.readings(name)
        return (len(sinks) > 1 and cost > DELAYED_ALWAYS) or (times > 1 and times * cost > DELAYED_ONCE)

    def readings(self, name: str) -> int:
        """At how many places the entries are read for one entry of what is computed."""
        same, elsewhere = 1, 0
        for use in self.uses[name]:
            stmt = self.block.stmts[use] if use < len(self.block.stmts) else None
            if not isinstance(stmt, Apply):
                continue
            made = stmt.results[0].name
            times = self.times.get(made, 1) * (SPREAD_READS if self.is_spread(stmt, name) else 1)
            moved = self.plan.kinds[use] == "part" or (
                self.plan.kinds[use] == "change" and name != name_of(stmt.args[0])
            )
            if moved:
                elsewhere += times
            else:
                same = max(same, times)
        return max(same, elsewhere)

    def is_spread(self, stmt: Apply, name: str) -> bool:
        """Whether a statement has more axes than an array: it reads entries again and again."""
        arg = next((a for a in stmt.args if name_of(a) == name), None)
        if arg is None or stmt.op in STORES:
            return False
        by_letter = self.shapes.letters.get(stmt.result.name)
        if by_letter is not None:
            found = list(by_letter.values())
        else:
            found = list(self.shapes.of(stmt.result))
        own = sum(d != ONE for d in self.shapes.of(arg))
        return own < sum(d != ONE for d in found)

    def is_other(self, use: int, name: str) -> bool:
        """Whether a use needs the array in memory; part of it is written there."""
        if use >= len(self.block.stmts):
            return True
        stmt = self.block.stmts[use]
        if not isinstance(stmt, Apply) or self.plan.kinds[use] == "other":
            return True
        if self.plan.kinds[use] == "change" and name_of(stmt.args[0]) == name:
            return not self.broad(use)
        made = stmt.results[0].name
        if self.plan.kinds[use] == "part" and made not in self.plan.delayed:
            return True
        return made in self.plan.kept

    def read_at(self, use: int) -> set[int]:
        """The statements that read an array from memory for the sake of a use."""
        if use >= len(self.block.stmts):
            return {use}
        stmt = self.block.stmts[use]
        if isinstance(stmt, Apply) and len(stmt.results) == 1:
            name = stmt.results[0].name
            if name in self.plan.delayed:
                more = {use} | set(self.uses[name]) if name in self.plan.kept else set()
                return self.sinks[name] | more
        return {use}


def entry_operands(stmt: Apply) -> tuple[Operand, ...]:
    """The operands of which a nest reads entries, not the length alone."""
    match stmt.op:
        case "expand" | "unbroadcast":
            return stmt.args[:1]
        case "zeros_like" | "ones_like":
            return ()
        case "full_like":
            return stmt.args[1:]
    return stmt.args

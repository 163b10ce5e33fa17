"""Recompute or record: a decision per needed value of one forward block.

The *leaves* of a value are what its recomputation ends at: loop parameters, results of inner loops
and branches, the user's own code. Loop indices, values from outside the block and restored arrays
are no leaves, the reverse sweep has them. A value without leaves is recomputed, so that independent
iterations need no tape (Tapenade's II-LOOP, here proved), but for products of matrices and the
like, which take longer than a tape unless they are the same in every iteration. For the others the
cheaper of two sets is recorded: the needed values themselves, in order, less those that follow from
earlier ones within a budget of arithmetic; or the leaves, if they are fewer. Where a minimum cut
says that less would do, records and what is computed again counted together, that is recorded
(`least_recorded.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from adjointgen.ad.modes.adjoint import Open
from adjointgen.ad.taping.least_recorded import least_recorded
from adjointgen.ad.taping.recording_plan import Plan, Scope
from adjointgen.ad.taping.reverse_lengths import Held, measured
from adjointgen.ad.taping.tape_costs import (
    again_cost,
    consumed_at,
    is_costly,
    is_lengthy,
    is_reduction,
    is_repeatable,
    named_by,
    record_cost,
    weight,
)
from adjointgen.analysis.loops.element_forwarding import Rereads
from adjointgen.costs import (
    CHEAPEST,
    CUT_MARGIN,
    CUT_VALUES,
    LENGTH_STEPS,
    RECOMPUTED_ARRAY,
    RECOMPUTED_NUMBER,
)
from adjointgen.ir.edit import name_of, reads_by
from adjointgen.ir.nodes import Apply, Block, Function, Operand, Value, results_of
from adjointgen.rules.framework.table import TABLE


def plan(
    forward: Block,
    reverse: Block,
    program: Open,
    scope: Scope,
    recompute: bool,
) -> Plan:
    """Decide for one forward block and its reverse; without `recompute`, all is recorded."""
    return _Planner(forward, reverse, program, scope).decide(recompute)


def kept(
    forward: Block, reverse: Block, program: Function
) -> tuple[tuple[Value, ...], tuple[Apply, ...]]:
    """What a reverse sweep in a function of its own is handed of the forward sweep beside its
    parameters, and the statements that recompute the rest."""
    given = {p.name: p for p in forward.params}
    scope = Scope(given, (), frozenset())
    planner = _Planner(forward, reverse, Open(program, {}, frozenset()), scope)
    needed = [v for name, v in planner.defined.items() if name in planner.first]
    recorded = planner.directly(needed, list(forward.params))
    names = {v.name for v in recorded} | given.keys()
    again = planner.gather([v for v in needed if v.name not in names], names)
    statements = tuple(dict.fromkeys(again.values()))
    return tuple(v for v in recorded if v.name not in given), statements


class _Planner:
    """The facts about one forward block and its reverse; every walk is in order, none recursive.

    `first` is where a value is first read in the reverse block, `at` where it would have to be
    available if others were recomputed from it, `bound` holds what depends on a leaf, and `soft`
    what does not since elements are read of other versions of their arrays, `early` ones.
    """

    def __init__(self, forward: Block, reverse: Block, program: Open, scope: Scope) -> None:
        standing = program.standing
        self.restored = program.restored
        self.scope = scope
        self.final = {standing[name].args[0] for name in standing}
        self.defined = {v.name: v for v in forward.params}
        held = Held((*reverse.params, *scope.visible.values()), scope.shapeless)
        self.makers: dict[str, Apply] = {}
        for stmt in forward.stmts:
            for result in results_of(stmt):
                self.defined[result.name] = result
                maker = standing.get(result.name, stmt)
                if isinstance(maker, Apply) and is_repeatable(maker):
                    self.makers[result.name] = measured(maker, self.defined, held)
        self.ready = {p.name: -1 for p in reverse.params}
        self.first: dict[str, int] = {}
        for position, stmt in enumerate(reverse.stmts):
            self.note(reads_by(stmt), position)
            self.ready.update({r.name: position for r in results_of(stmt)})
        self.note(reverse.yields, len(reverse.stmts))
        self.measure()
        self.at = self.places()
        self.bound = self.depending()
        self.held: dict[tuple[str, str], Operand] = {}
        self.early: dict[str, int] = {}
        self.soft: set[str] = set()
        self.stored = named_by("store", program.function.directives, forward)
        self.again = named_by("recompute", program.function.directives, forward)
        self.reread(program.passing, consumed_at(reverse), held)

    def reread(self, passing: Rereads, consumed: Mapping[str, int], held: Held) -> None:
        """Read what is bound from other versions of its array, where the reverse sweep holds one.

        A version is read before it is consumed, since it would have to be copied otherwise.
        """
        bound = [name for name in self.defined if name in self.bound and name in passing]
        for name in sorted(bound, key=self.at.__getitem__):
            for stmt in passing[name]:
                version = self.restored_before(stmt.args[0], self.at[name])
                if version is None or self.follows(stmt.args[1:], name):
                    continue
                place = min(self.at[name], consumed.get(version.name, self.at[name]))
                if version.name in self.scope.visible or self.ready[version.name] < place:
                    self.makers[name] = measured(stmt, self.defined, held)
                    self.early[name] = self.first[name] = place
                    break
        if self.early:
            before = self.bound
            self.defined = self.in_order()
            self.at = self.places()
            self.bound = self.depending()
            self.soft = before - self.bound - self.early.keys()

    def follows(self, operands: Iterable[Operand], name: str) -> bool:
        """Whether operands are computed from a value."""
        stack, seen = [o.name for o in operands if isinstance(o, Value)], set[str]()
        while stack:
            source = stack.pop()
            if source == name:
                return True
            if source not in seen:
                seen.add(source)
                stack.extend(self.sources(source))
        return False

    def in_order(self) -> dict[str, Value]:
        """All values, each after what it is recomputed from now."""
        made: dict[str, Value] = {}
        for first in self.defined:
            stack = [first]
            while stack:
                missing = [s for s in self.sources(stack[-1]) if s not in made]
                if missing:
                    stack += missing
                else:
                    name = stack.pop()
                    made[name] = self.defined[name]
        return made

    def note(self, reads: Iterable[Operand], position: int) -> None:
        for value in reads:
            if isinstance(value, Value) and value.name in self.defined:
                self.first.setdefault(value.name, position)

    def measure(self) -> None:
        """Let no array be had again for its length alone: the length is kept."""
        lengths = list(filter(self.is_length, self.first))
        if not lengths:
            return
        numbers = self.first.keys() - lengths
        stack = list(numbers)
        while stack:
            new = set(self.sources(stack.pop())) - numbers
            numbers |= new
            stack.extend(new)
        for name in lengths:
            if not self.has_shape(self.makers[name].args[0], numbers):
                del self.makers[name]

    def has_shape(self, array: Operand, numbers: Set[str], depth: int = LENGTH_STEPS) -> bool:
        """Whether an array is there, or its numbers are, or it follows from such entry by entry."""
        if not isinstance(array, Value) or array.name not in self.defined.keys() - numbers:
            return True
        if array in self.final or array.name in self.restored:
            return True
        maker = self.makers.get(array.name)
        if maker is None or not depth:
            return False
        row = TABLE[maker.op]
        parts = maker.args[:1] if row.alias else maker.args if row.kind == "elementwise" else ()
        return bool(parts) and all(self.has_shape(p, numbers, depth - 1) for p in parts)

    def is_length(self, name: str) -> bool:
        return name in self.makers and self.makers[name].op == "dim"

    def sources(self, name: str) -> Iterator[str]:
        """What a value is recomputed from, of this block."""
        stmt = self.makers.get(name)
        for arg in stmt.args if stmt is not None else ():
            if isinstance(arg, Value) and arg.name in self.defined:
                yield arg.name

    def places(self) -> dict[str, int]:
        """Where each value has to be available at the earliest: readers come after sources."""
        at = dict(self.first)
        for name in reversed(self.defined):
            if name in at:
                for source in self.sources(name):
                    at[source] = min(at[name], at.get(source, at[name]))
        return at

    def depending(self) -> set[str]:
        """The values that cannot be had without recording something, or at a price only."""
        bound: set[str] = set()
        for name in self.defined:
            if name not in self.at:
                continue
            made = self.makers.get(name)
            if (
                made is None
                or self.is_dear(made)
                or any(s in bound for s in self.open_sources(name))
            ):
                bound.add(name)
        return bound

    def is_dear(self, stmt: Apply) -> bool:
        """Whether an operation costs too much to be done again in every iteration."""
        return is_costly(stmt) and not self.is_invariant(stmt)

    def is_invariant(self, stmt: Apply) -> bool:
        """Whether every iteration of the loop computes the same."""
        index, names = self.scope.index, [name_of(a) for a in stmt.args]
        return bool(index) and not any(n == index or n in self.defined for n in names)

    def open_sources(self, name: str) -> Iterator[str]:
        """The sources that the reverse sweep does not hold where `name` is recomputed."""
        for arg in self.makers[name].args:
            if isinstance(arg, Value) and arg.name in self.defined and not self.holds(arg, name):
                yield arg.name

    def holds(self, operand: Operand, reader: str) -> Operand | None:
        """What the reverse sweep holds of an operand where `reader` is recomputed."""
        held = self.restored_before(operand, self.at[reader])
        return operand if held is None and operand in self.final else held

    def restored_before(self, operand: Operand, position: int) -> Value | None:
        """What holds in the reverse sweep what an array held, if there is that at a position."""
        known = self.restored.get(operand.name, ()) if isinstance(operand, Value) else ()
        for held, path in reversed(known):
            if not self.scope.reaches(path):
                continue
            if held.name in self.scope.visible or self.ready.get(held.name, position) < position:
                return held
        return None

    def decide(self, recompute: bool) -> Plan:
        needed = [v for name, v in self.defined.items() if name in self.first]
        if not recompute:
            return Plan(tuple(needed), {}, {})
        bound = self.opened([v for v in needed if v.name in self.bound or v.name in self.soft])
        stored = [v for n, v in self.defined.items() if n in self.at and n in self.stored]
        recorded = min((self.directly(bound, stored), self.leafwise(bound, stored)), key=weight)
        if not self.again and len(self.bound) <= CUT_VALUES:
            recorded = self.cut(bound, stored, recorded)
        kept = {v.name for v in recorded}
        recomputed = self.gather(needed, kept)
        if stored:
            sources = (name_of(a) for stmt in recomputed.values() for a in stmt.args)
            read = {v.name for v in needed}.union(sources)
            recorded = [v for v in recorded if v.name in read]
        early: dict[int, tuple[Value, ...]] = {}
        for name in recomputed:
            if name in self.early:
                place = self.early[name]
                early[place] = (*early.get(place, ()), self.defined[name])
        return Plan(tuple(recorded), recomputed, self.held, early)

    def opened(self, bound: list[Value]) -> list[Value]:
        """The values without those that a directive has computed again: what these follow from."""
        stack, found = [v.name for v in bound], set[str]()
        while stack:
            name = stack.pop()
            if name in self.again and name in self.makers:
                stack += [s for s in self.open_sources(name) if s in self.bound]
            else:
                found.add(name)
        return [v for name, v in self.defined.items() if name in found] if self.again else bound

    def gather(self, needed: list[Value], kept: set[str]) -> dict[str, Apply]:
        """The statements that recompute the needed values from what is kept, in order."""
        wanted = {v.name for v in needed} - kept
        stack = list(wanted)
        while stack:
            name = stack.pop()
            for arg in self.makers[name].args:
                held = self.holds(arg, name)
                if held is not None and isinstance(arg, Value):
                    self.held[arg.name, name] = held
            new = set(self.open_sources(name)) - wanted - kept
            wanted |= new
            stack.extend(new)
        return {name: self.makers[name] for name in self.defined if name in wanted}

    def directly(self, bound: list[Value], start: list[Value]) -> list[Value]:
        """Record the needed values in order, less what is cheap to recompute from earlier ones."""
        recorded = list(start)
        kept = {v.name for v in recorded}
        for value in bound:
            budget = (
                RECOMPUTED_NUMBER
                if value.type.is_scalar or value.name in self.soft
                else RECOMPUTED_ARRAY
            )
            if self.is_length(value.name):
                budget = RECOMPUTED_ARRAY + CHEAPEST
            if value.name not in kept and self.cost(value.name, kept, budget) > budget:
                recorded.append(value)
                kept.add(value.name)
        return recorded

    def leafwise(self, bound: list[Value], start: list[Value]) -> list[Value]:
        """Record the leaves, and what is not cheap to recompute from them.

        What is measured is a leaf itself: no array is kept for its length.
        """
        seen = {v.name for v in bound if not self.is_length(v.name)}
        stack = list(seen)
        while stack:
            name = stack.pop()
            sources = self.open_sources(name) if name in self.makers else ()
            new = {s for s in sources if s in self.bound} - seen
            seen |= new
            stack.extend(new)
        leaves = [v for n, v in self.defined.items() if n in seen and n not in self.makers]
        return self.directly(bound, [*start, *(v for v in leaves if v not in start)])

    def cut(self, bound: list[Value], start: list[Value], other: list[Value]) -> list[Value]:
        """Record what costs least together with what is computed again from it, where that is
        clearly less than the other set."""
        nodes = [n for n in self.defined if n in self.bound or n in self.soft]
        names = {v.name for v in other}
        record = {n: record_cost(self.defined[n], self.makers.get(n), n in names) for n in nodes}
        record |= {v.name: 0.0 for v in start}
        again = {n: again_cost(self.makers[n]) for n in nodes if self.is_repeated(n)}
        sources = {n: [s for s in self.open_sources(n) if s in record] for n in again}
        kept = least_recorded([v.name for v in bound], sources, record, again)

        def total(names: Set[str]) -> float:
            made = self.gather(bound, {*names}).keys() & again.keys()
            return sum(record[n] for n in names) + sum(again[n] for n in made)

        if total(kept) + CUT_MARGIN > total(names):
            return other
        return [v for n, v in self.defined.items() if n in kept or v in start]

    def is_repeated(self, name: str) -> bool:
        """Whether a value can be computed again in every iteration."""
        made = self.makers.get(name)
        if made is None or name not in self.at:
            return False
        return not is_reduction(made) and not is_lengthy(made)

    def cost(self, name: str, kept: set[str], budget: float) -> float:
        """The cost of recomputing a value from what is kept; anything over the budget is too much.

        The recursion is as deep as the budget allows.
        """
        if name in kept:
            return 0.0
        stmt = self.makers.get(name)
        if stmt is None:
            return float("inf")
        if is_reduction(stmt):
            return float("inf")
        total = max(TABLE[stmt.op].cost, CHEAPEST)
        if name not in self.bound and name not in self.soft:
            return total
        for source in self.open_sources(name):
            if total > budget:
                break
            total += self.cost(source, kept, budget - total)
        return total

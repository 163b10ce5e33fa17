"""When a printed value is alive: stretches of positions between its definition and its last read.

A value that a loop reads but does not define lives until the loop ends. A value that the `else`
arm of a branch reads is not alive in the `then` arm, which stands before it on the line. So the
live range of a value is its stretch from definition to last read, less these gaps. Reads count
where they are printed: a folded expression is read where the statement that holds it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from adjointgen.emit.decide.expression_folding import Folds
from adjointgen.emit.decide.positions import Layer, Place
from adjointgen.ir.nodes import Branch, Loop, Operand, Value, While, operands_of, results_of
from adjointgen.records import dataclass, field

Segment = tuple[int, int]


@dataclass(slots=True)
class Range:
    """The live range of one value while it is built: `gaps` are arms that do not see it."""

    value: Value
    start: int
    end: int
    loops: int
    gaps: list[Segment] = field(default_factory=list)

    def segments(self) -> list[Segment]:
        """Disjoint stretches `(after, upto)`, none empty."""
        found, start = [], self.start
        for low, high in self.gaps:
            if start < low:
                found.append((start, low))
            start = high
        found.append((start, max(self.end, start + 1)))
        return found


def live_ranges(layer: Layer, folds: Folds, reads: Counter[str]) -> dict[str, Range]:
    """The range of every value that is printed under a name, in order of definition."""
    liveness = _Liveness(folds, reads)
    liveness.define(layer.block.params, layer.start)
    liveness.layer(layer)
    return liveness.ranges


class _Liveness:
    def __init__(self, folds: Folds, reads: Counter[str]) -> None:
        self.ranges: dict[str, Range] = {}
        self._folds = folds
        self._reads = reads
        # For each loop around the position: its end, and the number of `else` arms around it.
        self._loops: list[tuple[int, int]] = []
        # For each `else` arm around the position: the stretch of the `then` arm before it.
        self._arms: list[Segment] = []

    def define(self, values: Iterable[Value], at: int) -> None:
        for value in values:
            self.ranges[value.name] = Range(value, at, at, len(self._loops))

    def layer(self, layer: Layer) -> None:
        for place in layer.places:
            if not self._folds.is_folded(place.stmt):
                self._place(place)
        self._read(layer.block.yields, layer.end)

    def _read(self, operands: Iterable[Operand], at: int) -> None:
        for operand in operands:
            for leaf in self._folds.leaves(operand):
                self._extend(self.ranges[leaf.name], at)

    def _extend(self, live: Range, at: int) -> None:
        """The value is read at a position inside the current loops and arms."""
        arms = len(self._arms)
        if len(self._loops) > live.loops:
            at, arms = self._loops[live.loops]
        live_arms = self._arms[:arms]
        while live.gaps and not any(high == live.gaps[-1][1] for _, high in live_arms):
            live.gaps.pop()
        fresh = []
        for low, high in reversed(live_arms):
            if high <= live.end:
                break
            if high > live.start:
                fresh.append((max(low, live.end), high))
        live.gaps += reversed(fresh)
        live.end = max(live.end, at)

    def _place(self, place: Place) -> None:
        match place.stmt:
            case Loop() | While() as stmt:
                self._loop(stmt, place)
            case Branch() as stmt if not self._folds.is_expression(stmt):
                self._branch(stmt, place)
            case Branch() as stmt:
                self._read((stmt.test, *stmt.then.yields, *stmt.orelse.yields), place.at)
                self.define(stmt.results, place.at)
            case stmt:
                self._read(operands_of(stmt), place.at)
                self.define(results_of(stmt), place.at)

    def _loop(self, stmt: Loop | While, place: Place) -> None:
        self._read(stmt.inits, place.at)
        counted = stmt.trips is not None and self._reads[stmt.trips.name] > 0
        if counted and stmt.trips is not None:
            self.define((stmt.trips,), place.at)
        self._loops.append((place.end, len(self._arms)))
        self.define(stmt.body.params, place.at)
        if isinstance(stmt, Loop):
            self._loops.pop()
            self._read(stmt.bounds, place.at + 1)
            self._loops.append((place.end, len(self._arms)))
            if self._reads[stmt.index.name]:
                self.define((stmt.index,), place.at + 1)
        for layer in place.layers:
            self.layer(layer)
        self._loops.pop()
        if counted and stmt.trips is not None:
            # It counts while the loop runs, so its name is taken until then.
            self.ranges[stmt.trips.name].end = place.end
        self.define(stmt.results, place.end - 1)

    def _branch(self, stmt: Branch, place: Place) -> None:
        then, orelse = place.layers
        self._read((stmt.test,), place.at)
        self.layer(then)
        self._arms.append((place.at, then.end))
        self.layer(orelse)
        self._arms.pop()
        self.define(stmt.results, place.end)

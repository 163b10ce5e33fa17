"""Loop nests: an array filled entry by entry, part of an array changed, a reduction.

Where the formula of an entry differs near the ends of its axes (parts of the array are written by
slices that leave out `lead` and `tail` entries), the nest is two: one over the entries near the
ends, with the conditions, and one over all others, without.

    for i in range(n):
        inner = lead <= i < n - tail
        for b in range(min(lead + tail, m) if inner else m):     entries near the ends
            j = b if b < lead else m - edge + b
        for j in range(lead, m - tail if inner else lead):       all others
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from adjointgen.ir.nodes import Apply, Block, Const, Loop, Operand, Value
from adjointgen.ir.types import INT, Dim
from adjointgen.targets.loops.build.entry_expressions import Entries, Places, Survey, pattern, repeated
from adjointgen.targets.loops.build.index_spans import Span
from adjointgen.targets.loops.build.length_operands import Lengths
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.builder import Builder, Names, const
from adjointgen.rules.framework.contributions import is_zero
from adjointgen.rules.arrays.index_arithmetic import place

INDICES = "ijklmnpq"
Bounds = tuple[Operand, Operand]
Body = Callable[[list[Value], list[Operand]], list[Operand]]
Entry = Callable[[list[Value], list[Operand], Sequence["Axis"]], Operand]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis that a nest runs over: its length, and the entries at both ends left alone."""

    length: Dim
    lead: int = 0
    tail: int = 0


class Nests:
    """Builds nests. `delayed` are the arrays that do not exist, by their statements."""

    def __init__(self, builder: Builder, delayed: dict[str, Apply], lengths: Lengths) -> None:
        self.builder = builder
        self.depth = 0
        self.counts: set[str] = set()
        """The names of numbers that are certainly not negative."""
        self.delayed = delayed
        self.lengths = lengths
        self.shapes = lengths.shapes
        self.length = lengths.operand

    def survey(self, value: Operand, axes: Sequence[Axis]) -> tuple[Survey, list[Value]]:
        """What an entry reads and what has to be known of the indices, which are returned too."""
        indices = [Value(f"{INDICES[k % len(INDICES)]} {k}", INT) for k in range(len(axes))]
        places = repeated(self.shapes.of(value), tuple(map(place, indices)))
        return self.surveyed([(value, places)], indices, axes), indices

    def surveyed(
        self, read: Iterable[tuple[Operand, Places]], indices: list[Value], axes: Sequence[Axis]
    ) -> Survey:
        """What some entries read; nothing is built."""
        found = Survey()
        scratch, spans = Builder(Names()), spans_of(indices, axes)
        entries = Entries(scratch, self.delayed, self.shapes.of, self.length_of_none, spans, found)
        for operand, places in read:
            entries.at(operand, places)
        return found

    def length_of_none(self, dim: Dim) -> Operand:
        """A stand-in for a length, where nothing is built."""
        return const(dim.offset) if not dim.symbol else Value(f"len {dim}", INT)

    def filled(self, value: Value, target: Operand, axes: Sequence[Axis], held: str) -> Value:
        """`target` with every entry of `value` in its place.

        `held` is the array in memory that `target` stands for, if it is read.
        """
        survey, indices = self.survey(value, axes)
        margins = [survey.margins.get(i.name, (0, 0)) for i in indices]
        edges = [
            (max(axis.lead, lead), max(axis.tail, tail))
            for axis, (lead, tail) in zip(axes, margins, strict=True)
        ]

        def body(indices: list[Value], carried: list[Operand], near: Sequence[Axis]) -> Operand:
            entries = self.entries(spans_of(indices, near), held, carried[0])
            places = tuple(map(place, indices))
            return self.stored(carried[0], entries.at(value, places), indices)

        if all(edge == (axis.lead, axis.tail) for edge, axis in zip(edges, axes, strict=True)):
            bounds = [self.bounds(axis) for axis in axes]
            (made,) = self.nest(bounds, [target], lambda i, c: [body(i, c, axes)], value.root)
            return made
        return self.split(axes, edges, target, body, value.root)

    def entries(self, spans: Mapping[str, Span], held: str, stands: Operand) -> Entries:
        entries = Entries(self.builder, self.delayed, self.shapes.of, self.length, spans)
        entries.counts = self.counts
        if held:
            entries.held[held] = stands
        return entries

    def empty(self, like: Value, start: Operand | None = None) -> Value:
        """A new array of a value's type, filled where it says with what."""
        dims = [self.lengths.size(d) for d in self.shapes.of(like)]
        options = {} if like.type.dtype == "float64" else {"dtype": like.type.dtype}
        if start is None:
            made = self.builder.apply("empty", *dims, root=like.root, **options)
        elif is_zero(start):
            made = self.builder.apply("zeros", *dims, root=like.root, **options)
        else:
            made = self.builder.apply("full", *dims, start, root=like.root, **options)
        self.shapes.define(made, self.shapes.of(like))
        return made

    def stored(self, array: Operand, entry: Operand, at: Sequence[Operand]) -> Operand:
        root = array.root if isinstance(array, Value) else ""
        index = pattern(len(at))
        return self.builder.apply("store", array, entry, *at, root=root, index=index)

    def bounds(self, axis: Axis) -> Bounds:
        return const(axis.lead), self.less(self.length(axis.length), axis.tail)

    def less(self, length: Operand, number: int) -> Operand:
        return self.builder.apply("sub", length, const(number)) if number else length

    def nest(
        self,
        bounds: Sequence[Bounds],
        carried: Sequence[Operand],
        body: Body,
        root: str = "",
        outer: Sequence[Value] = (),
    ) -> list[Value]:
        """Loops over the bounds, the first outermost, that carry some values."""
        index = self.builder.value(self.letter(len(outer)), INT)
        params = [self.carried(c, root) for c in carried]
        with self.builder.block() as made:
            inside = [*outer, index]
            if len(bounds) == 1:
                ends = body(inside, list(params))
            else:
                ends = list(self.nest(bounds[1:], params, body, root, inside))
        results = tuple(self.carried(c, root) for c in carried)
        block = Block(tuple(params), tuple(made), tuple(ends))
        low, high = bounds[0]
        span = self.builder.span
        loop = Loop(results, index, (low, high, const(1)), tuple(carried), block, span=span)
        self.builder.add(loop)
        return list(results)

    def letter(self, depth: int) -> str:
        """What the index of a loop is called, at a depth inside the nest."""
        return INDICES[(self.depth + depth) % len(INDICES)]

    def carried(self, operand: Operand, root: str) -> Value:
        type = replace(operand.type, value=None)
        own = operand.root if isinstance(operand, Value) else ""
        value = self.builder.value(own or root, type)
        self.shapes.define(value, self.shapes.of(operand))
        return value

    def split(
        self,
        axes: Sequence[Axis],
        edges: Sequence[tuple[int, int]],
        target: Operand,
        body: Entry,
        root: str,
    ) -> Value:
        """The entries near the ends and all others, in two innermost loops."""

        def rows(indices: list[Value], carried: list[Operand]) -> list[Operand]:
            return [self.row(axes, edges, carried[0], body, root, indices)]

        if len(axes) == 1:
            return self.row(axes, edges, target, body, root, [])
        return self.nest([self.bounds(axis) for axis in axes[:-1]], [target], rows, root)[0]

    def row(
        self,
        axes: Sequence[Axis],
        edges: Sequence[tuple[int, int]],
        target: Operand,
        body: Entry,
        root: str,
        indices: list[Value],
    ) -> Value:
        """The entries along the last axis, at places of the others."""
        inner = [Axis(a.length, *edge) for a, edge in zip(axes, edges, strict=True)]
        last, (lead, tail) = axes[-1], edges[-1]
        inside = self.inside(indices, inner)
        start, stop = self.bounds(last)
        number = self.few(stop, start, lead - last.lead + tail - last.tail)
        high = self.less(self.length(last.length), tail)
        if inside is not None:
            whole = self.distance(stop, start)
            number = self.builder.apply("select", inside, number, whole)

        def near(own: list[Value], held: list[Operand]) -> list[Operand]:
            index = self.near(own[-1], lead - last.lead, start, stop, number)
            return [body([*indices, index], held, axes)]

        ends = self.nest([(const(0), number)], [target], near, root, indices)
        if inside is not None:
            high = self.builder.apply("select", inside, high, const(lead))
        far: Body = lambda own, held: [body(own, held, inner)]  # noqa: E731
        return self.nest([(const(lead), high)], list(ends), far, root, indices)[0]

    def inside(self, indices: Sequence[Value], inner: Sequence[Axis]) -> Value | None:
        """Whether the outer indices are away from the ends; None where that is certain."""
        tests = []
        for index, axis in zip(indices, inner, strict=False):
            if axis.lead:
                tests.append(self.builder.apply("ge", index, const(axis.lead)))
            if axis.tail:
                stop = self.less(self.length(axis.length), axis.tail)
                tests.append(self.builder.apply("lt", index, stop))
        found: Value | None = None
        for test in tests:
            found = test if found is None else self.builder.apply("and", found, test)
        if found is None:
            return None
        return self.builder.rename(found, "inner")

    def distance(self, stop: Operand, start: Operand) -> Operand:
        if isinstance(start, Const) and isinstance(stop, Const):
            return const(int(str(stop.value)) - int(str(start.value)))
        return stop if is_zero(start) else self.builder.apply("sub", stop, start)

    def few(self, stop: Operand, start: Operand, number: int) -> Operand:
        """The number of entries near the ends: some, or all where there are no more."""
        whole = self.distance(stop, start)
        if isinstance(whole, Const):
            return const(min(number, int(str(whole.value))))
        return self.builder.apply("min", const(number), whole)

    def near(self, own: Value, lead: int, start: Operand, stop: Operand, number: Operand) -> Value:
        """The index of an entry near an end: first those at the beginning."""
        first: Operand = own
        if not is_zero(start):
            first = self.builder.apply("add", start, own)
        offset = self.builder.apply("sub", stop, number)
        last = self.builder.apply("add", offset, own)
        test = self.builder.apply("lt", own, const(lead))
        index = self.builder.apply("select", test, first, last)
        return self.builder.rename(index, own.root)


def spans_of(indices: Sequence[Value], axes: Sequence[Axis]) -> dict[str, Span]:
    return {i.name: Span(a.length, a.lead, a.tail) for i, a in zip(indices, axes, strict=True)}


__all__ = ["Axis", "Nests", "spans_of"]

"""Reductions as loops: a number where the last axes are reduced, else an array that is added to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from math import prod

from adjointgen.costs import BLOCKED_FROM
from adjointgen.costs import SUMS_AT_ONCE
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.ir.types import INT, Type
from adjointgen.targets.loops.build.einsum_letters import letters
from adjointgen.targets.loops.build.entry_expressions import Places, pattern, repeated
from adjointgen.rules.framework.table import TABLE
from adjointgen.targets.loops.build.loop_nests import Axis, Nests, spans_of
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.type_rules import axes_of
from adjointgen.rules.arrays.index_arithmetic import place

Combine = Callable[[Operand, Operand], Operand]


class Fold:
    """One reduction in the making: of an array, or of products along shared axes."""

    def __init__(self, nests: Nests, stmt: Apply) -> None:
        self.nests = nests
        self.builder = nests.builder
        self.stmt = stmt
        found = letters(stmt) if TABLE.get(stmt.op).loop == "contraction" else None
        if found is None:
            self.shape = nests.shapes.of(stmt.args[0])
            self.reduced = tuple(sorted(axes_of(stmt.option("axis"), len(self.shape))))
            self.axes = [tuple(range(len(self.shape)))]
        else:
            # The axes that are left come first, in the order of the result.
            parts, left = found
            order = left + "".join(sorted(set("".join(parts)) - set(left)))
            by_letter = nests.shapes.letters[stmt.result.name]
            self.shape = tuple(by_letter[letter] for letter in order)
            self.reduced = tuple(range(len(left), len(order)))
            self.axes = [tuple(order.index(letter) for letter in part) for part in parts]
        self.kept = tuple(k for k in range(len(self.shape)) if k not in self.reduced)

    def made(self) -> Operand:
        if not self.kept and not self.stmt.option("keepdims"):
            return self.finished(self.number([]))
        if counts := self.few():
            return self.side_by_side(counts)
        if not self.kept or not self.runs_along():
            return self.rows()
        return self.added()

    def few(self) -> tuple[int, ...]:
        """How long the last axes left of a product are, where their entries fit into registers.

        Of two such axes both count if there is no other, and if much is added up: each number that
        is read then serves a row or a column of the result.
        """
        if TABLE.get(self.stmt.op).loop != "contraction" or not self.reduced:
            return ()
        short = [d.known for d in self.shape if d.known is not None and 1 < d.known <= SUMS_AT_ONCE]
        counts = [self.shape[k].known for k in self.kept]
        if not counts or counts[-1] not in short:
            return ()
        much = prod(self.shape[k].known or BLOCKED_FROM for k in self.reduced) >= BLOCKED_FROM
        whole = len(counts) == 2 and counts[0] in short and much
        return tuple(n for n in counts[0 if whole else -1 :] if n is not None)

    def runs_along(self) -> bool:
        """Whether entries next to each other in memory are those along the last axis left.

        A row is then added to the result at a time. Vectors do not count: what is read of them is
        read again and again.
        """
        indices = [Value(f"axis {k}", INT) for k in range(len(self.shape))]
        survey = self.nests.surveyed(self.parts(indices), indices, [Axis(d) for d in self.shape])
        last = indices[max(self.kept)]
        rows = [p[-1].terms for each in survey.reads.values() for p in each if len(p) > 1]
        return any(term == last for terms in rows for _, term in terms)

    def bounds(self, axes: tuple[int, ...]) -> list[tuple[Operand, Operand]]:
        return [self.nests.bounds(Axis(self.shape[k])) for k in axes]

    def entry(self, indices: list[Value], order: tuple[int, ...]) -> Operand:
        by_axis = dict(zip(order, indices, strict=True))
        return self.product([by_axis[k] for k in range(len(self.shape))])

    def product(self, indices: Sequence[Operand]) -> Operand:
        """The product of the operands' entries."""
        return self.multiplied([self.factor(arg, at, indices) for arg, at in self.parts(indices)])

    def multiplied(self, factors: list[Operand]) -> Operand:
        return reduce(lambda so_far, f: self.builder.apply("mul", so_far, f), factors)

    def factor(self, arg: Operand, places: Places, indices: Sequence[Operand]) -> Operand:
        """What an operand has at a place."""
        known = [(i, Axis(d)) for i, d in zip(indices, self.shape, strict=True)]
        own = [(i, axis) for i, axis in known if isinstance(i, Value)]
        spans = spans_of([i for i, _ in own], [axis for _, axis in own])
        return self.nests.entries(spans, "", const(0)).at(arg, places)

    def parts(self, indices: Sequence[Operand]) -> list[tuple[Operand, Places]]:
        """The places at which the operands are read."""
        shapes = self.nests.shapes
        return [
            (arg, repeated(shapes.of(arg), tuple(place(indices[k]) for k in axes)))
            for arg, axes in zip(self.stmt.args, self.axes, strict=False)
        ]

    def number(self, outer: list[Value]) -> Operand:
        """The reduction over the reduced axes, at one place of the others."""
        order = (*self.kept, *self.reduced)
        if not self.reduced:
            return self.entry(outer, order)

        def body(indices: list[Value], carried: list[Operand]) -> list[Operand]:
            return [self.combined(carried[0], self.entry(indices, order), free=True)]

        start = self.start()
        root = self.stmt.result.root
        (made,) = self.nests.nest(self.bounds(self.reduced), [start], body, root, outer)
        return made

    def rows(self) -> Operand:
        """A number for each place of the first axes."""

        def body(indices: list[Value], carried: list[Operand]) -> list[Operand]:
            number = self.finished(self.number(indices))
            return [self.stored(carried[0], number, indices)]

        target = self.nests.empty(self.stmt.result)
        if not self.kept:
            return body([], [target])[0]
        return self.nests.nest(self.bounds(self.kept), [target], body, target.root)[0]

    def added(self) -> Operand:
        """An array of the results, to which row after row is added."""
        axes = tuple(sorted((*self.reduced, *self.kept), key=lambda k: (k == max(self.kept), k)))
        if TABLE.get(self.stmt.op).loop == "contraction":
            axes = (*self.kept[:-1], *self.reduced, self.kept[-1])

        def body(indices: list[Value], carried: list[Operand]) -> list[Operand]:
            own = [indices[axes.index(k)] for k in self.kept]
            at = self.places(own)
            before = self.builder.apply("load", carried[0], *at, index=pattern(len(at)))
            return [self.stored(carried[0], self.combined(before, self.entry(indices, axes)), own)]

        target = self.nests.empty(self.stmt.result, self.start())
        (made,) = self.nests.nest(self.bounds(axes), [target], body, target.root)
        if self.stmt.op != "mean":
            return made

        def divided(indices: list[Value], carried: list[Operand]) -> list[Operand]:
            at = self.places(indices)
            before = self.builder.apply("load", carried[0], *at, index=pattern(len(at)))
            return [self.stored(carried[0], self.finished(before), indices)]

        return self.nests.nest(self.bounds(self.kept), [made], divided, target.root)[0]

    def side_by_side(self, counts: tuple[int, ...]) -> Operand:
        """The entries of a row, or of all, as that many numbers, which are added to at once."""
        first, last = self.kept[: -len(counts)], self.kept[-len(counts) :]
        order = (*first, *self.reduced)
        columns = list(product(*map(range, counts)))

        def row(outer: list[Value], carried: list[Operand]) -> list[Operand]:
            def body(indices: list[Value], sums: list[Operand]) -> list[Operand]:
                by_axis = dict(zip(order, indices, strict=True))
                terms = self.terms([{**by_axis, **at_place(last, c)} for c in columns], last)
                return [self.combined(s, t) for s, t in zip(sums, terms, strict=True)]

            root = self.stmt.result.root
            starts = [self.start()] * len(columns)
            made = self.nests.nest(self.bounds(self.reduced), starts, body, root, outer)
            array = carried[0]
            for column, number in zip(columns, made, strict=True):
                array = self.nests.stored(array, number, [*outer, *map(const, column)])
            return [array]

        target = self.nests.empty(self.stmt.result)
        if not first:
            return row([], [target])[0]
        return self.nests.nest(self.bounds(tuple(first)), [target], row, target.root)[0]

    def terms(self, places: list[dict[int, Operand]], last: tuple[int, ...]) -> list[Operand]:
        """The products at places that differ in the last axes; what they share is read once."""
        found: dict[tuple[object, ...], Operand] = {}
        terms = []
        for by_axis in places:
            indices = [by_axis[k] for k in range(len(self.shape))]
            factors = []
            for k, (arg, at) in enumerate(self.parts(indices)):
                key = (k, *(by_axis[axis] for axis in last if axis in self.axes[k]))
                if key not in found:
                    found[key] = self.factor(arg, at, indices)
                factors.append(found[key])
            terms.append(self.multiplied(factors))
        return terms

    def places(self, own: list[Value]) -> list[Operand]:
        """The place in the result."""
        if not self.stmt.option("keepdims"):
            return list(own)
        rest = iter(own)
        return [const(0) if k in self.reduced else next(rest) for k in range(len(self.shape))]

    def stored(self, array: Operand, entry: Operand, own: list[Value]) -> Operand:
        return self.nests.stored(array, entry, self.places(own))

    def start(self) -> Operand:
        """What a reduction of nothing gives."""
        dtype = self.stmt.result.type.dtype
        number = {"prod": 1.0, "amax": float("-inf"), "amin": float("inf")}.get(self.stmt.op, 0.0)
        if self.stmt.op in ("sum", "prod") and dtype.startswith(("int", "uint")):
            number = int(number)
        return const(number, Type(dtype))

    def combined(self, so_far: Operand, entry: Operand, free: bool = False) -> Operand:
        """With one entry more; `free` where the order of the entries is nobody's."""
        if TABLE.get(self.stmt.op).loop == "contraction" or self.stmt.op in ("sum", "mean"):
            inexact = so_far.type.dtype.startswith(("float", "complex"))
            return self.builder.apply("plus" if free and inexact else "add", so_far, entry)
        if self.stmt.op == "prod":
            return self.builder.apply("mul", so_far, entry)
        op = "gt" if self.stmt.op == "amax" else "lt"
        better = self.builder.apply(op, entry, so_far)
        # What is not equal to itself is no number, and the result then is none.
        lost = self.builder.apply("ne", entry, entry)
        test = self.builder.apply("or", better, lost)
        return self.builder.apply("select", test, entry, so_far)

    def finished(self, number: Operand) -> Operand:
        """The mean, of a sum."""
        if self.stmt.op != "mean":
            return number
        count: Operand | None = None
        for axis in self.reduced:
            length = self.nests.length(self.shape[axis])
            count = length if count is None else self.builder.apply("mul", count, length)
        assert count is not None
        return self.builder.apply("div", number, count)


def at_place(axes: tuple[int, ...], places: tuple[int, ...]) -> dict[int, Operand]:
    """The indices of axes at constant places."""
    return dict(zip(axes, map(const, places), strict=True))

"""Coefficients of linear operations, and of those that are linear in each of two operands.

What is linear is applied to all degrees at once, by the rule that the row has for many samples, or
degree by degree where it has none. A product is the sum of products of degrees: `y_n` is the sum of
`a_i * b_(n-i)`. (Griewank and Walther 2008, section 13.2.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol

from adjointgen.batching.batch import array_spelling
from adjointgen.errors import NoRule, NotBatched
from adjointgen.ir.nodes import STORES, Apply, Block, Const, Loop, Operand, Value
from adjointgen.ir.types import COMPLEX, INT, Type, same_length
from adjointgen.records import replace
from adjointgen.rules.framework.batching import Sample, chosen, not_batched, spread
from adjointgen.rules.framework.builder import Builder, Handle
from adjointgen.rules.framework.table import Row

Dots = list[Operand | None]
"""Coefficients of several values; None for zeros."""


class Walk(Protocol):
    """The walk over the program: the coefficients that are known."""

    builder: Builder
    dots: dict[str, Operand]

    def dot(self, operand: Operand) -> Operand | None: ...
    def zeros(
        self, like: Operand, root: str = "", dtype: str = "", several: Handle | None = None
    ) -> Operand: ...
    def type(self, type: Type, what: str) -> Type: ...


class NotLinear(Exception):
    """A derivative has a factor that varies."""


class Degrees:
    """Linear operations in the coefficients of one statement's results."""

    def __init__(self, walk: Walk, count: Handle, stmt: Apply) -> None:
        self.walk, self.count, self.span = walk, count, stmt.span
        self.builder = walk.builder
        self.undefined: set[str] = set()
        """Values of which only the coefficients are there."""

    def refuse(self, row: Row, stmt: Apply, why: str) -> NoReturn:
        shown = stmt.option("spelling") or (row.spellings or (row.name,))[0]
        shown = "what a solver finds" if row.first_order else shown
        raise NoRule(
            f"no Taylor coefficients of {str(shown).lstrip('.')}: {why}",
            code="AG201",
            span=self.span,
            help="nest tangent(...) for derivatives of low order",
        )

    def linear(self, row: Row, stmt: Apply, found: Dots) -> Dots:
        """All degrees at once."""
        if row.kind == "structural":
            return self.together(row, stmt, found, row.transposes)
        active = [k for k in row.transposes if k < len(found) and found[k] is not None]
        return self.multilinear(row, stmt, found, active)

    def multilinear(self, row: Row, stmt: Apply, found: Dots, active: Sequence[int]) -> Dots:
        """Linear in each of some operands: the products of their degrees."""
        if len(active) > 2:
            self.refuse(row, stmt, "more than two of its factors vary")
        totals: Dots = [None] * len(stmt.results)
        for k in active:
            made = self.applied(row, stmt, {k: _given(found[k])})
            totals = [self.added(t, m) for t, m in zip(totals, made, strict=True)]
        if len(active) == 2:
            totals = [self.crossed(row, stmt, found, active, _given(t)) for t in totals]
        return totals

    def added(self, total: Operand | None, made: Operand) -> Operand:
        if total is None:
            return made
        added = self.builder.apply("add", total, made)
        return self.known(added, replace(total.type, dtype=added.type.dtype))

    def together(self, row: Row, stmt: Apply, found: Dots, places: Iterable[int]) -> Dots:
        """Linear in all operands that carry values: constants have zeros."""
        given: dict[int, Operand] = {}
        args = list(stmt.args)
        for k in places:
            if found[k] is not None or (stmt.op in STORES and k == 0):
                given[k] = found[k] or self.walk.zeros(stmt.args[k])
            else:
                args[k] = self.zero(args[k])
        return [*self.applied(row, replace(stmt, args=tuple(args)), given)]

    def zero(self, like: Operand) -> Operand:
        """The zero of a constant, which all degrees have."""
        if isinstance(like, Const):
            value = 0.0 if isinstance(like.value, int | float | complex) else like.value
            return Const(value, like.type)
        if like.type.is_scalar:
            return Const(0j if like.type.dtype in COMPLEX else 0.0, like.type)
        return self.builder.apply("zeros_like", like)

    def crossed(
        self, row: Row, stmt: Apply, found: Dots, active: Sequence[int], total: Operand
    ) -> Operand:
        """`y_n += sum(a_i * b_(n-i) for 0 < i < n)`."""
        builder = self.builder

        def step(n: Value, carried: Sequence[Value]) -> list[Operand]:
            a, b = (builder.apply("load", _given(found[p]), n, index=":_") for p in active)
            b = builder.apply("load", b, index="::-1")
            (parts,) = self.applied(row, stmt, {active[0]: a, active[1]: b}, several=n)
            summed = builder.apply("sum", parts, axis=0)
            more = builder.apply("accumulate", carried[0], summed, n, index="_")
            return [builder.retyped(more, total.type)]

        (result,) = self.loop(1, self.count, [total], [total.type], step)
        return result

    def loop(
        self,
        start: int,
        count: Handle,
        inits: Sequence[Operand],
        types: Sequence[Type],
        step: Callable[[Value, Sequence[Value]], Sequence[Operand]],
    ) -> tuple[Value, ...]:
        """`for n in range(start, count)`, carrying values of these types through a step."""
        builder = self.builder
        carried = tuple(builder.value("", t, "series") for t in types)
        index = builder.value("", INT, "n")
        with builder.block() as block:
            ends = tuple(step(index, carried))
        results = tuple(builder.value("", t, "series") for t in types)
        bounds = Const(start, INT), count.operand, Const(1, INT)
        body = Block(carried, tuple(block), ends)
        builder.add(Loop(results, index, bounds, tuple(inits), body, span=self.span))
        return results

    def applied(
        self, row: Row, stmt: Apply, given: Mapping[int, Operand], several: Operand | None = None
    ) -> tuple[Operand, ...]:
        """The operation on coefficients of these operands, of all degrees, or of so many."""
        args = [given.get(k) or a for k, a in enumerate(stmt.args)]
        many = tuple(k in given for k in range(len(args)))
        settings = self.settings(row, stmt)
        types = tuple(replace(r.type, value=None) for r in stmt.results)
        handles = tuple(map(self.builder.handle, args))
        count = self.count if several is None else self.builder.handle(several)
        sample = Sample(stmt.op, handles, many, row.defaults | settings, settings, types, count)
        rule = row.batch or (chosen if row.loop == "entries" else None)
        try:
            if rule is None:
                not_batched(stmt.op)
            with self.builder.block() as made:
                found = rule(sample)
        except (NotBatched, NoRule):
            return self.by_degrees(row, stmt, given, count)
        for each in made:
            self.builder.add(each)
        found = found if isinstance(found, tuple) else (found,)
        lowered = map(self.builder.lower, found)
        return tuple(
            self.fitted(f, r, several is None) for f, r in zip(lowered, stmt.results, strict=True)
        )

    def by_degrees(
        self, row: Row, stmt: Apply, given: Mapping[int, Operand], count: Handle
    ) -> tuple[Operand, ...]:
        """The operation on the coefficients of one degree after the other."""
        builder = self.builder
        types = [self.walk.type(r.type, r.root) for r in stmt.results]

        def one(pattern: str, *read: Operand) -> tuple[Value, ...]:
            args = list(stmt.args)
            for k, coefficients in given.items():
                args[k] = builder.apply("load", coefficients, *read, index=pattern)
            return builder.apply_many(stmt.op, *args, **self.settings(row, stmt))

        def put(into: Operand, made: Operand, n: Operand, type: Type) -> Operand:
            return builder.retyped(builder.apply("store", into, made, n, index="_"), type)

        def step(n: Value, carried: Sequence[Value]) -> list[Operand]:
            rows = zip(carried, one("_", n), types, strict=True)
            return [put(c, m, n, t) for c, m, t in rows]

        inits = []
        for first, type in zip(one("0"), types, strict=True):
            zeros = self.walk.zeros(first, several=count)
            inits.append(put(zeros, first, Const(0, INT), type))
        return self.loop(1, count, inits, types, step)

    def settings(self, row: Row, stmt: Apply) -> dict[str, Any]:
        """The options of an operation on coefficients, which are arrays."""
        return {**stmt.settings, **array_spelling(row, stmt)}

    def fitted(self, made: Operand, result: Value, whole: bool = True) -> Operand:
        """Dots that have the type of their result, and an axis more."""
        builder = self.builder
        wanted = self.walk.type(result.type, result.root)
        if made.type.dtype in COMPLEX and wanted.dtype not in COMPLEX:
            made = builder.apply("real", made)
        shape = made.type.shape
        if shape is None or len(shape) > len(wanted.shape or ()):
            raise NoRule(
                f"no Taylor coefficients of {result.root or 'a value'} of this rank",
                code="AG201",
                span=self.span,
            )
        if whole and not _same(shape[1:], result.type.shape or ()):
            if result.name not in self.undefined:
                made = self.widened(made, result)
            elif len(shape) != len(wanted.shape or ()):
                raise NotLinear
        if made.type.dtype != wanted.dtype:
            made = builder.apply("cast", made, dtype=wanted.dtype)
        return self.known(made, wanted) if whole else made

    def known(self, made: Operand, type: Type) -> Operand:
        """The result of the last statement with its type, whose lengths are known better."""
        last = self.builder.last
        if isinstance(made, Value) and isinstance(last, Apply) and last.results == (made,):
            return self.builder.retyped(made, type)
        return made

    def widened(self, made: Operand, result: Value) -> Operand:
        """Dots spread over the shape of their result."""
        handles = self.builder.handle(made), self.builder.handle(result)
        options = {"axis": None, "keepdims": False}
        types = (result.type,)
        sample = Sample("expand", handles, (True, False), options, options, types, self.count)
        return self.builder.lower(spread(sample))


def _given(operand: Operand | None) -> Operand:
    assert operand is not None
    return operand


def _same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return len(a) == len(b) and all(same_length(p, q) for p, q in zip(a, b, strict=True))

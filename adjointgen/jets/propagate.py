"""The coefficients of one operation's results, from those of its operands.

What is linear is applied to all degrees at once, by the rule that the row has for many samples.
What is linear in each of two operands is a sum of products of degrees. Other rows have a rule of
their own (`series`), or follow from their derivative: with `y' = rule(y, x, x')`, the coefficients
of the right-hand side up to degree n - 1 give that of `y` of degree n. Where the derivative is
linear in `x'` with a factor that does not vary, as that of a maximum, it is applied to the
coefficients as they are; where it reads `y`, it is evaluated K times, so that K degrees cost
K * K * K products. (Griewank and Walther 2008, sections 13.2 and 13.3.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn, Protocol

from adjointgen.batching.batch import array_spelling
from adjointgen.errors import NoRule, NotBatched
from adjointgen.ir.nodes import STORES, Apply, Block, Const, Loop, Operand, Stmt, Value
from adjointgen.ir.types import COMPLEX, Type, same_length
from adjointgen.records import replace
from adjointgen.rules.framework.apply import Pushes, push
from adjointgen.rules.framework.batching import Sample, aligned, chosen, not_batched, spread
from adjointgen.rules.framework.builder import Builder, Handle
from adjointgen.rules.framework.contributions import fit_tangent
from adjointgen.rules.framework.series import TOGETHER, Terms, product
from adjointgen.rules.framework.table import TABLE, Row

Coefficients = list[Operand | None]
DEEPEST = 6
"""Derivatives of derivatives, as of hypergeometric functions, have no end."""


class Walk(Protocol):
    """The walk over the program: the coefficients that are known."""

    builder: Builder
    dots: dict[str, Operand]

    def dot(self, operand: Operand) -> Operand | None: ...
    def zeros(
        self, like: Operand, root: str = "", dtype: str = "", several: Handle | None = None
    ) -> Operand: ...
    def type(self, type: Type, what: str) -> Type: ...


class _Rule(Pushes):
    """A derivative as its rule states it."""

    def fit(self, stmt: Apply, dot: Operand) -> Operand:
        return fit_tangent(self.builder, dot, stmt.result, "")


class _NotLinear(Exception):
    """A derivative has a factor that varies."""


class Propagation:
    """The coefficients of the results of one statement of the user's."""

    def __init__(self, walk: Walk, count: Handle, stmt: Apply) -> None:
        self.walk, self.count, self.span = walk, count, stmt.span
        self.builder = walk.builder
        self.undefined: set[str] = set()
        """Values of which only the coefficients are there."""
        self.within: list[Apply] = []
        """The operations whose derivatives are being evaluated."""
        self.met: set[str] = set()
        """The results of those of them that were met again inside."""

    def coefficients(self, stmt: Apply) -> Coefficients:
        """The coefficients of the results; None for zeros.

        Raises NoRule (AG201) where none are known.
        """
        row = TABLE[stmt.op]
        found = [self.walk.dot(a) for a in stmt.args]
        slopes = sum(isinstance(a, Value) and a.name in self.undefined for a in stmt.args)
        if row.kind in ("linear", "structural"):
            if slopes > 1 and row.kind == "linear":
                raise _NotLinear
            return self.linear(row, stmt, found)
        plain = row.series in TOGETHER or (row.series is product and slopes == 1)
        if row.series is not None and (plain or not slopes):
            made = row.series(self.terms(row, stmt, found))
            if made is not None:
                return [self.fitted(self.builder.lower(made), stmt.result)]
        if row.written is not None and not slopes:
            return [self.restated(row, stmt)]
        try:
            return self.piecewise(row, stmt, found)
        except _NotLinear:
            if self.undefined & {a.name for a in stmt.args if isinstance(a, Value)}:
                raise
            return self.by_derivative(row, stmt, found)

    def refuse(self, row: Row, stmt: Apply, why: str) -> NoReturn:
        shown = stmt.option("spelling") or (row.spellings or (row.name,))[0]
        raise NoRule(
            f"no Taylor coefficients of {str(shown).lstrip('.')}: {why}",
            code="AG201",
            span=self.span,
            help="nest tangent(...) for derivatives of low order",
        )

    # Linear operations

    def linear(self, row: Row, stmt: Apply, found: Coefficients) -> Coefficients:
        """All degrees at once."""
        if row.kind == "structural":
            return self.together(row, stmt, found, row.transposes)
        active = [k for k in row.transposes if k < len(found) and found[k] is not None]
        return self.multilinear(row, stmt, found, active)

    def multilinear(
        self, row: Row, stmt: Apply, found: Coefficients, active: Sequence[int]
    ) -> Coefficients:
        """Linear in each of some operands: the products of their degrees."""
        if len(active) > 2:
            self.refuse(row, stmt, "more than two of its factors vary")
        totals: Coefficients = [None] * len(stmt.results)
        for k in active:
            made = self.applied(row, stmt, {k: found[k]})
            totals = [self.added(t, m) for t, m in zip(totals, made, strict=True)]
        if len(active) == 2:
            totals = [self.crossed(row, stmt, found, active, _given(t)) for t in totals]
        return totals

    def added(self, total: Operand | None, made: Operand) -> Operand:
        if total is None:
            return made
        added = self.builder.apply("add", total, made)
        return self.known(added, replace(total.type, dtype=added.type.dtype))

    def together(
        self, row: Row, stmt: Apply, found: Coefficients, places: Iterable[int]
    ) -> Coefficients:
        """Linear in all operands that carry values: constants have zeros."""
        given: dict[int, Operand | None] = {}
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
        self, row: Row, stmt: Apply, found: Coefficients, active: Sequence[int], total: Operand
    ) -> Operand:
        """`y_n += sum(a_i * b_(n-i) for 0 < i < n)`."""
        builder = self.builder
        k = builder.value("", Type("int64"), "n")
        carried = builder.value("", total.type, "cross")
        with builder.block() as made:
            a, b = (builder.apply("load", _given(found[p]), k, index=":_") for p in active)
            b = builder.apply("load", b, index="::-1")
            inner = stmt, {active[0]: a, active[1]: b}
            (parts,) = self.applied(row, *inner, several=k)
            summed = builder.apply("sum", parts, axis=0)
            more = builder.apply("accumulate", carried, summed, k, index="_")
            more = builder.retyped(more, total.type)
        result = builder.value("", total.type, "total")
        one = Const(1, Type("int64"))
        body = Block((carried,), tuple(made), (more,))
        bounds = one, self.count.operand, one
        builder.add(Loop((result,), k, bounds, (total,), body, span=self.span))
        return result

    def applied(
        self, row: Row, stmt: Apply, given: dict[int, Any], several: Operand | None = None
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
        self, row: Row, stmt: Apply, given: dict[int, Any], count: Handle
    ) -> tuple[Operand, ...]:
        """The operation on the coefficients of one degree after the other."""
        builder = self.builder
        types = [self.walk.type(r.type, r.root) for r in stmt.results]

        def one(n: Operand, pattern: str) -> tuple[Value, ...]:
            args, read = list(stmt.args), [n] if pattern == "_" else []
            for k, coefficients in given.items():
                args[k] = builder.apply("load", coefficients, *read, index=pattern)
            return builder.apply_many(stmt.op, *args, **self.settings(row, stmt))

        def put(into: Operand, made: Operand, n: Operand, type: Type) -> Operand:
            return builder.retyped(builder.apply("store", into, made, n, index="_"), type)

        zero, step = Const(0, Type("int64")), Const(1, Type("int64"))
        firsts = one(zero, "0")
        inits = [
            put(self.walk.zeros(f, several=count), f, zero, t)
            for f, t in zip(firsts, types, strict=True)
        ]
        carried = tuple(builder.value("", t, "series") for t in types)
        index = builder.value("", Type("int64"), "n")
        with builder.block() as block:
            made = one(index, "_")
            rows = zip(carried, made, types, strict=True)
            ends = tuple(put(c, m, index, t) for c, m, t in rows)
        results = tuple(builder.value("", t, "series") for t in types)
        body = Block(carried, tuple(block), ends)
        bounds = step, count.operand, step
        builder.add(Loop(results, index, bounds, tuple(inits), body, span=self.span))
        return results

    def settings(self, row: Row, stmt: Apply) -> dict[str, Any]:
        """The options of an operation on coefficients, which are arrays."""
        return {**stmt.settings, **array_spelling(row, stmt)}

    # Rules of rows

    def terms(self, row: Row, stmt: Apply, found: Coefficients) -> Terms:
        builder = self.builder
        rank = stmt.result.type.rank
        if rank is None:
            self.refuse(row, stmt, "the rank of its result is not known")
        coefficients = tuple(
            None if d is None else aligned(builder.handle(d), d.type.rank - 1, rank) for d in found
        )
        handles = tuple(map(builder.handle, stmt.args))
        y = builder.handle(stmt.result)
        return Terms(
            y,
            handles,
            coefficients,
            row.defaults | stmt.settings,
            self.count,
            self.stacked,
            self.through,
        )

    def restated(self, row: Row, stmt: Apply) -> Operand:
        """By the operations that a row stands for."""
        written, builder = row.written, self.builder
        assert written is not None
        args = [builder.handle(a) for a in stmt.args]
        made = self.through(lambda: written(*args, **stmt.settings))
        return self.fitted(made.operand, stmt.result)

    def stacked(self, each: Callable[[Handle], Handle]) -> Handle:
        """What a function gives for 1, 2, ... K, along a first axis."""
        builder = self.builder
        zero, one = Const(0, Type("int64")), Const(1, Type("int64"))
        first = each(builder.handle(one)).operand
        assert isinstance(first, Value)
        type = self.walk.type(first.type, "")
        init = self.walk.zeros(first)
        carried = builder.value("", type, "slopes")
        index = builder.value("", Type("int64"), "n")
        with builder.block() as block:
            order = builder.handle(index) + 1
            made = each(order).operand
            end = builder.retyped(builder.apply("store", carried, made, index, index="_"), type)
        result = builder.value("", type, "slopes")
        body = Block((carried,), tuple(block), (end,))
        bounds = zero, self.count.operand, one
        builder.add(Loop((result,), index, bounds, (init,), body, span=self.span))
        return builder.handle(result)

    def through(self, made: Callable[[], Handle]) -> Handle:
        """The coefficients of what is computed by other operations."""
        with self.builder.block() as block:
            result = made()
        for each in block:
            self.inner(each)
        found = self.walk.dot(result.operand)
        assert found is not None
        return self.builder.handle(found)

    # By the derivative

    def traced(
        self, row: Row, stmt: Apply, dots: Coefficients
    ) -> tuple[list[Stmt], list[Operand | None]]:
        """The derivative of an operation as statements."""
        with self.builder.block() as made, self.builder.called_as(stmt):
            ends = push(_Rule(self.builder), row, stmt, dots)
        return made, ends

    def piecewise(self, row: Row, stmt: Apply, found: Coefficients) -> Coefficients:
        """The derivative applied to the coefficients, where its factors do not vary.

        Raises _NotLinear where they do.
        """
        dots = self.slopes(stmt, found)
        made, ends = self.traced(row, stmt, dots)
        hidden = {d.name for d in dots if isinstance(d, Value)}
        if places := self.itself(made, stmt, dots):
            return self.together(row, stmt, found, places)
        if factors := self.factors(made, stmt, dots):
            return self.multilinear(row, stmt, found, factors)
        coefficients = [d for d in found if d is not None]
        self.undefined |= hidden
        known = dict(zip((d.name for d in dots if d is not None), coefficients, strict=True))
        varying = {a.name for a, d in zip(stmt.args, found, strict=True) if d is not None}
        varying |= {r.name for r in stmt.results}
        with self.builder.block() as block:
            self.walk.dots.update(known)
            for each in made:
                self.factor(each, varying)
            result = [self.ended(e, r) for e, r in zip(ends, stmt.results, strict=True)]
        for each in block:
            self.builder.add(each)
        return result

    def itself(self, made: list[Stmt], stmt: Apply, dots: Coefficients) -> list[int]:
        """The operands that carry values, where the derivative is the operation on all of them."""
        one = next((s for s in made if isinstance(s, Apply) and s.op == stmt.op), None)
        places = [k for k, d in enumerate(dots) if d is not None]
        if one is None or len(one.args) != len(stmt.args) or one.settings != stmt.settings:
            return []
        others = [k for k in range(len(stmt.args)) if k not in places]
        if any(one.args[k] != dots[k] for k in places):
            return []
        zeros = [k for k in others if one.args[k] != stmt.args[k]]
        return places + zeros

    def factors(self, made: list[Stmt], stmt: Apply, dots: Coefficients) -> list[int]:
        """The operands that vary, where the derivative is the operation on one after the other."""
        places = {k for k, d in enumerate(dots) if d is not None}
        seen = set()
        for each in made:
            if not isinstance(each, Apply) or each.op not in (stmt.op, "add"):
                return []
            if each.op == "add":
                continue
            if len(each.args) != len(stmt.args) or each.settings != stmt.settings:
                return []
            other = [k for k, a in enumerate(stmt.args) if each.args[k] != a]
            if len(other) != 1 or each.args[other[0]] != dots[other[0]]:
                return []
            seen.add(other[0])
        return sorted(seen) if seen == places else []

    def ended(self, end: Operand | None, result: Value) -> Operand | None:
        found = None if end is None else self.walk.dot(end)
        if found is None and end is not None and not (isinstance(end, Const) and not end.value):
            if isinstance(end, Const) or end.name in self.undefined:
                raise _NotLinear
            return None
        return None if found is None else self.fitted(found, result)

    def factor(self, stmt: Stmt, varying: set[str]) -> None:
        """A statement of a derivative that is linear in the slopes, or does not vary."""
        if not isinstance(stmt, Apply):
            raise _NotLinear
        row = TABLE[stmt.op]
        names = [a.name if isinstance(a, Value) else "" for a in stmt.args]
        slopes = [k for k, name in enumerate(names) if name in self.undefined]
        carries = row.transposes if row.kind in ("linear", "structural") else range(len(names))
        varies = [k for k in carries if k < len(names) and names[k] in varying]
        differs = row.kind != "constant" and any(r.type.is_differentiable for r in stmt.results)
        if not slopes:
            if varies and differs:
                varying |= {r.name for r in stmt.results}
            self.builder.add(stmt)
            return
        if not differs:
            # Of a slope only its shape is read, which its value has as well.
            raise _NotLinear
        if varies:
            raise _NotLinear
        self.undefined |= {r.name for r in stmt.results}
        if row.series in TOGETHER and any(self.walk.dot(a) is None for a in stmt.args):
            raise _NotLinear
        for result, made in zip(stmt.results, self.coefficients(stmt), strict=True):
            if made is not None:
                self.walk.dots[result.name] = made

    def slopes(self, stmt: Apply, found: Coefficients) -> list[Value | None]:
        """Values that stand for the derivatives of the operands."""
        builder = self.builder
        return [
            None if d is None else builder.value("", replace(a.type, value=None), "slope")
            for a, d in zip(stmt.args, found, strict=True)
        ]

    def by_derivative(self, row: Row, stmt: Apply, found: Coefficients) -> Coefficients:
        """The integral of the derivative, evaluated with coefficients.

        An operation that is met again inside of its own derivative, as a sine in that of a cosine,
        has the coefficients that are known so far.
        """
        if (outer := self.enclosing(stmt)) is not None:
            self.met.add(outer.results[0].name)
            return [self.walk.dot(r) for r in outer.results]
        if len(self.within) > DEEPEST:
            self.refuse(row, stmt, "its derivatives do not come to an end")
        pairs = zip(stmt.args, found, strict=True)
        dots = [None if d is None else self.slope(a, d) for a, d in pairs]
        made, ends = self.traced(row, stmt, dots)
        if not any(r in getattr(s, "args", ()) for s in made for r in stmt.results):
            for r in stmt.results:
                if r.type.is_differentiable:
                    self.walk.dots[r.name] = self.walk.zeros(r)
            with self.builder.block() as block:
                result = self.integrated(made, ends, stmt)
            for r in stmt.results:
                self.walk.dots.pop(r.name, None)
            if stmt.results[0].name not in self.met:
                for each in block:
                    self.builder.add(each)
                return result
        return self.iterated(made, ends, stmt)

    def enclosing(self, stmt: Apply) -> Apply | None:
        """The same operation on the same operands, inside of whose derivative this one stands."""
        same = (
            s
            for s in self.within
            if (s.op, s.args, s.settings) == (stmt.op, stmt.args, stmt.settings)
        )
        return next(same, None)

    def slope(self, arg: Operand, coefficients: Operand) -> Value:
        """The derivative of an operand: its value, and its coefficients."""
        builder = self.builder
        first = builder.apply("load", coefficients, index="0", stem="slope")
        self.walk.dots[first.name] = builder.apply(
            "series_slope", coefficients, stem="slope_series"
        )
        return first

    def integrated(self, made: Sequence[Stmt], ends: Coefficients, stmt: Apply) -> Coefficients:
        """The coefficients of what has this derivative."""
        self.within.append(stmt)
        for each in made:
            self.inner(each)
        self.within.pop()
        return [self.integral(e, r) for e, r in zip(ends, stmt.results, strict=True)]

    def integral(self, end: Operand | None, result: Value) -> Operand | None:
        if end is None or (isinstance(end, Const) and not end.value):
            return None
        rest = self.walk.dot(end)
        rest = self.walk.zeros(result) if rest is None else self.fitted(rest, result)
        made = self.builder.apply("series_integral", end, rest)
        return self.builder.retyped(made, self.walk.type(result.type, result.root))

    def inner(self, stmt: Stmt) -> None:
        """A statement of a derivative, with its coefficients."""
        if not isinstance(stmt, Apply):
            raise NoRule(
                "no Taylor coefficients of a rule with loops", code="AG201", span=self.span
            )
        self.builder.add(stmt)
        if all(self.walk.dot(a) is None for a in stmt.args):
            return
        row = TABLE[stmt.op]
        if row.kind == "constant" or not any(r.type.is_differentiable for r in stmt.results):
            return
        if not row.has_derivative:
            self.refuse(row, stmt, "it stands in a derivative, and has none")
        for result, made in zip(stmt.results, self.coefficients(stmt), strict=True):
            if made is not None:
                self.walk.dots[result.name] = made

    def iterated(self, made: Sequence[Stmt], ends: Coefficients, stmt: Apply) -> Coefficients:
        """The same where the derivative reads the result: each iteration has a degree more."""
        builder = self.builder
        live = [r for r in stmt.results if r.type.is_differentiable]
        types = [self.walk.type(r.type, r.root) for r in live]
        inits = tuple(self.walk.zeros(r) for r in live)
        carried = tuple(builder.value("", t, "series") for t in types)
        for r, c in zip(live, carried, strict=True):
            self.walk.dots[r.name] = c
        with builder.block() as block:
            found = self.integrated(made, ends, stmt)
            by = dict(zip((r.name for r in stmt.results), found, strict=True))
            yields = tuple(by[r.name] or i for r, i in zip(live, inits, strict=True))
        results = tuple(builder.value("", t, "series") for t in types)
        zero, one = Const(0, Type("int64")), Const(1, Type("int64"))
        index = builder.value("", Type("int64"), "n")
        body = Block(carried, tuple(block), yields)
        bounds = zero, self.count.operand, one
        builder.add(Loop(results, index, bounds, inits, body, span=self.span))
        for r in live:
            del self.walk.dots[r.name]
        by_name = {r.name: v for r, v in zip(live, results, strict=True)}
        return [by_name.get(r.name) for r in stmt.results]

    # The type of coefficients

    def fitted(self, made: Operand, result: Value, whole: bool = True) -> Operand:
        """Coefficients that have the type of their result, and an axis more."""
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
                raise _NotLinear
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
        """Coefficients spread over the shape of their result."""
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

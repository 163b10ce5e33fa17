"""Coefficients of operations that follow from their derivatives.

With `y' = rule(y, x, x')`, the coefficients of the right-hand side up to degree n - 1 give that of
`y` of degree n. Where the rule is linear in `x'` with a factor that does not vary, as that of a
maximum, it is applied to the coefficients as they are. Where it reads `y`, it is evaluated K times,
so that K degrees cost K * K * K products. (Griewank and Walther 2008, section 13.3.)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from adjointgen.errors import NoRule
from adjointgen.ir.nodes import Apply, Const, Operand, Stmt, Value
from adjointgen.jets.degrees import Degrees, Dots, NotLinear, Walk
from adjointgen.records import replace
from adjointgen.rules.framework.apply import Pushes, push
from adjointgen.rules.framework.builder import Handle
from adjointgen.rules.framework.contributions import fit_tangent
from adjointgen.rules.framework.series import TOGETHER
from adjointgen.rules.framework.table import TABLE, Row

DEEPEST = 6
"""Derivatives of derivatives, as of hypergeometric functions, have no end."""


class _Rule(Pushes):
    """A derivative as its rule states it."""

    def fit(self, stmt: Apply, dot: Operand) -> Operand:
        return fit_tangent(self.builder, dot, stmt.result, "")


class Derivatives(Degrees, ABC):
    """Operations with a derivative in the coefficients of one statement's results."""

    def __init__(self, walk: Walk, count: Handle, stmt: Apply) -> None:
        super().__init__(walk, count, stmt)
        self.within: list[Apply] = []
        """The operations whose derivatives are being evaluated."""
        self.depth = 0
        self.met: set[str] = set()
        """The results of those of them that were met again inside."""

    @abstractmethod
    def coefficients(self, stmt: Apply) -> Dots:
        """The coefficients of the results of an operation."""

    def traced(
        self, row: Row, stmt: Apply, dots: Sequence[Operand | None]
    ) -> tuple[list[Stmt], list[Operand | None]]:
        """The derivative of an operation as statements."""
        with self.builder.block() as made, self.builder.called_as(stmt):
            ends = push(_Rule(self.builder), row, stmt, dots)
        return made, ends

    def piecewise(self, row: Row, stmt: Apply, found: Dots) -> Dots:
        """The derivative applied to the coefficients, where its factors do not vary.

        Raises NotLinear where they do.
        """
        dots = self.slopes(stmt, found)
        made, ends = self.traced(row, stmt, dots)
        hidden = {d.name for d in dots if isinstance(d, Value)}
        if places := self.itself(made, stmt, dots):
            return self.together(row, stmt, found, places)
        if factors := self.factors(made, stmt, dots):
            return self.multilinear(row, stmt, found, factors)
        self.undefined |= hidden
        known = {d.name: c for d, c in zip(dots, found, strict=True) if isinstance(d, Value) and c}
        pairs = zip(stmt.args, found, strict=True)
        varying = {a.name for a, d in pairs if isinstance(a, Value) and d is not None}
        varying |= {r.name for r in stmt.results}
        with self.builder.block() as block:
            self.walk.dots.update(known)
            for each in made:
                self.factor(each, varying)
            result = [self.ended(e, r) for e, r in zip(ends, stmt.results, strict=True)]
        for each in block:
            self.builder.add(each)
        return result

    def itself(self, made: list[Stmt], stmt: Apply, dots: Sequence[Operand | None]) -> list[int]:
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

    def factors(self, made: list[Stmt], stmt: Apply, dots: Sequence[Operand | None]) -> list[int]:
        """The operands that vary, where the derivative is the operation on one after the other."""
        places = {k for k, d in enumerate(dots) if d is not None}
        seen = set()
        for each in made:
            if not isinstance(each, Apply):
                return []
            if TABLE[each.op].series in TOGETHER:
                continue
            if (
                each.op != stmt.op
                or len(each.args) != len(stmt.args)
                or each.settings != stmt.settings
            ):
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
                raise NotLinear
            return None
        return None if found is None else self.fitted(found, result)

    def factor(self, stmt: Stmt, varying: set[str]) -> None:
        """A statement of a derivative that is linear in the slopes, or does not vary."""
        if not isinstance(stmt, Apply):
            raise NotLinear
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
            raise NotLinear
        if varies:
            raise NotLinear
        self.undefined |= {r.name for r in stmt.results}
        if row.series in TOGETHER and any(self.walk.dot(a) is None for a in stmt.args):
            raise NotLinear
        for result, made in zip(stmt.results, self.coefficients(stmt), strict=True):
            if made is not None:
                self.walk.dots[result.name] = made

    def slopes(self, stmt: Apply, found: Dots) -> list[Value | None]:
        """Values that stand for the derivatives of the operands."""
        builder = self.builder
        return [
            None if d is None else builder.value("", replace(a.type, value=None), "slope")
            for a, d in zip(stmt.args, found, strict=True)
        ]

    def by_derivative(self, row: Row, stmt: Apply, found: Dots) -> Dots:
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

    def integrated(self, made: Sequence[Stmt], ends: Dots, stmt: Apply) -> Dots:
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

    def iterated(self, made: Sequence[Stmt], ends: Dots, stmt: Apply) -> Dots:
        """The same where the derivative reads the result: each iteration has a degree more."""
        live = [r for r in stmt.results if r.type.is_differentiable]
        types = [self.walk.type(r.type, r.root) for r in live]
        inits = [self.walk.zeros(r) for r in live]

        def step(n: Value, carried: Sequence[Value]) -> list[Operand]:
            self.walk.dots.update({r.name: c for r, c in zip(live, carried, strict=True)})
            found = dict(zip(stmt.results, self.integrated(made, ends, stmt), strict=True))
            return [found[r] or i for r, i in zip(live, inits, strict=True)]

        results = self.loop(0, self.count, inits, types, step)
        for r in live:
            del self.walk.dots[r.name]
        by_name = dict(zip(live, results, strict=True))
        return [by_name.get(r) for r in stmt.results]

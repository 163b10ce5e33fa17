"""The coefficients of one operation's results, from those of its operands.

Linear operations act on each degree (`degrees.py`). Other rows have a rule of their own, the field
`series`, or follow from their derivatives (`derivatives.py`). (Griewank and Walther 2008, chapter
13.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.ir.nodes import Apply, Const, Operand, Value
from adjointgen.ir.types import INT
from adjointgen.jets.degrees import Dots, NotLinear
from adjointgen.jets.derivatives import Derivatives
from adjointgen.rules.framework.batching import aligned
from adjointgen.rules.framework.builder import Handle
from adjointgen.rules.framework.series import TOGETHER, Terms, product
from adjointgen.rules.framework.table import TABLE, Row

RECURSION = 40
"""Derivatives that are stated in terms of derivatives, at most."""


class Propagation(Derivatives):
    """The coefficients of the results of one statement of the user's."""

    def coefficients(self, stmt: Apply) -> Dots:
        """The coefficients of the results; None for zeros.

        Raises NoRule (AG201) where none are known.
        """
        row = TABLE[stmt.op]
        found = [self.walk.dot(a) for a in stmt.args]
        if row.first_order and any(found):
            self.refuse(row, stmt, "it is stated for one derivative")
        slopes = sum(isinstance(a, Value) and a.name in self.undefined for a in stmt.args)
        if row.kind in ("linear", "structural"):
            if slopes > 1 and row.kind == "linear":
                raise NotLinear
            return self.linear(row, stmt, found)
        plain = row.series in TOGETHER or (row.series is product and slopes == 1)
        if row.series is not None and (plain or not slopes):
            made = row.series(self.terms(row, stmt, found))
            if made is not None:
                return [self.fitted(self.builder.lower(made), stmt.result)]
        self.depth += 1
        try:
            if self.depth > RECURSION:
                raise NotLinear
            return self.piecewise(row, stmt, found)
        except NotLinear:
            if self.undefined & {a.name for a in stmt.args if isinstance(a, Value)}:
                raise
            return self.by_derivative(row, stmt, found)
        finally:
            self.depth -= 1

    def terms(self, row: Row, stmt: Apply, found: Dots) -> Terms:
        builder = self.builder
        rank = stmt.result.type.rank
        if rank is None:
            self.refuse(row, stmt, "the rank of its result is not known")
        coefficients = tuple(
            None if d is None else aligned(builder.handle(d), (d.type.rank or 1) - 1, rank)
            for d in found
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

    def stacked(self, each: Callable[[Any], Any]) -> Handle:
        """What a function gives for 1, 2, ... K, along a first axis."""
        builder = self.builder
        first = builder.lower(each(builder.handle(Const(1, INT))))
        type = self.walk.type(first.type, "")

        def step(n: Value, carried: Sequence[Value]) -> list[Operand]:
            order = builder.handle(builder.apply("add", n, Const(1, INT)))
            made = builder.lower(each(order))
            stored = builder.apply("store", carried[0], made, n, index="_")
            return [builder.retyped(stored, type)]

        (result,) = self.loop(0, self.count, [self.walk.zeros(first)], [type], step)
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

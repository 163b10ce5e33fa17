"""The comparisons of lengths that loop nests of a function would have, without the nests.

    y = x + w       with x: float64[x.0], w: float64[w.0]       ->      x.0 = w.0

Making the nests takes most of the time that a compiled program takes to be generated; which lengths
they compare follows from the types, and is asked before (`api/specialize/settle.py`).
"""

from __future__ import annotations

from adjointgen.analysis.values.maybe_undefined import undefined
from adjointgen.ir.nodes import NESTED, Apply, Block, Function, results_of
from adjointgen.ir.types import Dim
from adjointgen.rules.framework.builder import Builder, Names
from adjointgen.targets.loops.build.expand_unsupported import spelled_out
from adjointgen.targets.loops.build.mask_lowering import without_masks
from adjointgen.targets.loops.lower import Lowering


def comparisons(function: Function) -> int:
    """How many pairs of lengths would be compared."""
    builder = Builder(Names.of(function))
    function = spelled_out(without_masks(function, builder), builder)
    work = _Comparing(builder, frozenset())
    with builder.block():
        for param in function.body.params:
            work.lengths.measure(param)
        work.shapes.loose |= undefined(function.body)
        work.measures.read(function.body)
        work.block(function.body, frozenset())
    return work.found


class _Comparing(Lowering):
    """The walk over the blocks that makes nothing."""

    found = 0

    def block(self, block: Block, owned: frozenset[str]) -> Block:
        known = dict(self.lengths.known)
        kinds = self.kinds(block)
        self.lengths.known = dict(known)
        with self.builder.block():
            for param in block.params:
                self.lengths.measure(param)
            for kind, stmt in zip(kinds, block.stmts, strict=True):
                if isinstance(stmt, NESTED):
                    self.nested(stmt)
                elif isinstance(stmt, Apply) and kind != "other":
                    self.found += self.compared(stmt)
                for value in results_of(stmt):
                    self.lengths.measure(value)
        self.lengths.known = known
        return block

    def compared(self, stmt: Apply) -> int:
        """How many lengths meet in a statement of which nothing says that they are equal."""
        self.lengths.reckon(self.shapes.of(stmt.result))
        pairs = self.shapes.meeting.get(stmt.result.name, ())
        return sum(self.differ(one, other) for one, other in pairs)

    def differ(self, one: Dim, other: Dim) -> bool:
        """Whether it would be compared if two lengths are equal.

        Before a sweep is closed it is not known where slices end; the same ends leave as much.
        """
        if "[" in one.symbol + other.symbol:
            (axis, _, ends), (beside, _, others) = (
                dim.symbol.partition("[") for dim in (one, other)
            )
            return ends == others and axis != beside
        known = self.lengths.has(one) and self.lengths.has(other)
        return not known or self.lengths.operand(one) != self.lengths.operand(other)

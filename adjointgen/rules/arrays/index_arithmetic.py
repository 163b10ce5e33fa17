"""Places in arrays: sums of whole numbers, loop indices and lengths; and the indices named.

2 * i + n - 1          terms (2, i), (1, n), offset -1
"""

from __future__ import annotations

from collections.abc import Sequence

from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.records import dataclass
from adjointgen.rules.arrays.indexing import Slot, parse_index
from adjointgen.rules.framework.builder import Builder, const


@dataclass(frozen=True, slots=True)
class Place:
    """A whole number: `sum(factor * term) + offset`."""

    terms: tuple[tuple[int, Value], ...] = ()
    offset: int = 0

    def __add__(self, other: Place | int) -> Place:
        if isinstance(other, int):
            return Place(self.terms, self.offset + other)
        factors = dict[Value, int]()
        for factor, term in (*self.terms, *other.terms):
            factors[term] = factors.get(term, 0) + factor
        terms = tuple((f, t) for t, f in factors.items() if f)
        return Place(terms, self.offset + other.offset)

    def times(self, factor: int) -> Place:
        return Place(tuple((f * factor, t) for f, t in self.terms), self.offset * factor)


def axis_by_axis(index: str, numbers: Sequence[Operand]) -> list[Operand] | None:
    """The indices that an index names, one for each axis; None where it has a slice or the like."""
    items = parse_index(index)
    if not all(isinstance(item, Slot | int) for item in items):
        return None
    return [
        numbers[item.number] if isinstance(item, Slot) else const(item)
        for item in items
        if isinstance(item, Slot | int)
    ]


def place(operand: Operand) -> Place:
    """The place that an operand denotes."""
    if isinstance(operand, Const):
        assert isinstance(operand.value, int)
        return Place((), operand.value)
    return Place(((1, operand),))


def written(builder: Builder, at: Place) -> Operand:
    """The statements that compute a place, as they would be written: `i + 1`, `n - 1 - i`."""
    ordered = sorted(at.terms, key=lambda term: term[0] < 0)
    found: Operand | None = None
    offset = at.offset
    for factor, term in ordered:
        scaled: Operand = term
        if abs(factor) != 1:
            scaled = builder.apply("mul", const(abs(factor)), term)
        if found is None:
            found = scaled if factor > 0 else None
            if found is None:
                found, offset = builder.apply("sub", const(offset), scaled), 0
        else:
            if offset and factor < 0:
                found, offset = _plus(builder, found, offset), 0
            found = builder.apply("add" if factor > 0 else "sub", found, scaled)
    return const(offset) if found is None else _plus(builder, found, offset)


def _plus(builder: Builder, operand: Operand, offset: int) -> Operand:
    if not offset:
        return operand
    op = "add" if offset > 0 else "sub"
    return builder.apply(op, operand, const(abs(offset)))

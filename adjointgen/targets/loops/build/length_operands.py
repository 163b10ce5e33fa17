"""The operands that tell how long an axis is, by the symbol of its length.

Those of the arguments are read where the program begins; what a statement makes is measured after
it. What is not needed is removed later.
"""

from __future__ import annotations

from collections.abc import Iterable

from adjointgen.ir.nodes import Const, Operand, Value
from adjointgen.ir.types import Dim
from adjointgen.targets.loops.build.axis_lengths import Shapes
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.arrays.index_arithmetic import Place, place, written


class Lengths:
    """`known` maps a symbol to an operand that is `offset` more than it."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.shapes = Shapes()
        self.lengths: set[str] = set()
        """The numbers that are lengths of arrays."""
        self.known: dict[str, tuple[Value, int]] = {}

    def has(self, dim: Dim | None) -> bool:
        if dim is None or not dim.symbol or dim.symbol in self.known:
            return dim is not None
        form = self.shapes.reckoned.sums.get(dim.symbol)
        if form is None:
            return False
        return all(n[1:] in self.known for n, _ in form.terms if n.startswith("$"))

    def operand(self, dim: Dim) -> Operand:
        """The operand for a length, computed if need be. Raises KeyError."""
        if not dim.symbol:
            return const(dim.offset)
        if dim.symbol not in self.known:
            return written(self.builder, self.summed(dim))
        known, offset = self.known[dim.symbol]
        return written(self.builder, place(known) + (dim.offset - offset))

    def summed(self, dim: Dim) -> Place:
        """A length that is a sum. Raises KeyError where it is none."""
        reckoned = self.shapes.reckoned
        found = Place((), dim.offset)
        for name, factor in reckoned.sums[dim.symbol].terms:
            if name.startswith("$"):
                known, offset = self.known[name[1:]]
                found += (place(known) + -offset).times(factor)
            else:
                found += place(reckoned.values[name]).times(factor)
        return found

    def size(self, dim: Dim) -> Operand:
        """The length of a new array: where slices leave out more than there is, it is empty."""
        found = self.operand(dim)
        return self.not_negative(found) if dim.symbol and dim.offset < 0 else found

    def not_negative(self, number: Operand) -> Operand:
        """A number, or 0 where it is negative; lengths are not."""
        if isinstance(number, Const):
            return const(max(0, int(str(number.value))))
        if number.name in self.lengths:
            return number
        return self.builder.apply("max", number, const(0))

    def measure(self, value: Value) -> None:
        """The lengths that a value tells and nothing else has told."""
        type = value.type
        if type.is_scalar:
            if type.value is not None and type.value.symbol:
                self.known.setdefault(type.value.symbol, (value, type.value.offset))
        elif type.is_array and type.rank:
            self.state(value, self.shapes.of(value))

    def state(self, array: Value, dims: tuple[Dim, ...]) -> None:
        """The lengths of an array in memory, where nothing else has told them."""
        self.reckon(dims)
        for axis, dim in enumerate(dims):
            if dim.symbol and dim.symbol not in self.known:
                length = self.builder.apply("dim", array, root="n", axis=axis)
                self.lengths.add(length.name)
                self.known[dim.symbol] = (length, dim.offset)

    def reckon(self, dims: Iterable[Dim]) -> None:
        """Compute the lengths that are sums, once."""
        for dim in dims:
            if dim.symbol and dim.symbol not in self.known and self.has(dim):
                length = written(self.builder, self.summed(dim))
                if isinstance(length, Value):
                    self.lengths.add(length.name)
                    self.known[dim.symbol] = (length, dim.offset)

    def promised(self, value: Value) -> None:
        """What will be known when a value is defined; for planning only."""
        own = (value.type.value,) if value.type.is_scalar else self.shapes.of(value)
        for dim in own:
            if dim is not None and dim.symbol:
                self.known.setdefault(dim.symbol, (value, dim.offset))

"""Lengths as a called function sees them, and back.

Inside, an axis is named after the first parameter that has it: the caller's `u.0` is `p.0`, and
stays one name however many arguments share it. A name that ends in an axis says that the length is
never 1, which must be so for the caller's own; other lengths get a name that says nothing.
"""

from __future__ import annotations

from adjointgen.ir.types import Dim, Type, never_one
from adjointgen.records import dataclass, field, replace


@dataclass(slots=True)
class Symbols:
    """`inner` maps the caller's symbols to lengths inside, `outer` symbols inside to lengths."""

    inner: dict[str, Dim] = field(default_factory=dict)
    outer: dict[str, Dim] = field(default_factory=dict)

    def inside(self, name: str, type: Type) -> Type:
        """The type of an argument as that of the parameter `name`."""
        shape = type.shape
        if shape is not None:
            shape = tuple(self._into(d, f"{name}.{k}", f"{name}_{k}") for k, d in enumerate(shape))
        value = type.value
        if value is not None or type == Type("int64"):
            value = self._into(value or Dim(f"?{name}"), name, name)
        return replace(type, shape=shape, value=value)

    def _into(self, dim: Dim | None, axis: str, plain: str) -> Dim | None:
        if dim is None or not dim.symbol:
            return dim
        known = self.inner.get(dim.symbol)
        if known is not None:
            return known + dim.offset
        symbol = axis if never_one(dim) else plain
        self.inner[dim.symbol] = Dim(symbol, -dim.offset)
        self.outer[symbol] = dim
        return Dim(symbol)

    def outside(self, type: Type) -> Type:
        """The type of a result as the caller sees it; what only the function knows is unknown."""
        shape = type.shape
        if shape is not None:
            shape = tuple(map(self._out, shape))
        return replace(type, shape=shape, value=self._out(type.value))

    def _out(self, dim: Dim | None) -> Dim | None:
        if dim is None or not dim.symbol:
            return dim
        known = self.outer.get(dim.symbol)
        if known is None or known.symbol.startswith("?"):
            return None
        return known + dim.offset

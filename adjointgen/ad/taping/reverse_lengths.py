"""Lengths of forward values, asked of what the reverse sweep holds.

    n = dim(a)            becomes   n = dim(b)
    t = zeros_like(a)     becomes   t = zeros_like(b)

for a forward value `a` of the block at hand and a `b` in scope of which the type says the same
lengths. Without this, `record` would keep `a`, or its length, in every iteration for its shape.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set

from adjointgen.analysis.values.maybe_undefined import shape_read
from adjointgen.ir.edit import with_simple
from adjointgen.ir.nodes import Apply, Block, Operand, Stmt, Value
from adjointgen.ir.types import Dim
from adjointgen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Held:
    """The arrays that may be asked for a shape; those that are `shapeless` may not be defined.

    Where an array that may not be defined is needed, its adjoint will do, which has a shape
    where it has.
    """

    values: tuple[Value, ...]
    shapeless: Set[str]

    def instead(self, operand: Operand) -> Iterator[Value]:
        """What may stand for a value that is only measured."""
        bar = None
        if isinstance(operand, Value) and operand.name in self.shapeless:
            bar = f"{operand.root}_bar" if operand.root else ""
        for value in self.values:
            if value.name not in self.shapeless or value.root == bar:
                yield value

    def axis(self, length: Dim) -> tuple[Value, int] | None:
        """An axis that is a known number of entries longer or shorter than a length."""
        for value in self.values:
            is_array = value.type.is_array and value.name not in self.shapeless
            for k, dim in enumerate(value.type.shape or ()) if is_array else ():
                if length.symbol and dim is not None and dim.symbol == length.symbol:
                    return value, k
        return None


def measured(stmt: Apply, needed: Collection[str], held: Held) -> Apply:
    """The statement with a needed value that is only measured replaced by one that is held."""
    if stmt.op == "dim":
        return _length(stmt, needed, held)
    place = shape_read(stmt.op)
    if place is None or not _is_needed(stmt.args[place], needed):
        return stmt
    like = _like(stmt.args[place], held)
    if like is None:
        return stmt
    return replace(stmt, args=(*stmt.args[:place], like, *stmt.args[place + 1 :]))


def measured_in(block: Block, needed: Collection[str], held: Held) -> Block:
    """The same for all statements of a block, those inside it too."""

    def statement(stmt: Stmt) -> Stmt:
        return measured(stmt, needed, held) if isinstance(stmt, Apply) else stmt

    return with_simple(block, statement)


def _is_needed(operand: Operand, needed: Collection[str]) -> bool:
    return isinstance(operand, Value) and operand.name in needed


def _length(stmt: Apply, needed: Collection[str], held: Held) -> Apply:
    wanted = stmt.result.type.value
    if wanted is None or not _is_needed(stmt.args[0], needed):
        return stmt
    for value in held.instead(stmt.args[0]):
        axis = _axis(value, wanted)
        if axis is not None:
            return replace(stmt, args=(value,), options=(("axis", axis),))
    return stmt


def _axis(value: Value, length: Dim) -> int | None:
    """The axis of an array that has a length."""
    shape = value.type.shape
    return shape.index(length) if value.type.is_array and shape and length in shape else None


def _like(operand: Operand, held: Held) -> Value | None:
    """An array of exactly the type of another, all its lengths known."""
    shape = operand.type.shape
    if shape is None or None in shape or not operand.type.is_array:
        return None
    return next((v for v in held.instead(operand) if v.type == operand.type), None)

"""The part of an axis along which the iterations of a loop go: `range(1, n)` is `1:n`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from adjointgen.analysis.loops.loop_matmuls import Run
from adjointgen.analysis.loops.outer_product_sums import Piece
from adjointgen.ir.nodes import Apply, Const, Loop, Operand, Value
from adjointgen.ir.types import Dim
from adjointgen.records import dataclass
from adjointgen.rules.framework.builder import Builder, const

Makers = Mapping[str, Apply]
"""The statements that define values."""
WHOLE: Piece = (":", ())


@dataclass(frozen=True, slots=True)
class Bound:
    """A whole number: an operand and some more."""

    operand: Operand
    more: int

    @property
    def dim(self) -> Dim | None:
        known = self.operand.type.value
        return None if known is None else known + self.more

    def beyond(self, by: int) -> Bound:
        return Bound(self.operand, self.more + by)

    def made(self, builder: Builder, makers: Makers) -> Operand:
        """The number; `n - 2` and one more is `n - 1`."""
        found = makers.get(self.operand.name) if isinstance(self.operand, Value) else None
        match self.operand, found:
            case Const(value=int(value)), _:
                return const(value + self.more)
            case _, Apply(op="add" | "sub" as op, args=(inner, Const(value=int(far)))) if self.more:
                return Bound(inner, self.more + (far if op == "add" else -far)).made(
                    builder, makers
                )
        if self.more:
            op = "add" if self.more > 0 else "sub"
            return builder.apply(op, self.operand, const(abs(self.more)))
        return self.operand

    def before(self, builder: Builder, makers: Makers, place: Operand) -> Operand:
        """How far a place is beyond the bound."""
        low = self.made(builder, makers)
        return place if low == const(0) else builder.apply("sub", place, low)


def ends(loop: Loop) -> tuple[Bound, Bound]:
    """The least index of a loop that counts by one, up or down, and the end of its range."""
    start, stop, step = loop.bounds
    if step == const(1):
        return Bound(start, 0), Bound(stop, 0)
    return Bound(stop, 1), Bound(start, 1)


def reach(builder: Builder, makers: Makers, run: Run, dim: Dim | None) -> Piece:
    """The slice of an axis of some length through which a loop goes."""
    low, high = (end.beyond(run.offset) for end in ends(run.loop))
    first, last = low.made(builder, makers), None
    if dim is None or high.dim != dim:
        last = high.made(builder, makers)
        if not _is_place(high.dim, dim):
            # Counted from the end, what is negative would not be empty.
            last = builder.apply("max", last, const(0))
    begin, start = _end(None if first == const(0) else first)
    end, stop = _end(last)
    return f"{begin}:{end}", (*start, *stop)


def _end(operand: Operand | None) -> tuple[str, tuple[Operand, ...]]:
    """The text of the end of a slice, with its operands."""
    match operand:
        case None:
            return "", ()
        case Const(value=int(value)):
            return str(value), ()
    return "_", (operand,)


def _is_place(end: Dim | None, length: Dim | None) -> bool:
    """Whether a slice ends where it says: what is one or two before the end of an axis that is too
    short leaves nothing."""
    if end is None or end.offset >= 0:
        return end is not None and (not end.symbol or "." in end.symbol)
    return length is not None and end.symbol == length.symbol and length.offset - end.offset <= 2


def joined(pieces: Iterable[Piece]) -> tuple[str, tuple[Operand, ...]]:
    """The index of an array, by those of its axes; the last ones that are whole are left out."""
    kept = list(pieces)
    while len(kept) > 1 and kept[-1] == WHOLE:
        kept.pop()
    return ", ".join(text for text, _ in kept), tuple(o for _, at in kept for o in at)

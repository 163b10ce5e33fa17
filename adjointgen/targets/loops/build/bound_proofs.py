"""Lengths of slices, where the bounds of loops prove how long they are.

    for w in range(2):
        a[w:]             3 - w entries, of an axis of 3
        a[: 3 - w]        as many

A bound counts from the start of an axis if it is not negative, and is where the slice ends if it is
not beyond the end. Where that is proved, the length is a sum, which needs no measuring, and equal
sums are equal lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjointgen.ir.affine import Affine, Forms, least, of_dim
from adjointgen.ir.nodes import Apply, Loop, Operand, Stmt, Value, operands_of, results_of
from adjointgen.ir.types import Dim
from adjointgen.rules.arrays.indexing import Slice, Slot

Range = tuple[Affine | None, Affine | None]


class Reckoned:
    """The lengths that are sums, by their symbols, and what is known of whole numbers in scope."""

    def __init__(self) -> None:
        self.makers: dict[str, Apply] = {}
        self.values: dict[str, Value] = {}
        self.box: dict[str, Range] = {}
        self.sums: dict[str, Affine] = {}
        self.forms = Forms(self.makers, frozenset(), frozenset())

    def note(self, stmt: Stmt) -> None:
        """A statement that is in scope from here on."""
        if isinstance(stmt, Apply) and len(stmt.results) == 1:
            self.makers[stmt.result.name] = stmt
        self.see((*operands_of(stmt), *results_of(stmt)))

    def see(self, operands: Iterable[Operand]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and operand.type.is_scalar:
                self.values[operand.name] = operand

    def enter(self, loop: Loop) -> None:
        """A loop around what follows, until it is left."""
        self.see((loop.index, *loop.bounds))
        bounds = self.forms.bounds(loop)
        self.box[loop.index.name] = (bounds.low, bounds.high)

    def leave(self, loop: Loop) -> None:
        del self.box[loop.index.name]

    def left(self, dim: Dim, item: Slice, numbers: Sequence[Operand]) -> Dim | None:
        """The length that a slice leaves of an axis, where it is certain."""
        if item.step not in (None, 1):
            return None
        end = self.form(dim)
        low, high = self.end(item.start, Affine(0), end, numbers), None
        if low is not None:
            high = self.end(item.stop, end, end, numbers)
        if low is None or high is None or end is None:
            return None
        proved = all(self.is_count(form) for form in (low, high - low, end - high))
        return self.stated(high - low) if proved else None

    def end(
        self, end: int | Slot | None, none: Affine, axis: Affine, numbers: Sequence[Operand]
    ) -> Affine | None:
        match end:
            case None:
                return none
            case int():
                return axis + Affine(end) if end < 0 else Affine(end)
            case Slot(number=number) if numbers[number].type.is_scalar:
                return self.forms.of(numbers[number])
        return None

    def form(self, dim: Dim) -> Affine:
        """A length as a sum."""
        if dim.symbol in self.sums:
            return self.sums[dim.symbol] + Affine(dim.offset)
        return of_dim(dim)

    def counts(self, number: Operand) -> bool:
        """Whether a number is certainly not negative."""
        if number.type.dtype != "int64" or not number.type.is_scalar:
            return False
        form = self.forms.of(number)
        return form is not None and self.is_count(form)

    def is_count(self, form: Affine) -> bool:
        found = least(form, self.box)
        return found is not None and found >= 0

    def stated(self, form: Affine) -> Dim | None:
        """A sum as a length: the same for equal sums."""
        if not form.terms:
            return Dim("", form.constant)
        if len(form.terms) == 1 and form.terms[0][0].startswith("$") and form.terms[0][1] == 1:
            return Dim(form.terms[0][0][1:], form.constant)
        if not all(name.startswith("$") or name in self.values for name, _ in form.terms):
            return None
        symbol = "".join(f"{factor:+d}*{name}" for name, factor in form.terms)
        self.sums[symbol] = Affine(0, form.terms)
        return Dim(symbol, form.constant)

"""Values that have a narrower dtype on some paths: `t = 0 if x < 1.0 else x` may be an integer.

Where an integer meets a float the value has the type of the float, which is what is computed with
from there on. NumPy asks the value itself: `np.full(3, t)` is an array of integers on one of the
paths, and what is written into that loses its fraction. So the dtype that a value may have instead
goes with it, from operands to results, and a write that is not the same in both is refused.

The root of a real matrix counts as complex, and may be real: there the values decide.

A list may be all integers where each of its entries may be one. The entries of an empty list are of
no dtype, an empty text: what it gets decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from adjointgen.ir.nodes import UNDEFINED, WRITES, Const, Operand, Value
from adjointgen.ir.types import COMPLEX, DTYPES, INTEGER, PART_OF, REAL, Type, castable
from adjointgen.records import dataclass, field
from adjointgen.rules.framework.table import Row

EMPTY: Final = ""
_WIDTHS = tuple(reversed((*COMPLEX, *REAL, *INTEGER)))


@dataclass(slots=True)
class Narrower:
    """The dtypes that values may have instead of their own, by name.

    A list of floats that got an integer still holds one there: where a list `mixes` them, nothing
    tells which of its `entries` are integers.
    """

    dtypes: dict[str, str] = field(default_factory=dict)
    entries: dict[str, bool] = field(default_factory=dict)
    mixes: bool = False

    def of(self, operand: Operand) -> str:
        """The narrowest dtype that an operand may have."""
        own = operand.type.dtype
        return self.dtypes.get(operand.name, own) if isinstance(operand, Value) else own

    def note(self, value: Operand, dtype: str | None) -> None:
        """Say of a value which dtype it may have instead, if any."""
        if dtype is not None and isinstance(value, Value):
            self.dtypes[value.name] = dtype

    def hand_on(self, source: Operand, value: Value) -> None:
        """Say of a value what is said of another."""
        if isinstance(source, Value):
            self.note(value, self.dtypes.get(source.name))

    def is_noted(self, operand: Operand) -> bool:
        """Whether something is said of an operand."""
        return isinstance(operand, Value) and operand.name in self.dtypes

    def may_be_whole(self, operand: Operand) -> bool:
        """Whether this may be an integer where it counts as another number."""
        mixed = self.mixes and operand.type.dtype in (*REAL, *COMPLEX)
        entry = isinstance(operand, Value) and operand.name in self.entries
        return self.is_noted(operand) or (mixed and entry)

    def put(self, held: Operand, new: Operand) -> None:
        """Note that a list gets an entry."""
        known = self.of(held) != EMPTY and new.type.kind == "scalar"
        self.mixes |= known and held.type.dtype != new.type.dtype

    def meet(self, result: Operand, *operands: Operand) -> None:
        """Note what is said of a value that is one of these, depending on the path."""
        there = (o for o in operands if not (isinstance(o, Const) and o.value == UNDEFINED))
        self.note(result, narrowest(result.type, [self.of(o) for o in there]))

    def follow(
        self,
        row: Row,
        args: Sequence[Operand],
        options: Mapping[str, Any],
        results: Sequence[Value],
    ) -> None:
        """Note which results of an operation may have a narrower dtype."""
        found: Iterable[str | None] = ()
        if row.name == "load" and args[0].type.kind == "list":
            self.entries |= dict.fromkeys((result.name for result in results), True)
        if row.name in WRITES and args[0].type.kind == "list" and len(args) > 1:
            found = (self._gathered(args[0], args[1]),)
        elif any(map(self.is_noted, args)):
            found = self._followed(row, args, options, results)
        if row.perhaps_real and not any(self.of(a) in COMPLEX for a in args):
            found = (PART_OF.get(result.type.dtype) for result in results)
        for result, dtype in zip(results, found, strict=False):
            self.note(result, dtype)

    def _gathered(self, held: Operand, new: Operand) -> str | None:
        """The narrower dtype of a list that has got another entry."""
        before, own = self.of(held), self.of(new)
        if held.type.dtype in (before, own):
            return None
        return own if before == EMPTY else min(before, own, key=_WIDTHS.index)

    def _followed(
        self,
        row: Row,
        args: Sequence[Operand],
        options: Mapping[str, Any],
        results: Sequence[Value],
    ) -> Iterator[str | None]:
        """The narrower dtype of each result; None where it has its own in any case."""
        dtypes = [self.of(a) or a.type.dtype for a in args]
        found = row.dtypes_for([a.type for a in args], dtypes, options)
        for dtype, result in zip(found, results, strict=False):
            yield dtype if dtype != result.type.dtype and dtype in DTYPES else None

    def fault(self, operand: Operand, written: str = "") -> str:
        """What speaks against asking an operand for its dtype, or writing another one into it.

        A dtype that is `written` may be one that all of them hold.
        """
        found = self.dtypes.get(operand.name) if isinstance(operand, Value) else None
        if not found or (written and castable(written, found)):
            return ""
        name = getattr(operand, "root", "") or "this"
        return f"{name} may be of {found} here, or of {operand.type.dtype}"


def narrowest(type: Type, dtypes: Collection[str]) -> str | None:
    """The narrowest of the dtypes that a value of this type may have; None if that is its own."""
    if dtypes and not any(dtypes):
        return EMPTY
    return min(({*dtypes} - {type.dtype}) & DTYPES, key=_WIDTHS.index, default=None)

"""The lengths of every array of known rank: symbols where types say nothing.

A length that only the running program knows has a symbol of its own, `t_4:0`, which is measured
where the array is defined. Where two lengths meet in one operation and nothing says that they are
equal, the program checks that they are: compiled programs do not repeat an axis that happens to
have length 1 where another length was to be expected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from adjointgen.ir.nodes import STORES, Apply, Const, Operand, Value
from adjointgen.ir.types import Dim
from adjointgen.targets.loops.build.einsum_letters import letters
from adjointgen.targets.loops.build.entry_expressions import filled, margins, order_of
from adjointgen.rules.framework.table import TABLE
from adjointgen.targets.loops.build.bound_proofs import Reckoned
from adjointgen.rules.arrays.indexing import Item, NewAxis, Slice, Slot, numbers_of
from adjointgen.rules.framework.type_rules import axes_of

Lengths = tuple[Dim, ...]
Meeting = tuple[Dim, Dim]
ONE = Dim("", 1)


class Shapes:
    """The lengths of arrays by name, and which lengths meet in a statement, by its result."""

    def __init__(self) -> None:
        self.known: dict[str, Lengths] = {}
        self.reckoned = Reckoned()
        self.meeting: dict[str, list[Meeting]] = {}
        self.loose: set[str] = set()
        """Arrays that may be a number instead, on some path."""
        self.letters: dict[str, dict[str, Dim]] = {}
        self.telling: set[str] = set()
        """The arrays of which a length is known only once they are there."""

    def of(self, operand: Operand) -> Lengths:
        """The lengths of an operand; a number has none."""
        if isinstance(operand, Value):
            if operand.name in self.known:
                return self.known[operand.name]
            if operand.name in self.loose:
                return ()
            return _own(operand)
        return tuple(d for d in operand.type.shape or () if d is not None)

    def is_loose(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand.name in self.loose

    def meet(self, value: Value, others: Iterable[Operand]) -> None:
        """Note an array that is what one of the others is, of which some are numbers."""
        if not value.type.is_scalar and any(_number(o) or self.is_loose(o) for o in others):
            self.loose.add(value.name)

    def define(self, value: Value, lengths: Lengths | None = None) -> None:
        """State the lengths of a new value."""
        if value.type.shape is None or value.type.kind not in ("array", "scalar"):
            return
        if value.name in self.loose:
            return
        self.known[value.name] = _own(value) if lengths is None else lengths

    def made(self, stmt: Apply) -> Lengths | None:
        """The lengths of what a nest makes; None where that is not certain."""
        self.meets: list[Meeting] = self.lists(stmt)
        found = self._made(stmt)
        if found is not None and self.meets:
            self.meeting[stmt.result.name] = self.meets
        return found

    def _made(self, stmt: Apply) -> Lengths | None:
        first = self.of(stmt.args[0]) if stmt.args else ()
        if stmt.op in STORES:
            return first if self.fits(stmt.args[1], self.part(stmt)) else None
        row = TABLE.get(stmt.op)
        if row.loop == "contraction":
            return self.contracted(stmt)
        if row.loop == "fold":
            reduced = axes_of(stmt.option("axis"), len(first))
            if stmt.option("keepdims"):
                return tuple(ONE if k in reduced else d for k, d in enumerate(first))
            return tuple(d for k, d in enumerate(first) if k not in reduced)
        if row.sized:
            return None if None in (stmt.result.type.shape or (None,)) else self.of(stmt.result)
        match stmt.op:
            case "zeros_like" | "ones_like" | "full_like" | "copy" | "stop_gradient":
                return first
            case "expand":
                return self.expanded(stmt, self.of(stmt.args[1]))
            case "unbroadcast":
                like = self.of(stmt.args[1])
                return like if len(first) == len(like) and self.fits(stmt.args[0], like) else None
            case "outer":
                second = self.of(stmt.args[1])
                return (*first, *second) if len(first) == len(second) == 1 else None
            case "load":
                return self.loaded(stmt)
            case "transpose" | "swapaxes" | "expand_dims":
                return tuple(ONE if k is None else first[k] for k in order_of(stmt, len(first)))
        return self.broadcast([self.of(a) for a in stmt.args])

    def expanded(self, stmt: Apply, like: Lengths) -> Lengths | None:
        """The lengths of what a reduction left, spread over what it reduced."""
        reduced: Sequence[int] = ()
        if stmt.option("axis") is not None and not stmt.option("keepdims"):
            reduced = axes_of(stmt.option("axis"), len(like))
        part = tuple(d for k, d in enumerate(like) if k not in reduced)
        return like if self.fits(stmt.args[0], part) else None

    def broadcast(self, shapes: Sequence[Lengths]) -> Lengths:
        rank = max(map(len, shapes))
        found = []
        for axis in range(-rank, 0):
            column = [s[axis] for s in shapes if len(s) >= -axis and s[axis] != ONE]
            found.append(column[0] if column else ONE)
            self.meets += [(column[0], d) for d in column[1:] if d != column[0]]
        return tuple(found)

    def contracted(self, stmt: Apply) -> Lengths:
        """The lengths of what is left of a sum of products."""
        found = letters(stmt)
        assert found is not None
        parts, left = found
        by_letter: dict[str, Dim] = {}
        for part, arg in zip(parts, stmt.args, strict=True):
            for letter, dim in zip(part, self.of(arg), strict=True):
                have = by_letter.setdefault(letter, dim)
                if have == ONE:
                    by_letter[letter] = dim
                elif dim not in (have, ONE):
                    self.meets.append((have, dim))
        self.letters[stmt.result.name] = by_letter
        return tuple(by_letter[letter] for letter in left)

    def fits(self, value: Operand, part: Lengths) -> bool:
        """Whether a value can fill a part of these lengths."""
        own = self.of(value)
        if len(own) > len(part):
            return False
        for have, want in zip(reversed(own), reversed(part), strict=False):
            if have != ONE and want == ONE:
                return False
            if have not in (ONE, want):
                self.meets.append((want, have))
        return True

    def loaded(self, stmt: Apply) -> Lengths:
        """The lengths of a part, as types tell; symbols of its own where they do not."""
        shape = stmt.result.type.shape or ()
        name = stmt.result.name
        own = self.sliced(stmt)
        return tuple(
            d if d is not None else own[k] or Dim(f"{name}:{k}") for k, d in enumerate(shape)
        )

    def sliced(self, stmt: Apply) -> list[Dim | None]:
        """The lengths that slices with literal bounds leave."""
        found: list[Dim | None] = []
        source, lists = iter(self.of(stmt.args[0])), 0
        for item in filled(stmt, len(self.of(stmt.args[0]))):
            if isinstance(item, NewAxis):
                found.append(ONE)
                continue
            dim = next(source)
            if isinstance(item, Slice):
                found.append(self.left(dim, item, stmt.args[1:]))
            elif listed := self.listed(item, stmt.args[1:]):
                # Several lists are one axis.
                found += [] if lists else [listed]
                lists += 1
        return found

    def left(self, dim: Dim, item: Slice, numbers: tuple[Operand, ...]) -> Dim | None:
        """The length that a slice leaves: of axes of one length, equal bounds leave equal ones."""
        found = _left(dim, item) or self.reckoned.left(dim, item, numbers)
        if found is not None or item.step not in (None, 1):
            return found
        ends = [
            numbers[end.number] if isinstance(end, Slot) else end for end in (item.start, item.stop)
        ]
        low, high = (e.value if isinstance(e, Const) else getattr(e, "name", e) for e in ends)
        return Dim(f"{dim}[{low}:{high}]")

    def listed(self, item: Item, numbers: tuple[Operand, ...]) -> Dim | None:
        """How many indices a list has."""
        if not isinstance(item, Slot) or numbers[item.number].type.is_scalar:
            return None
        return self.of(numbers[item.number])[0]

    def lists(self, stmt: Apply) -> list[Meeting]:
        """The lengths of lists of indices that stand side by side: none of them is repeated."""
        if TABLE.get(stmt.op).loop not in ("part", "write"):
            return []
        lengths = [self.of(n)[0] for n in numbers_of(stmt) if n.type.rank == 1]
        return [(lengths[0], other) for other in lengths[1:] if other != lengths[0]]

    def part(self, stmt: Apply) -> Lengths:
        """The lengths of the part that a write changes."""
        found, lists = [], 0
        for k, (item, dim) in enumerate(
            zip(filled(stmt, len(self.of(stmt.args[0]))), self.of(stmt.args[0]), strict=True)
        ):
            if isinstance(item, Slice):
                left = self.left(dim, item, stmt.args[2:])
                found.append(left or Dim(f"{stmt.result.name}:part{k}"))
            elif listed := self.listed(item, stmt.args[2:]):
                found += [] if lists else [listed]
                lists += 1
        return tuple(found)


def _own(value: Value) -> Lengths:
    """The lengths that a value's type says, each that it does not say under a name of its own."""
    dims = enumerate(value.type.shape or ())
    return tuple(Dim(f"{value.name}:{k}") if d is None else d for k, d in dims)


def _number(operand: Operand) -> bool:
    """A number, which may have the type of the array that it stands for."""
    return isinstance(operand, Const) or operand.type.is_scalar


def _left(dim: Dim, item: Slice) -> Dim | None:
    """The length that a slice leaves of an axis, where it is certain."""
    if item.step == -1:
        return dim
    if not isinstance(item.start, int | None) or not isinstance(item.stop, int | None):
        return None
    if dim.known is not None:
        return Dim("", len(range(*slice(item.start, item.stop).indices(dim.known))))
    if isinstance(item.stop, int) and item.stop >= 0:
        return None
    low, high = margins(item)
    return dim + (-low - high)

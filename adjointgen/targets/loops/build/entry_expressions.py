"""One entry of an array that does not exist: the numbers that it is computed from.

    entry(add(a, b), i)                        entry(a, i) + entry(b, i)
    entry(load(a)[index="1:-1"], i)            entry(a, i + 1)
    entry(accumulate(a, v)[index="1:-1"], i)   entry(a, i) + (entry(v, i - 1) if 1 <= i < n - 1)

A condition that follows from what is known of the index is not written. A `Survey` collects what
would have to be known for none to be written, and which entries of what are read.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from adjointgen.ir.nodes import Apply, Block, Branch, Const, Operand, Stmt, Value
from adjointgen.ir.types import Dim, Type
from adjointgen.targets.loops.build.index_spans import Spans
from adjointgen.targets.loops.build.op_classes import NARROW, is_count
from adjointgen.records import dataclass, field, replace
from adjointgen.rules.framework.builder import Builder, const
from adjointgen.rules.arrays.indexing import Item, NewAxis, Rest, Slice, Slot, parse_index
from adjointgen.rules.framework.type_rules import axes_of
from adjointgen.rules.arrays.index_arithmetic import Place, place, written

Places = tuple[Place, ...]
Numbers = tuple[Operand, ...]
Length = Callable[[Dim], Operand]
ONE = Dim("", 1)
VECTORS: Final = {"exp": "vector_exp", "tanh": "vector_tanh"}
"""What a compiler turns into vector instructions, for what it would call a library for."""
PLAIN: Final[Mapping[str, Callable[[Any], Any]]] = {
    "bool": bool,
    "int": int,
    "uint": int,
    "float": float,
    "complex": complex,
}
"""What makes a number of Python's own of one, by how its dtype begins."""


@dataclass(slots=True)
class Survey:
    """What a nest needs: margins by loop index, and the places at which arrays are read."""

    margins: dict[str, tuple[int, int]] = field(default_factory=dict)
    reads: dict[Value, set[Places]] = field(default_factory=dict)

    def margin(self, index: str, lead: int, tail: int) -> None:
        have = self.margins.get(index, (0, 0))
        self.margins[index] = (max(have[0], lead), max(have[1], tail))


@dataclass(frozen=True, slots=True)
class Side:
    """`low <= at < length - high`: where a slice of an axis lies."""

    at: Place
    low: int
    high: int
    length: Dim


class Entries:
    """Computes entries into a builder.

    `delayed` are the statements whose arrays do not exist, `shape` tells lengths, `held` what
    stands for an array (the version that the nest is writing), `length` gives the operand for a
    length, and `spans` says what is known of the indices. With a `survey` every condition is taken
    to hold.
    """

    def __init__(
        self,
        builder: Builder,
        delayed: Mapping[str, Apply],
        shape: Callable[[Operand], tuple[Dim, ...]],
        length: Length,
        spans: Spans,
        survey: Survey | None = None,
    ) -> None:
        self.shape = shape
        self.builder = builder
        self.delayed = delayed
        self.length = length
        self.spans = spans
        self.survey = survey
        self.counts: Container[str] = ()
        """The numbers that are certainly not negative."""
        self.held: dict[str, Operand] = {}
        self.known: dict[tuple[str, Places], Operand] = {}

    def at(self, operand: Operand, places: Places) -> Operand:
        """The entry of an operand; numbers are their own."""
        if isinstance(operand, Const) or operand.type.is_scalar:
            return operand
        key = (operand.name, places)
        if key not in self.known:
            stmt = self.delayed.get(operand.name)
            self.known[key] = (
                self.read(operand, places) if stmt is None else self.computed(stmt, places)
            )
        return self.known[key]

    def read(self, array: Value, places: Places) -> Operand:
        """An entry of an array in memory."""
        if self.survey is not None:
            self.survey.reads.setdefault(array, set()).add(places)
        source = self.held.get(array.name, array)
        at = [written(self.builder, p) for p in places]
        return self.builder.apply("load", source, *at, index=pattern(len(at)))

    def computed(self, stmt: Apply, places: Places) -> Operand:
        match stmt.op:
            case "load":
                return self.at(stmt.args[0], self.part(stmt, places))
            case "transpose" | "swapaxes" | "expand_dims":
                return self.at(stmt.args[0], moved(stmt, places))
            case "store" | "accumulate":
                return self.change(stmt, places)
            case "zeros" | "zeros_like":
                return self.converted(const(0.0), stmt.result.type.dtype)
            case "ones" | "ones_like":
                return self.converted(const(1.0), stmt.result.type.dtype)
            case "full" | "full_like":
                return self.converted(stmt.args[-1], stmt.result.type.dtype)
            case "copy" | "stop_gradient" | "unbroadcast":
                return self.at(stmt.args[0], repeated(self.shape(stmt.args[0]), places))
            case "expand":
                return self.at(stmt.args[0], _kept(stmt, self.shape(stmt.args[0]), places))
            case "outer":
                factors = [self.at(a, (p,)) for a, p in zip(stmt.args, places, strict=True)]
                return self.builder.apply("mul", *factors)
        args = [self.at(a, repeated(self.shape(a), places)) for a in stmt.args]
        if stmt.op == "select":
            args[1:] = [self.number(a, stmt.result.type.dtype) for a in args[1:]]
        elif stmt.op == "cast" and args[0].type.dtype == "bool":
            return self.number(args[0], stmt.result.type.dtype)
        return self.operated(stmt, args)

    def operated(self, stmt: Apply, args: list[Operand]) -> Operand:
        options: dict[str, Any] = dict(stmt.options)
        op = VECTORS.get(stmt.op, stmt.op) if args[0].type.dtype == "float64" else stmt.op
        if op == "invert" and args[0].type.dtype == "bool":
            # `~True` of Python's own is a whole number.
            return self.builder.apply("not", args[0])
        made = self.builder.apply(op, *args, **options)
        if made.type.dtype in NARROW and made.type.dtype != stmt.result.type.dtype:
            return self.builder.retyped(made, made.type.with_dtype(stmt.result.type.dtype))
        return made

    def number(self, operand: Operand, dtype: str) -> Operand:
        """A truth value as 1 or 0, where numbers are chosen from."""
        if operand.type.dtype != "bool" or dtype == "bool":
            return operand
        one, zero = (1, 0) if dtype.startswith(("int", "uint")) else (1.0, 0.0)
        return self.builder.apply("select", operand, const(one), const(zero))

    def converted(self, operand: Operand, dtype: str) -> Operand:
        """A number as an array of a dtype holds it."""
        if operand.type.dtype == dtype:
            return operand
        if isinstance(operand, Const):
            plain = next(p for kind, p in PLAIN.items() if dtype.startswith(kind))
            return const(plain(operand.value), Type(dtype))
        return self.builder.apply("cast", operand, dtype=dtype)

    def part(self, stmt: Apply, places: Places) -> Places:
        """The place in the array that an entry of a part of it is."""
        source = self.shape(stmt.args[0])
        found: list[Place] = []
        rest, listed = iter(places), None
        for item in filled(stmt, len(source)):
            if isinstance(item, NewAxis):
                next(rest)
                continue
            dim, inside = source[len(found)], self.exists(stmt.args[0])
            if isinstance(item, Slot):
                index = stmt.args[1 + item.number]
                if not index.type.is_scalar:
                    listed = next(rest) if listed is None else listed
                    index = self.at(index, (listed,))
                found.append(self.named(index, dim, inside))
            else:
                found.append(self.axis(item, stmt.args[1:], rest, dim))
        return tuple(found)

    def exists(self, operand: Operand) -> bool:
        """Whether an array is in memory."""
        return isinstance(operand, Value) and operand.name not in self.delayed

    def named(self, index: Operand, dim: Dim, inside: bool) -> Place:
        """The place that a number names.

        One that counts from the end is understood by an array in memory, not by what is left of
        other arrays.
        """
        if inside or is_count(index, self.counts):
            return place(index)
        negative = self.builder.apply("lt", index, const(0))
        from_end = self.builder.apply("add", index, self.length(dim))
        return place(self.builder.apply("select", negative, from_end, index))

    def axis(self, item: Item, numbers: Numbers, rest: Iterator[Place], dim: Dim) -> Place:
        match item:
            case int() if item < 0:
                return self.end(dim) + item
            case int():
                return Place((), item)
            case Slice(step=-1):
                return self.end(dim) + -1 + next(rest).times(-1)
            case Slice(start=Slot(number=number)):
                return place(numbers[number]) + next(rest)
            case Slice(start=start):
                return next(rest) + (start if isinstance(start, int) else 0)
        raise AssertionError("an index that is not basic")

    def end(self, dim: Dim) -> Place:
        return place(self.length(dim))

    def change(self, stmt: Apply, places: Places) -> Operand:
        """An entry of an array of which a part has been written: both, and which it is."""
        array, value = stmt.args[:2]
        sides, inside = self.box(stmt, places)
        tests = [t for side in sides for t in self.conditions(side)]
        before = self.before(stmt, places)
        if not tests:
            return self.changed(stmt, before, value, inside)
        arms: list[Block] = []
        for chosen in (True, False):
            with self.apart() as made:
                if chosen:
                    end = self.changed(stmt, before, value, inside)
                else:
                    end = self.at(array, places) if before is None else before
            arms.append(Block((), tuple(made), (end,)))
        test = tests[0]
        for further in tests[1:]:
            test = self.builder.apply("and", test, further)
        number = replace(array.type, shape=(), kind="scalar")
        result = self.builder.value("", number)
        self.builder.add(Branch((result,), test, arms[0], arms[1], span=self.builder.span))
        return result

    def before(self, stmt: Apply, places: Places) -> Operand | None:
        """What is added to; nothing is left of what is overwritten."""
        return self.at(stmt.args[0], places) if stmt.op == "accumulate" else None

    def changed(
        self, stmt: Apply, before: Operand | None, value: Operand, inside: Places
    ) -> Operand:
        new = self.at(value, repeated(self.shape(value), inside))
        if before is not None:
            return self.builder.apply("add", before, new)
        held = stmt.result.type.dtype
        return new if held in ("float64", "complex128") else self.converted(new, held)

    def box(self, stmt: Apply, places: Places) -> tuple[list[Side], Places]:
        """Where the part lies on each axis, and the place in the part."""
        shape = self.shape(stmt.args[0])
        sides, inside = [], []
        for item, at, dim in zip(filled(stmt, len(shape)), places, shape, strict=True):
            assert isinstance(item, Slice) and dim is not None
            low, high = margins(item)
            sides.append(Side(at, low, high, dim))
            inside.append(at + -low)
        return sides, tuple(inside)

    def conditions(self, side: Side) -> list[Operand]:
        """The tests that are not known to hold."""
        found: list[Operand] = []
        if not self.certain(side, low=True):
            at = written(self.builder, side.at)
            found.append(self.builder.apply("ge", at, const(side.low)))
        if not self.certain(side, low=False):
            at = written(self.builder, side.at)
            stop = written(self.builder, place(self.length(side.length)) + -side.high)
            found.append(self.builder.apply("lt", at, stop))
        return found

    def certain(self, side: Side, low: bool) -> bool:
        """Whether one of the two tests follows from what is known of the index."""
        match side.at.terms:
            case ((1, index),) if index.name in self.spans:
                span = self.spans[index.name]
            case _:
                return False
        offset = side.at.offset
        if low:
            needed = (side.low - offset, 0)
        elif span.length.symbol == side.length.symbol:
            needed = (0, offset + side.high - (side.length.offset - span.length.offset))
        else:
            return False
        if self.survey is not None:
            self.survey.margin(index.name, *needed)
            return True
        return span.lead >= needed[0] if low else span.tail >= needed[1]

    @contextmanager
    def apart(self) -> Iterator[list[Stmt]]:
        """A block of its own: what is computed in it is not known after it."""
        known, self.known = self.known, dict(self.known)
        with self.builder.block() as made:
            yield made
        self.known = known


def repeated(shape: tuple[Dim, ...], places: Places) -> Places:
    """The place in an operand that broadcasts to the place in a result."""
    own = places[len(places) - len(shape) :]
    return tuple(Place() if d == ONE else p for d, p in zip(shape, own, strict=True))


def pattern(rank: int) -> str:
    """The index of one entry: `_, _`."""
    return ", ".join("_" * rank)


def filled(stmt: Apply, rank: int) -> list[Item]:
    """The items of an index, one for each axis, `...` and what is left out written as slices."""
    items = list(parse_index(str(stmt.option("index"))))
    whole = Slice(None, None, None)
    taken = sum(not isinstance(i, NewAxis | Rest) for i in items)
    if not any(isinstance(i, Rest) for i in items):
        items.append(Rest())
    at = next(k for k, i in enumerate(items) if isinstance(i, Rest))
    items[at : at + 1] = [whole] * (rank - taken)
    return items


def margins(item: Slice) -> tuple[int, int]:
    """How many entries a slice of literal bounds leaves out at both ends."""
    start, stop = item.start, item.stop
    low = start if isinstance(start, int) else 0
    return low, -stop if isinstance(stop, int) else 0


def order_of(stmt: Apply, rank: int) -> list[int | None]:
    """Which axis of the array each axis of the result is; None for a new one."""
    order: list[int | None] = list(range(rank))
    match stmt.op:
        case "expand_dims":
            axis = stmt.option("axis")
            new = list(axis) if isinstance(axis, tuple | list) else [axis]
            for k in sorted(int(str(a)) % (rank + len(new)) for a in new):
                order.insert(k, None)
        case "swapaxes":
            a, b = (int(str(stmt.option(n))) % rank for n in ("axis1", "axis2"))
            order[a], order[b] = b, a
        case _:
            axes = stmt.option("axes")
            listed = axes if isinstance(axes, tuple | list) else range(rank)[::-1]
            order = [int(k) % rank for k in listed]
    return order


def moved(stmt: Apply, places: Places) -> Places:
    """The place in the array whose axes have been put in another order."""
    new = 1 if stmt.op == "expand_dims" else 0
    if isinstance(axis := stmt.option("axis"), tuple | list):
        new = len(axis)
    order = order_of(stmt, len(places) - new)
    found = {axis: at for axis, at in zip(order, places, strict=True) if axis is not None}
    return tuple(found[k] for k in range(len(places) - new))


def _kept(stmt: Apply, shape: tuple[Dim, ...], places: Places) -> Places:
    """The place in what a reduction left, given one in what it reduced."""
    rank, axis = len(places), stmt.option("axis")
    if not shape:
        return ()
    if stmt.option("keepdims") or axis is None:
        return repeated(shape, places)
    reduced = axes_of(axis, rank)
    return tuple(p for k, p in enumerate(places) if k not in reduced)


__all__ = [
    "Entries",
    "Length",
    "Places",
    "Survey",
    "filled",
    "margins",
    "order_of",
    "pattern",
    "repeated",
]

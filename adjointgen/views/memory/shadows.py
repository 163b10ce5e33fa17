"""Shadows of values: arrays that have a shape and no entries, numbers that nobody knows.

A shadow stands under the names, in the lists and in the expressions where the value stands in the
program, and counts as memory for as long as anything refers to it. Python counts the references, as
it does for the program itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from adjointgen.errors import Span
from adjointgen.ir.types import Dim, Type
from adjointgen.records import dataclass

HEADER = 120
"""Bytes of an array beside its entries, its place in a list included."""
NUMBER = 32
"""Bytes of one of Python's numbers in a list."""


class Meter:
    """Bytes that are alive, the most that ever were, and the line at which that was."""

    def __init__(self) -> None:
        self.alive = self.peak = 0.0
        self.line: Span | None = None
        self.at: Span | None = None
        self.clock = 0

    def take(self, size: float) -> None:
        self.alive += size
        if self.alive > self.peak:
            self.peak, self.line = self.alive, self.at

    def give(self, size: float) -> None:
        self.alive -= size


class Array:
    """An array: its shape and dtype, and the `owner` of its memory if it is a view."""

    __slots__ = ("_meter", "born", "dtype", "nbytes", "owner", "shape", "taken")

    def __init__(
        self, meter: Meter, shape: tuple[int, ...], dtype: str, owner: Array | None, own: bool
    ) -> None:
        self.shape, self.dtype, self.owner = shape, dtype, owner
        self.nbytes = prod(shape) * np.dtype(dtype).itemsize
        self.taken = self.nbytes if own else 0
        self._meter = meter
        meter.clock += 1
        self.born = meter.clock
        meter.take(self.taken)

    def __len__(self) -> int:
        return self.shape[0]

    def __del__(self) -> None:
        self._meter.give(self.taken)


class Unknown:
    """A number or an object of which nothing is known; a test is decided once, for both sweeps."""

    __slots__ = ("decided",)

    def __init__(self) -> None:
        self.decided: bool | None = None


class Kept:
    """A value on a tape, with the bytes that it takes there beside its own."""

    __slots__ = ("_meter", "extra", "value")

    def __init__(self, meter: Meter, value: object, extra: float) -> None:
        self._meter, self.value, self.extra = meter, value, extra
        meter.take(extra)

    def __del__(self) -> None:
        self._meter.give(self.extra)


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The snapshots of a loop, all of which are counted from the first on."""

    kept: list[list[object]]


def shadow(meter: Meter, value: object) -> object:
    """The shadow of an argument, whose memory is its caller's."""
    match value:
        case np.ndarray() if value.dtype.kind in "biufc":
            return Array(meter, value.shape, value.dtype.name, None, False)
        case bool() | int() | float() | complex() | str() | None:
            return value
        case np.number() | np.bool_():
            return value.item()
        case list():
            return [shadow(meter, item) for item in value]
    return Unknown()


def weight(value: object, since: int) -> float:
    """The bytes of arrays in a value that have been made since then, each of its own."""
    match value:
        case Array():
            owner = value if value.owner is None else value.owner
            return HEADER + (owner.taken if owner.born > since else 0)
        case Kept():
            return weight(value.value, since) + value.extra
        case list() | tuple():
            return HEADER + sum(weight(item, since) for item in value)
        case Unknown() | float() | int():
            return NUMBER
    return 8


def beside(value: object, type: Type) -> float:
    """The bytes that a value of a type takes on a tape beside those of its array."""
    if isinstance(value, Array | list | tuple):
        return HEADER
    # There are two truth values, whoever refers to them.
    return 8 if type.dtype == "bool" else NUMBER


def type_of(value: object, declared: Type) -> Type:
    """The type of a shadow: the declared one, with lengths and integers that are numbers."""
    match value:
        case Array(shape=shape, dtype=dtype):
            return Type(dtype, tuple(Dim("", n) for n in shape), "array")
        case bool():
            return declared
        case int() if declared.is_scalar:
            return Type(declared.dtype, (), "scalar", Dim("", value))
        case list() if declared.kind == "list" and declared.shape:
            return Type(declared.dtype, (Dim("", len(value)), *declared.shape[1:]), "list")
    return declared


def known(values: Iterable[object]) -> bool:
    """Whether these are numbers."""
    return all(isinstance(v, int | float | complex) for v in values)

"""Types of values: dtype, kind, and shape where it is known.

A dimension is `symbol + offset`: `u.0-2`, `n` or the constant `5`. The symbol `u.0` is the length
of axis 0 of the argument `u`, a plain `n` is the value of the integer argument `n`; so `u[2:]`,
`u[1:-1]` and `u[:-2]` all have the type `float64[u.0-2]` and need no broadcasting code. An integer
carries its value in the same form where it is known (`len(u)` has the type `int64=u.0`). `None`
stands for what is not known: one length, or the whole shape.

An argument's axis is never of length 1 under its symbol: the specialisation is guarded by which
axes have length 1, and those are the constant `1` in the type. So two different axis symbols that
meet in one operation are equal lengths, or NumPy raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import numpy as np

from adjointgen.records import dataclass, replace

Kind = Literal["scalar", "array", "list", "object"]

REAL = ("float64", "float32", "float16")
COMPLEX = ("complex128", "complex64")
PART_OF = {"complex128": "float64", "complex64": "float32"}
"""The dtype of the parts of a complex number."""
# What numbers of Python's own have; a number of any other dtype is one of NumPy's.
PYTHON = ("float64", "int64", "bool")
INTEGER = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")
DTYPES = frozenset((*REAL, *COMPLEX, *INTEGER))
"""The dtypes of numbers. Numbers of any other (`longdouble`, `>f8`) are in objects."""


@dataclass(frozen=True, slots=True)
class Dim:
    """The length of an axis: `symbol + offset`, or the constant `offset` without a symbol."""

    symbol: str = ""
    offset: int = 0

    def __str__(self) -> str:
        if not self.symbol:
            return str(self.offset)
        return self.symbol + (f"{self.offset:+d}" if self.offset else "")

    def __add__(self, other: int) -> Dim:
        return Dim(self.symbol, self.offset + other)

    @property
    def known(self) -> int | None:
        """The length as a number, or None."""
        return None if self.symbol else self.offset

    @property
    def axis(self) -> tuple[str, int] | None:
        """The argument and the axis of it that the symbol is the length of; None for any other."""
        name, _, axis = self.symbol.rpartition(".")
        return (name, int(axis)) if name and axis.isdigit() else None

    @property
    def whole_axis(self) -> tuple[str, int] | None:
        """The same, where this is that length itself and nothing is added."""
        return None if self.offset else self.axis


Shape = tuple[Dim | None, ...]


@dataclass(frozen=True, slots=True)
class Type:
    """dtype, shape and kind of a value.

    `shape` is None where the rank is unknown. A list of floats has kind `list` and rank 1, a list
    of rank-1 arrays kind `list` and rank 2. An `object` is any passive Python object. `value` is
    what an integer scalar is known to be, as a dimension.
    """

    dtype: str = "float64"
    shape: Shape | None = ()
    kind: Kind = "scalar"
    value: Dim | None = None

    @property
    def rank(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def is_scalar(self) -> bool:
        return self.kind == "scalar"

    @property
    def is_array(self) -> bool:
        return self.kind == "array"

    @property
    def is_differentiable(self) -> bool:
        """Whether a value of this type can carry a derivative."""
        return self.kind != "object" and self.dtype in (*REAL, *COMPLEX)

    @property
    def is_mutable(self) -> bool:
        return self.kind != "scalar"

    def with_dtype(self, dtype: str) -> Type:
        return replace(self, dtype=dtype, value=None)

    def with_shape(self, shape: Shape | None) -> Type:
        """The same dtype with another shape: an array, or a scalar when the rank is zero."""
        return Type(self.dtype, shape, "scalar" if shape == () else "array")

    def __str__(self) -> str:
        if self.kind == "object":
            return "object"
        if self.kind == "scalar":
            return self.dtype + (f"={self.value}" if self.value is not None else "")
        inner = (
            "..."
            if self.shape is None
            else ", ".join("?" if d is None else str(d) for d in self.shape)
        )
        return f"{'list ' if self.kind == 'list' else ''}{self.dtype}[{inner}]"


FLOAT = Type("float64")
INT = Type("int64")
BOOL = Type("bool")
OBJECT = Type("object", None, "object")


def array(dtype: str, *dims: Dim | int | str | None) -> Type:
    """An array type from lengths, symbols and None: `array("float64", "n", 3)`."""
    return Type(dtype, tuple(as_dim(d) for d in dims), "array")


def as_dim(value: Dim | int | str | None) -> Dim | None:
    """A dimension from a number, a symbol (`n`, `n-2`) or itself."""
    if value is None or isinstance(value, Dim):
        return value
    if isinstance(value, int):
        return Dim("", value)
    if value.lstrip("-").isdigit():
        return Dim("", int(value))
    for sign in "+-":
        symbol, found, offset = value.rpartition(sign)
        if found and offset.isdigit():
            return Dim(symbol, int(sign + offset))
    return Dim(value)


def parse_type(text: str) -> Type:
    """Read back what `str(type)` prints.

    Raises ValueError where the text is not a type.
    """
    text = text.strip()
    if text == "object":
        return OBJECT
    kind: Kind = "array"
    if text.startswith("list "):
        kind, text = "list", text[5:]
    dtype, bracket, inner = text.partition("[")
    if dtype.partition("=")[0] not in (*REAL, *COMPLEX, *INTEGER, "object"):
        raise ValueError(f"unknown dtype {dtype!r}")
    if not bracket:
        dtype, equals, known = dtype.partition("=")
        return Type(dtype, value=as_dim(known) if equals else None)
    inner = inner.removesuffix("]").strip()
    if inner == "...":
        return Type(dtype, None, kind)
    parts = [p.strip() for p in inner.split(",")] if inner else []
    dims = tuple(None if p == "?" else as_dim(p) for p in parts)
    return Type(dtype, dims, kind)


def dtype_of(spelling: object) -> str | None:
    """The dtype that NumPy takes a spelling for (`"d"`, `"<f8"`, `float`, `np.double`).

    None where it is no spelling of a dtype of numbers, or one whose bytes are swapped.
    """
    try:
        found = np.dtype(spelling)  # type: ignore[call-overload]
    except (TypeError, ValueError, SyntaxError):
        return None
    plain = found.name in DTYPES and found.isnative and found.subdtype is None
    return found.name if plain else None


_ORDER = ("bool", "int64", "float64", "complex128")


def promote(*dtypes: str) -> str:
    """The dtype that NumPy's promotion gives; the common cases without asking NumPy."""
    if "object" in dtypes:
        return "object"
    first = dtypes[0]
    if all(d == first for d in dtypes):
        return first
    if all(d in _ORDER for d in dtypes):
        return max(dtypes, key=_ORDER.index)
    return str(np.result_type(*dtypes))


def broadcast(*shapes: Shape | None) -> Shape | None:
    """The shape that operands broadcast to; None where a rank is unknown."""
    if any(s is None for s in shapes):
        return None
    known = [s for s in shapes if s is not None]
    rank = max((len(s) for s in known), default=0)
    dims = []
    for axis in range(rank):
        column = [s[axis - rank + len(s)] for s in known if axis - rank + len(s) >= 0]
        dims.append(_broadcast_dim(column))
    return tuple(dims)


def _broadcast_dim(column: list[Dim | None]) -> Dim | None:
    """One axis: ones give way; a length that cannot be 1 decides; else unknown."""
    rest = [d for d in column if d != Dim("", 1)]
    if not rest:
        return Dim("", 1)
    certain = [d for d in rest if d is not None and never_one(d)]
    if certain:
        found = min(certain, key=lambda d: (d.symbol != "", str(d)))
        note_meeting(found, rest)
        return found
    return rest[0] if all(d == rest[0] for d in rest) else None


Meetings = set[tuple[Dim, Dim | None]]
_MET: ContextVar[Meetings | None] = ContextVar("met", default=None)


@contextmanager
def meetings_noted() -> Iterator[Meetings]:
    """Collects the lengths that are taken not to be 1 beside others, which they are equal to then.

    A length may be 1 that is not known to be another; it stands beside None.
    """
    found: Meetings = set()
    token = _MET.set(found)
    try:
        yield found
    finally:
        _MET.reset(token)


def note_meeting(dim: Dim, others: Iterable[Dim | None]) -> None:
    """Note that a length decides over others, since it is not 1."""
    met = _MET.get()
    if met is not None and dim.symbol:
        apart = (other for other in others if other != dim)
        met.update((dim, o if o is not None and never_one(o) else None) for o in apart)


_JOINED: ContextVar[set[tuple[Dim, Dim]] | None] = ContextVar("joined", default=None)


@contextmanager
def joins_noted() -> Iterator[set[tuple[Dim, Dim]]]:
    """Collects the lengths that one variable has on different paths, as before and in a loop."""
    found: set[tuple[Dim, Dim]] = set()
    token = _JOINED.set(found)
    try:
        yield found
    finally:
        _JOINED.reset(token)


def note_join(a: Dim, b: Dim) -> None:
    """Note that an array has one length on one path and the other on another."""
    joined = _JOINED.get()
    if joined is not None:
        joined.add((a, b))


def never_one(dim: Dim) -> bool:
    """Whether the axis cannot have length 1: a constant, or of an argument's own length or more."""
    if not dim.symbol:
        return dim.offset != 1
    return dim.axis is not None and (dim.offset == 0 or dim.offset >= 2)


def same_length(a: Dim | None, b: Dim | None) -> bool:
    """Whether two lengths that met in one valid operation must be equal.

    Equal as expressions, or neither can be the 1 that broadcasts.
    """
    if a is None or b is None:
        return False
    if a != b and never_one(a) and never_one(b):
        note_meeting(*((a, (b,)) if a.symbol else (b, (a,))))
        return True
    return a == b


def entry_type(type: Type) -> Type:
    """The type of an entry of a list or of a row of an array."""
    return type.with_shape(None if type.shape is None else type.shape[1:])


def list_type(entries: Iterable[Type]) -> Type | None:
    """The type of a list of some number of such entries; None where it is not one of numbers.

    The entries are numbers, or arrays of one rank.
    """
    found = list(entries)
    ranks = {t.rank if t.kind in ("scalar", "array") else None for t in found}
    if len(ranks) != 1 or None in ranks or any(t.dtype == "object" for t in found):
        return None
    inner = (None,) * (found[0].rank or 0)
    return Type(promote(*(t.dtype for t in found)), (None, *inner), "list")


def castable(source: str, target: str, casting: str = "same_kind") -> bool:
    """Whether NumPy casts one dtype to another; true where one is not known."""
    known = source in DTYPES and target in DTYPES
    return not known or bool(np.can_cast(source, target, casting))  # type: ignore[arg-type]

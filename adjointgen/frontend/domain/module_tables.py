"""What is in the tables of a module: lists, tuples and dicts of numbers, rows and further tables.

    COEFFS = {"air": (1.0, 2.5), "water": (3.0, 0.5)}        COEFFS[name][k]  is a float

A table is read when the program runs, as any object of the module, and only the kinds of its
entries are looked at here: so that `COEFFS[name][k] * x` is arithmetic with a number, and `a, b =
COEFFS[name]` an assignment of two. What a name is bound to is one question and what is in there
another: entries may be exchanged for others of their kind.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any

from adjointgen.frontend.domain.qualified_names import held, is_array
from adjointgen.ir.types import COMPLEX, INTEGER, REAL, Dim, Type, promote
from adjointgen.records import dataclass, field
from adjointgen.watch import look_at_form

MOST = 20_000
"""Entries that are looked at; what is larger is an object."""
UNPACKED = 16
NUMBERS = {int: Type("int64"), float: Type("float64"), bool: Type("bool")}


@dataclass(frozen=True, slots=True)
class Table:
    """`entry` is what all entries are, None where they differ; short ones tell each of `items`.

    `kind` is `list`, `tuple` or `dict`; `keys` are the constants that the items of a dict are
    under. What may grow, a list, tells no items; `live` is the one that was looked into.
    """

    kind: str
    entry: Layout | None
    items: tuple[Layout | None, ...] | None = None
    keys: tuple[object, ...] = ()
    live: Any = field(default_factory=lambda: None, compare=False)


@dataclass(frozen=True, slots=True)
class Tabled:
    """The type of an argument that is a table of the module, which the caller names."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Living:
    """Another object of the module: the object itself, which may be looked into.

    `text` is how it is reached; `line` imports what that begins with.
    """

    value: Any
    text: str
    line: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Living) and self.value is other.value and self.text == other.text

    def __hash__(self) -> int:
        return hash((id(self.value), self.text))


@dataclass(frozen=True, slots=True)
class Matrix:
    """A sparse matrix of SciPy: its lengths of 1 are known; `multiplies` says what `*` does."""

    dtype: str
    shape: tuple[Dim | None, ...]
    multiplies: bool

    @property
    def T(self) -> Matrix:
        return Matrix(self.dtype, self.shape[::-1], self.multiplies)


@dataclass(frozen=True, slots=True, eq=False)
class Interpolant:
    """An interpolator of SciPy that the module holds; `kind` is `spline`, `grid` or `line`."""

    kind: str
    value: Any


Known = Table | Living | Matrix | Interpolant
"""What may be known of an object of the module."""
Layout = Type | Known


def layout_of(value: object) -> Layout | None:
    """What is in a live object; None where that is not known."""
    return _layout(value, [MOST])


def _layout(value: Any, left: list[int]) -> Layout | None:
    left[0] -= 1
    if left[0] < 0:
        return None
    kind = type(value)
    if kind in NUMBERS:
        return NUMBERS[kind]
    if kind in (list, tuple):
        items = [_layout(v, left) for v in value]
        each = tuple(items) if kind is tuple and len(items) <= UNPACKED else None
        return Table(kind.__name__, _common(items), each, live=value)
    if kind is dict:
        items = [_layout(v, left) for v in value.values()]
        short = len(items) <= UNPACKED and all(type(k) in (str, int) for k in value)
        return Table(
            "dict",
            _common(items),
            tuple(items) if short else None,
            tuple(value) if short else (),
        )
    if not is_array(value):
        return _matrix(value)
    dtype, shape = held(value, "dtype", None), held(value, "shape", None)
    if isinstance(shape, tuple) and str(dtype) in (*REAL, *INTEGER):
        return Type(str(dtype), (None,) * len(shape), "array" if shape else "scalar")
    return None


def _matrix(value: Any) -> Matrix | None:
    """A sparse matrix; None for a subclass of NumPy's arrays with arithmetic of its own."""
    name, dtype = type(value).__name__, str(held(value, "dtype", ""))
    known = dtype in (*REAL, *COMPLEX, *INTEGER)
    if not known or not name.endswith(("_array", "_matrix")):
        return None
    shape = tuple(Dim("", 1) if n == 1 else None for n in value.shape)
    return Matrix(dtype, shape, name.endswith("_matrix"))


def interpolant_of(value: Any) -> Interpolant | None:
    """What interpolates numbers by other numbers; None for other objects."""
    names = {c.__name__ for c in type(value).__mro__}
    if names & {"PPoly", "BPoly", "BSpline"}:
        numbers = value.c.ndim == (1 if "BSpline" in names else 2) and value.c.dtype.kind == "f"
        return Interpolant("spline", value) if numbers else None
    if "UnivariateSpline" in names:
        # A value that is held beyond the ends has not the slope that SciPy gives there.
        return Interpolant("spline", value) if held(value, "ext", 3) in (0, 1, 2) else None
    if "RegularGridInterpolator" in names:
        numbers = value.values.ndim == len(value.grid) and value.values.dtype.kind == "f"
        return Interpolant("grid", value) if numbers and value.method == "linear" else None
    if "interp1d" in names:
        numbers = value.y.ndim == 1 and value.y.dtype.kind == "f" and value._kind == "linear"
        single = not isinstance(value.fill_value, tuple) and held(value.fill_value, "size", 1) == 1
        return Interpolant("line", value) if numbers and single else None
    return None


def _common(items: Iterable[Layout | None]) -> Layout | None:
    found = list(items)
    return reduce(common, found) if found else None


def common(a: Layout | None, b: Layout | None) -> Layout | None:
    """What is true of both."""
    match a, b:
        case Type(), Type() if a.is_scalar and b.is_scalar:
            return a if a == b else Type(promote(a.dtype, b.dtype))
        case Table(kind, entry, items, keys), Table(other, more, rest, names) if kind == other:
            entry = _joined(entry, more, a, b)
            if items is None or rest is None or len(items) != len(rest) or keys != names:
                return Table(kind, entry)
            each = tuple(common(p, q) for p, q in zip(items, rest, strict=True))
            return Table(kind, entry, each, keys)
    return a if a == b else None


def _joined(entry: Layout | None, more: Layout | None, a: Table, b: Table) -> Layout | None:
    """An empty table says nothing of entries."""
    if a.items == ():
        return more
    return entry if b.items == () else common(entry, more)


PLAIN = ("UserDict", "OrderedDict", "mappingproxy", "SimpleNamespace", "defaultdict")
"""Classes of the standard library whose instances hold what users put into them."""


def looked_into(value: object, text: str, line: str) -> Layout | None:
    """What is in a live object, or the object where it is one of the user's classes or mixed."""
    found = layout_of(value)
    if isinstance(found, Type | Matrix) or (isinstance(found, Table) and found.entry is not None):
        return found
    kind = type(value)
    home = kind.__module__.partition(".")[0]
    users = home == "__main__" or home not in (*sys.stdlib_module_names, "numpy", "scipy")
    if kind in (dict, list, tuple) or kind.__name__ in PLAIN or users:
        return Living(value, text, line)
    return found


def attribute_of(table: Layout | None, name: str) -> Layout | None:
    """What an object of the module has under a name."""
    if isinstance(table, Matrix):
        return table.T if name == "T" else None
    if not isinstance(table, Living):
        return None
    return _taken(table, f".{name}", lambda value: getattr(value, name))


def _taken(owner: Living, step: str, read: Callable[[Any], Any]) -> Layout | None:
    try:
        value = read(owner.value)
    except Exception:
        # What fails now fails in the user's program too, at the same place.
        return None
    look_at_form(owner.value, step, read)
    return looked_into(value, f"{owner.text}{step}", owner.line)


def _of_values(value: Any) -> Layout | None:
    """What all values of a mapping are."""
    if not hasattr(value, "values") or not hasattr(value, "keys") or len(value) > MOST:
        return None
    try:
        found = _common([layout_of(value[key]) for key in list(value)])
        look_at_form(value, "[:]", lambda now: [*now.values()])
        return found
    except Exception:
        return None


def part_of(table: Known, key: object) -> Layout | None:
    """What stands under a key: a number, a slice, or None where the key is not known."""
    if isinstance(table, Matrix | Interpolant):
        return None
    if isinstance(table, Living):
        if not isinstance(key, str | int):
            return _of_values(table.value)
        return _taken(table, f"[{key!r}]", lambda value: value[key])
    if isinstance(key, slice):
        return Table(table.kind, table.entry) if table.kind != "dict" else None
    if table.items is None:
        return table.entry
    if table.kind == "dict":
        return dict(zip(table.keys, table.items, strict=True)).get(key, table.entry)
    if type(key) is int and -len(table.items) <= key < len(table.items):
        return table.items[key]
    return table.entry


def as_array(layout: Layout | None) -> Type | None:
    """The array that NumPy makes of a list or tuple of numbers, or of rows of them."""
    rank = 0
    while isinstance(layout, Table) and layout.kind != "dict":
        layout, rank = layout.entry, rank + 1
    if not isinstance(layout, Type) or layout.shape is None or not rank:
        return None
    return Type(layout.dtype, (None,) * (rank + len(layout.shape)), "array")

"""What is in the tables of a module: lists, tuples and dicts of numbers, rows and further tables.

    COEFFS = {"air": (1.0, 2.5), "water": (3.0, 0.5)}        COEFFS[name][k]  is a float

A table is read when the program runs, as any object of the module, and only the kinds of its
entries are looked at here: so that `COEFFS[name][k] * x` is arithmetic with a number, and `a, b =
COEFFS[name]` an assignment of two. What a name is bound to is one question and what is in there
another: entries may be exchanged for others of their kind.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, reduce
from keyword import iskeyword
from types import FunctionType, MemberDescriptorType
from typing import Any

from adjointgen.frontend.domain.measured_arrays import measured
from adjointgen.frontend.domain.qualified_names import is_array, kind_of
from adjointgen.frontend.domain.random_sources import is_frozen, is_source
from adjointgen.ir.types import COMPLEX, INTEGER, REAL, Dim, Type, promote
from adjointgen.records import dataclass, field, replace
from adjointgen.watch import look_at_form
from adjointgen.wrapping import held_under

MOST = 20_000
"""Entries that are looked at; what is larger is an object."""
UNPACKED = 16
NUMBERS = {
    **{int: Type("int64"), float: Type("float64"), bool: Type("bool")},
    complex: Type("complex128"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """`entry` is what all entries are, None where they differ; short ones tell each of `items`.

    `kind` is `list`, `tuple` or `dict`; `keys` are the constants that the items of a dict are
    under. What may grow, a list, tells no items; `live` is the one that was looked into, and
    `place` says how it is reached, where it is not inside another table.
    """

    kind: str
    entry: Layout | None
    items: tuple[Layout | None, ...] | None = None
    keys: tuple[object, ...] = ()
    live: Any = field(default_factory=lambda: None, compare=False)
    place: Living | None = field(default_factory=lambda: None, compare=False)


@dataclass(frozen=True, slots=True)
class Tabled:
    """The type of an argument that is a table of the module, which the caller names."""

    table: Table


@dataclass(frozen=True, slots=True, eq=False)
class Living:
    """Another object of the module: the object itself, which may be looked into.

    `text` is how it is reached; `line` imports what that begins with. It is `steps` away from the
    `root` that a name stands for (itself where there are none): an object on the way may be
    exchanged for another of its class.
    """

    value: Any
    text: str
    line: str
    root: Any = None
    steps: str = ""

    @property
    def origin(self) -> Any:
        """The object that its name stands for."""
        return self.root if self.steps else self.value

    def reader(self, step: str = "") -> Callable[[Any], Any]:
        """What takes this object, or what is a step from it, out of its origin."""
        return _reader(self.steps + step)

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


@dataclass(frozen=True, slots=True)
class Communicator:
    """A communicator of MPI."""


Known = Table | Living | Matrix | Interpolant | Communicator
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
            value,
        )
    if kind.__module__ == "mpi4py.MPI" and hasattr(kind, "Allreduce"):
        return Communicator()
    if not is_array(value):
        return _matrix(value)
    dtype, shape = held_under(value, "dtype", None), held_under(value, "shape", None)
    if isinstance(shape, tuple) and str(dtype) in (*REAL, *INTEGER, *COMPLEX):
        return Type(str(dtype), (None,) * len(shape), kind_of(value))
    return None


def _matrix(value: Any) -> Matrix | None:
    """A sparse matrix; None for a subclass of NumPy's arrays with arithmetic of its own."""
    name, dtype = type(value).__name__, str(held_under(value, "dtype", ""))
    known = dtype in (*REAL, *COMPLEX, *INTEGER)
    if not known or not name.endswith(("_array", "_matrix")):
        return None
    shape = tuple(Dim("", 1) if n == 1 else None for n in value.shape)
    return Matrix(dtype, shape, name.endswith("_matrix"))


def interpolant_of(value: Any) -> Interpolant | None:
    """What interpolates numbers by other numbers; None for other objects."""
    if not type(value).__module__.startswith("scipy.interpolate"):
        return None
    names = {c.__name__ for c in type(value).__mro__}
    if names & {"PPoly", "BPoly", "BSpline"}:
        numbers = value.c.ndim == (1 if "BSpline" in names else 2) and value.c.dtype.kind == "f"
        return Interpolant("spline", value) if numbers else None
    if "UnivariateSpline" in names:
        # A value that is held beyond the ends has not the slope that SciPy gives there.
        return Interpolant("spline", value) if held_under(value, "ext", 3) in (0, 1, 2) else None
    if "RegularGridInterpolator" in names:
        numbers = value.values.ndim == len(value.grid) and value.values.dtype.kind == "f"
        return Interpolant("grid", value) if numbers and value.method == "linear" else None
    if "interp1d" in names:
        numbers = value.y.ndim == 1 and value.y.dtype.kind == "f" and value._kind == "linear"
        filled = value.fill_value
        single = not isinstance(filled, tuple) and held_under(filled, "size", 1) == 1
        # How it is evaluated was chosen when it was made, whatever its ends are now.
        clamps = getattr(held_under(value, "_call", None), "__name__", "") == "_call_linear_np"
        chosen = not (clamps and value.fill_value == "extrapolate")
        return Interpolant("line", value) if numbers and single and chosen else None
    return None


def _common(items: Iterable[Layout | None]) -> Layout | None:
    found = list(items)
    return reduce(common, found) if found else None


def common(a: Layout | None, b: Layout | None) -> Layout | None:
    """What is true of both."""
    match a, b:
        case Type(), Type() if a.is_scalar and b.is_scalar:
            return a if a == b else Type(promote(a.dtype, b.dtype))
        case Type(shape=tuple(mine)), Type(shape=tuple(other)) if a.kind == b.kind == "array":
            if a.dtype == b.dtype and len(mine) == len(other):
                both = (p if p == q else None for p, q in zip(mine, other, strict=True))
                return replace(a, shape=tuple(both))
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


@lru_cache(maxsize=4096)
def _reader(steps: str) -> Callable[[Any], Any]:
    """A function of one expression, which costs a guard less than a loop over the steps."""
    read: Callable[[Any], Any] = eval(f"lambda origin: origin{steps}")
    return read


PLAIN = (
    *("UserDict", "OrderedDict", "mappingproxy", "SimpleNamespace", "defaultdict"),
    *("Polynomial", "poly1d", "NormalDist"),
)
"""Classes of libraries whose instances hold what users put into them."""


def looked_into(
    value: object, text: str, line: str, root: object = None, steps: str = ""
) -> Layout | None:
    """What is in a live object, or the object where it is one of the user's classes or mixed."""
    found = layout_of(value)
    if isinstance(found, Type | Matrix):
        return found
    if isinstance(found, Table) and _has_numbers(found):
        return replace(found, place=Living(value, text, line, root, steps))
    kind = type(value)
    home = kind.__module__.partition(".")[0]
    users = home == "__main__" or home not in (*sys.stdlib_module_names, "numpy", "scipy")
    known = interpolant_of(value) is not None or is_source(value) or is_frozen(value)
    if kind in (dict, list, tuple) or kind.__name__ in PLAIN or users or known:
        return Living(value, text, line, root, steps)
    return found


def _has_numbers(layout: Layout | None) -> bool:
    """Whether something is known of what is in a table."""
    if isinstance(layout, Table):
        return any(map(_has_numbers, (layout.entry, *(layout.items or ()))))
    return layout is not None


def attribute_of(table: Layout | None, name: str) -> Layout | None:
    """What an object of the module has under a name."""
    if isinstance(table, Matrix):
        return table.T if name == "T" else None
    if not isinstance(table, Living) or not holds_attribute(table.value, name):
        return None
    return _taken(table, f".{name}")


def container(table: Layout | None) -> Any:
    """The list, tuple or dict that a table was read from; None where there is none."""
    match table:
        case Table(live=live):
            return live
        case Living(value=value) if isinstance(value, Mapping | list | tuple):
            return value
    return None


def has_values(value: object) -> bool:
    """Whether an object has a dict of attributes; none of its own code is asked."""
    return type(value).__dictoffset__ != 0


def values_of(value: object) -> Mapping[str, Any]:
    """The attributes that an object holds itself, but for slots."""
    return object.__getattribute__(value, "__dict__") if has_values(value) else {}


def _is_set(value: object, slot: Any) -> bool:
    """Whether a slot has a value; that it has none is not told to the object."""
    try:
        slot.__get__(value, type(value))
    except AttributeError:
        return False
    return True


def holds_attribute(value: object, name: str) -> bool:
    """Whether an object has a value under a name that reading it only hands back."""
    if isinstance(type(value).__getattribute__, FunctionType):
        return False
    if not name.isidentifier() or iskeyword(name):
        return False
    if name == "__dict__":
        return has_values(value)
    raw = next((vars(c)[name] for c in type(value).__mro__ if name in vars(c)), None)
    if is_slot(raw):
        return _is_set(value, raw)
    if hasattr(type(raw), "__set__") or hasattr(type(raw), "__delete__"):
        return False
    if name in values_of(value):
        return True
    return raw is not None and not hasattr(type(raw), "__get__")


_FIELD = type(vars(namedtuple("_", "a"))["a"])


def is_slot(descriptor: object) -> bool:
    """Whether a descriptor holds a value as an attribute does: a slot, a named tuple's field."""
    return isinstance(descriptor, MemberDescriptorType | _FIELD)


def holds_entry(value: Any, key: object) -> bool:
    """Whether a container has an entry that reading it only hands back."""
    home = next((c for c in type(value).__mro__ if "__getitem__" in vars(c)), None)
    if home is None or home.__module__.partition(".")[0] not in sys.stdlib_module_names:
        return False
    if isinstance(value, Mapping):
        return key in value
    return type(key) is int and -len(value) <= key < len(value)


def _taken(owner: Living, step: str) -> Layout | None:
    read = owner.reader(step)
    try:
        value = read(owner.origin)
    except Exception:
        # What fails now fails in the user's program too, at the same place.
        return None
    steps = owner.steps + step
    look_at_form(owner.origin, steps, read)
    found = looked_into(value, f"{owner.text}{step}", owner.line, owner.origin, steps)
    return measured(found, owner.origin, steps, read) if isinstance(found, Type) else found


def _of_values(owner: Living) -> Layout | None:
    """What all values of a mapping are."""
    value, read = owner.value, owner.reader()
    if not hasattr(value, "values") or not hasattr(value, "keys") or len(value) > MOST:
        return None
    try:
        found = _common([layout_of(value[key]) for key in list(value)])
        look_at_form(owner.origin, f"{owner.steps}[:]", lambda now: [*read(now).values()])
        return found
    except Exception:
        return None


def part_of(table: Known, key: object) -> Layout | None:
    """What stands under a key: a number, a slice, or None where the key is not known."""
    found = _part_of(table, key)
    place = table.place if isinstance(table, Table) else None
    if place is None or isinstance(found, Type) or not isinstance(key, str | int):
        return found
    return _taken(place, f"[{key!r}]") if holds_entry(place.value, key) else found


def _part_of(table: Known, key: object) -> Layout | None:
    if isinstance(table, Matrix | Interpolant | Communicator):
        return None
    if isinstance(table, Living):
        if not isinstance(key, str | int):
            return _of_values(table)
        return _taken(table, f"[{key!r}]") if holds_entry(table.value, key) else None
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

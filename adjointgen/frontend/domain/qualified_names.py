"""How live objects of known modules are spelled, however they were imported, and what they are."""

from __future__ import annotations

import builtins
import math
import sys
from enum import Enum, EnumMeta
from functools import cache, lru_cache
from types import FunctionType, MethodType
from typing import Any, Final, Literal

import numpy as np

from adjointgen.frontend.domain.array_classes import meet
from adjointgen.frontend.domain.scipy_names import OF_STATISTICS, SPELLINGS
from adjointgen.ir.types import DTYPES, OBJECT, Type, dtype_of
from adjointgen.rules.framework.table import TABLE
from adjointgen.watch import Declared
from adjointgen.wrapping import held_under, plain

HOMES = (
    "adjointgen.api.calls.batching",
    "adjointgen.api.calls.modes",
    "adjointgen.api.calls.jacobians",
    "adjointgen.rules.user_rules",
)
"""Where `grad` and its kin are at home, which are called by the name of the package."""


def spelling_of(value: Any) -> str | None:
    """The qualified name of a function of a known module, however it was imported."""
    listed = _by_identity(len(TABLE.by_spelling), _loaded()).get(id(value))
    if listed is not None and listed[0] is value:
        return listed[1]
    if isinstance(value, MethodType) and (found := _method_of(value)):
        return found
    name = held_under(value, "__name__", "")
    if not isinstance(name, str):
        return None
    if name and getattr(builtins, name, None) is value:
        return f"builtins.{name}"
    module = str(held_under(value, "__module__", None) or "")
    if module in HOMES:
        return f"adjointgen.{name}"
    spelling = f"{module}.{name}"
    known = bool(name) and module.split(".")[0] in ("numpy", "math", "scipy")
    known |= module == "statistics" and name in OF_STATISTICS
    return (
        spelling if known and (_denotes(spelling, value) or _is_private(spelling, value)) else None
    )


def _denotes(spelling: str, value: object) -> bool:
    """Whether a qualified name stands for this object."""
    return live(spelling)[1] is value


def _is_private(spelling: str, value: object) -> bool:
    """Whether a package has this object, which says that it has a name that stands for none.

    A wrapper of the user's says the name of what it wraps: `functools.wraps(np.sum)`.
    """
    if isinstance(value, type) or TABLE.find(spelling) is not None:
        return False
    if isinstance(value, FunctionType) and isinstance(live(spelling)[1], FunctionType):
        # The name stands for what a decorator made of it.
        return False
    home = held_under(value, "__globals__", {}).get("__name__") or type(value).__module__
    return str(home).partition(".")[0] in ("builtins", spelling.partition(".")[0])


def vectorized_as(value: Any) -> str:
    """The definition that stands for what `np.vectorize` made; "" where none does."""
    if spelling_of(type(value)) != "numpy.vectorize" or value.signature or value.excluded:
        return ""
    if value.otypes is None:
        return "numpy.vectorized"
    floats = [*map(dtype_of, value.otypes)] == ["float64"]
    return "numpy.vectorized_floats" if floats else ""


def batch_axes(value: Any) -> tuple[Any, Any] | None:
    """The axes of the arguments and of the result of what `adjointgen.vmap` made."""
    if spelling_of(type(value)) != "adjointgen.Batched":
        return None
    inward = value.in_axes
    axes = (*(inward if isinstance(inward, tuple) else (inward,)), value.out_axes)
    return (inward, value.out_axes) if all(a is None or type(a) is int for a in axes) else None


def _method_of(method: MethodType) -> str | None:
    """The spelling of a method of an object in a module, such as `scipy.stats.norm.cdf`."""
    spelling = f"{owner_of(method.__self__)}.{method.__name__}"
    return spelling if TABLE.find(spelling) is not None else None


def owner_of(value: Any) -> str | None:
    """The qualified name of an object whose methods the table spells: `scipy.stats.norm`."""
    for owner in _owners(len(TABLE.by_spelling)):
        module, _, name = owner.rpartition(".")
        if module in sys.modules and getattr(sys.modules[module], name, None) is value:
            return owner
    return None


@lru_cache(maxsize=4)
def _owners(size: int) -> tuple[str, ...]:
    """What the table spells methods of: no module of a package has the name of a distribution."""
    owners = {spelling.rpartition(".")[0] for spelling in TABLE.by_spelling}
    return tuple(sorted(owner for owner in owners if owner.startswith("scipy.stats.")))


def _loaded() -> int:
    """How many of the modules that the table knows are loaded: more may be, later on."""
    homes = _homes(len(TABLE.by_spelling))
    return len(homes & sys.modules.keys())


@lru_cache(maxsize=4)
def _homes(size: int) -> frozenset[str]:
    """The modules of all spellings."""
    return frozenset(spelling.rpartition(".")[0] for spelling in (*TABLE.by_spelling, *SPELLINGS))


@lru_cache(maxsize=4)
def _by_identity(size: int, loaded: int) -> dict[int, tuple[object, str]]:
    """The spellings of the table by the objects that they denote, in modules that are loaded.

    What stands under a name of another function was put there by somebody.
    """
    found: dict[int, tuple[object, str]] = {}
    for spelling in (*TABLE.by_spelling, *SPELLINGS):
        module, _, name = spelling.rpartition(".")
        if module and module in sys.modules and hasattr(sys.modules[module], name):
            value = getattr(sys.modules[module], name)
            if wraps_declared(value, spelling):
                continue
            known = found.get(id(value))
            if known is None or (
                held_under(value, "__name__", "") == name != known[1].rpartition(".")[2]
            ):
                found[id(value)] = value, spelling
    return found


def wraps_declared(value: object, spelling: str) -> bool:
    """Whether this is a wrapper of the function that a rule of this name was declared for."""
    declared = Declared.functions.get(spelling)
    return declared is not None and plain(value) is not plain(declared)


def live(spelling: str) -> tuple[object, object]:
    """What has a function, and the function, in modules that are loaded."""
    module, *names = spelling.split(".")
    owner: object = None
    found: object = sys.modules.get(module)
    for name in names:
        owner, found = found, getattr(found, name, None)
    return owner, found


def meant(spelling: str) -> object:
    """What a name stands for, which has other names as well: `np.double` is `np.float64`."""
    found = live(spelling)[1]
    return sys.intern(spelling) if found is None else found


def enum_member(spelling: str) -> Enum | None:
    """The entry of an enumeration that a qualified name stands for."""
    found = live(spelling)[1]
    return found if isinstance(found, Enum) else None


def entry_spelling(value: object) -> str:
    """The qualified name of an entry of an enumeration; "" where none stands for it."""
    if not isinstance(value, Enum):
        return ""
    kind = type(value)
    spelling = f"{kind.__module__}.{kind.__qualname__}.{value._name_}"
    return spelling if live(spelling)[1] is value else ""


def plain_value(spelling: str) -> int | float | str | None:
    """What an entry of an `IntEnum`, or of another enumeration of numbers or texts, is as one."""
    held: object = enum_member(spelling)
    match held:
        case int() as entry:
            return int.__int__(entry)
        case float() as entry:
            return float.__float__(entry)
        case str() as entry:
            return str.__str__(entry)
    return None


def enum_class(spelling: str) -> EnumMeta | None:
    """The enumeration that a qualified name stands for."""
    found = live(spelling)[1]
    return found if type(found) is EnumMeta else None


def entries_of(kind: EnumMeta) -> list[str]:
    """The names of the entries of an enumeration that a loop over it gives."""
    members: dict[str, Any] = dict(kind.__members__)
    return [name for name, member in members.items() if member.name == name]


def from_line(spelling: str, text: str) -> str:
    """The line that imports what a name of the module stands for; "" where none can.

    What is reached through another object, `TABLE[0]`, is imported with that.
    """
    module, _, name = spelling.rpartition(".")
    if module == "builtins" or not (name.isidentifier() and text.isidentifier()):
        return ""
    if module in sys.modules and not hasattr(sys.modules[module], name):
        return ""
    return f"from {module} import {name}" + ("" if name == text else f" as {text}")


def literal(value: object) -> str:
    """A constant as an expression; not every number reads as it prints."""
    finite = not isinstance(value, float) or math.isfinite(value)
    return repr(value) if finite else f'float("{value!r}")'


def type_outside(value: Any) -> Type:
    """The type of an object that is read at run time: of an array, or of a list of numbers."""
    if type(value) is list and value and {*map(type, value)} <= {int, float}:
        return Type("float64" if float in map(type, value) else "int64", (None,), "list")
    dtype, shape = held_under(value, "dtype", None), held_under(value, "shape", None)
    if not is_array(value):
        return OBJECT
    if str(dtype) not in DTYPES or not isinstance(shape, tuple):
        return OBJECT
    return Type(str(dtype), (None,) * len(shape), kind_of(value))


def kind_of(value: Any) -> Literal["array", "scalar"]:
    """What is read of an array, or of a number of NumPy's: one without axes can be written to."""
    return "array" if value.shape or hasattr(value, "__setitem__") else "scalar"


def is_array(value: Any) -> bool:
    """Whether what has a shape computes as NumPy's arrays do: `*` entry by entry, no mask.

    A class that is derived from NumPy's may not replace what it computes with, only what it is made
    with and shown as.
    """
    kinds = type(value).__mro__
    if any(c.__module__.startswith("scipy.sparse") for c in kinds):
        return False
    derived = kinds[: kinds.index(np.ndarray)] if np.ndarray in kinds else ()
    alike = all(c is np.memmap or _computes_alike(c) for c in derived)
    if derived and alike:
        meet(kinds[0])
    return alike


_ABOUT_THE_OBJECT: Final = {
    *("__new__", "__init__", "__del__", "__init_subclass__", "__array_finalize__"),
    *("__doc__", "__module__", "__dict__", "__weakref__", "__slots__", "__annotations__"),
    *("__class_getitem__", "__firstlineno__", "__static_attributes__", "__array_priority__"),
    *("__repr__", "__str__", "__format__", "__dir__", "__sizeof__"),
    *("__reduce__", "__reduce_ex__", "__setstate__", "__getstate__"),
}
"""What a class may have of its own whose instances compute as NumPy's arrays do."""


@cache
def _computes_alike(kind: type) -> bool:
    """Whether a class derived from NumPy's array replaces nothing that computes."""
    hidden = {name for name in vars(kind) if hasattr(np.ndarray, name)}
    asked = {"__getattr__", "__getattribute__", "__array_function__", "__array_ufunc__"}
    return not (hidden - _ABOUT_THE_OBJECT or asked & vars(kind).keys())

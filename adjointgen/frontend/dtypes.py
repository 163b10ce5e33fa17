"""What is asked of dtypes: a dtype is known when the program is made, and stands as its name."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from adjointgen.frontend.calls import Call, Special
from adjointgen.frontend.cells import content, read
from adjointgen.frontend.context import Context
from adjointgen.frontend.foreign import live, type_named
from adjointgen.frontend.values import Abstract, Class, Named, Ref, Struct
from adjointgen.ir.nodes import Const, Value
from adjointgen.rules.build import const

NAMES = frozenset(np.dtype(c).name for c in "?bhilqBHILQefdFD")
ATTRIBUTES = ("kind", "name", "char", "itemsize", "num", "str")


def known_dtype(value: Abstract) -> np.dtype[Any] | None:
    """The dtype that a name or a type stands for, of those that numbers have."""
    named: object = None
    match value:
        case Const(value=str(text)) if text in NAMES:
            named = text
        case Named(spelling=spelling):
            named = live(spelling)[1]
        case Class(type=named):
            pass
    if not isinstance(named, str | type) or named is type(None):
        return None
    with suppress(TypeError):
        found = np.dtype(named)
        return found if found.name in NAMES else None
    return None


def attribute(owner: Abstract, name: str) -> Const | None:
    """`x.dtype.kind` and its kin."""
    is_name = isinstance(owner, Const) and isinstance(owner.value, str)
    found = known_dtype(owner) if is_name and name in ATTRIBUTES else None
    return None if found is None else const(getattr(found, name))


def equal(a: Abstract, b: Abstract) -> bool | None:
    """Whether a dtype is the one that a type stands for."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Const) and isinstance(other, Named):
            found, asked = known_dtype(one), known_dtype(other)
            if found is not None and asked is not None:
                return found == asked
    return None


def result_type(call: Call) -> Abstract | None:
    """`np.result_type(a, b)` of arrays and dtypes; the width of Python's numbers is left open."""
    parts = [_dtype_of(call.ctx, arg) for arg in call.args]
    if call.keywords or not parts or any(part is None for part in parts):
        return None
    return const(np.result_type(*[part for part in parts if part is not None]).name)


def _dtype_of(ctx: Context, value: Abstract) -> np.dtype[Any] | None:
    known = content(ctx, value)
    if isinstance(known, Value | Ref):
        type = read(ctx, value).type
        return np.dtype(type.dtype) if type.is_array and type.dtype in NAMES else None
    return known_dtype(known)


def dtype(call: Call) -> Abstract | None:
    """`np.dtype(float)`."""
    found = known_dtype(content(call.ctx, call.args[0])) if len(call.args) == 1 else None
    return None if found is None else const(found.name)


def issubdtype(call: Call) -> Abstract | None:
    """`np.issubdtype(x.dtype, np.floating)`."""
    if len(call.args) != 2:
        return None
    found = known_dtype(content(call.ctx, call.args[0]))
    above = type_named(call.args[1])
    if found is None or above is None:
        return None
    return const(bool(np.issubdtype(found, above)))


class Floats:
    """What `np.finfo` tells: an instance without code of its own."""


def finfo(call: Call) -> Abstract | None:
    """`np.finfo(float)`: its numbers are constants."""
    known = content(call.ctx, call.args[0]) if len(call.args) == 1 else const(None)
    named = known_dtype(known)
    if named is None and isinstance(known, Value | Ref):
        named = np.dtype(read(call.ctx, known).type.dtype)
    if named != np.float64:
        return None
    items = tuple(const(float(getattr(np.finfo(np.float64), name))) for name in _FACTS)
    return Struct(Class(Floats, "np.finfo", "import numpy as np"), _FACTS, items)


class Integers:
    """What `np.iinfo` tells."""


def iinfo(call: Call) -> Abstract | None:
    """`np.iinfo(int)`: its numbers are constants."""
    known = content(call.ctx, call.args[0]) if len(call.args) == 1 else const(None)
    named = known_dtype(known)
    if named is None or named.kind not in "iu":
        return None
    told = np.iinfo(named)
    items = (const(int(told.min)), const(int(told.max)), const(int(told.bits)))
    return Struct(Class(Integers, "np.iinfo", "import numpy as np"), ("min", "max", "bits"), items)


_FACTS = ("eps", "epsneg", "max", "min", "resolution", "tiny", "smallest_normal", "bits")


DTYPES: dict[str, Special] = {
    "numpy.finfo": finfo,
    "numpy.iinfo": iinfo,
    "numpy.dtype": dtype,
    "numpy.result_type": result_type,
    "numpy.promote_types": result_type,
    "numpy.issubdtype": issubdtype,
}

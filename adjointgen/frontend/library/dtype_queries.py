"""What is asked of dtypes, which are known when the program is made: how they are spelled, and by
what attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from adjointgen.frontend.calls.known_calls import Call, Special
from adjointgen.frontend.domain.abstract_values import Abstract, Class, Named, Ref, Struct
from adjointgen.frontend.domain.constants import constant
from adjointgen.frontend.domain.named_types import type_named
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.static_options import known_dtype
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Dtype, Value
from adjointgen.ir.types import DTYPES, INTEGER, promote
from adjointgen.rules.framework.builder import const

ATTRIBUTES = (
    *("kind", "name", "char", "itemsize", "num", "str", "byteorder", "isnative", "alignment"),
    *("ndim", "shape", "hasobject", "isbuiltin", "names", "fields", "subdtype"),
)


def attribute(owner: Abstract, name: str) -> Abstract | None:
    """`x.dtype.kind` and its kin."""
    if not (isinstance(owner, Const) and isinstance(owner.value, Dtype)):
        return None
    found = np.dtype(owner.value.name)
    if name == "type":
        spelled = "bool_" if found.name == "bool" else found.name
        return Named(f"numpy.{spelled}", f"np.{spelled}", "import numpy as np")
    if name == "base":
        return owner
    return constant(getattr(found, name)) if name in ATTRIBUTES else None


def result_type(call: Call) -> Abstract | None:
    """`np.result_type(a, b)` of arrays, dtypes and numbers."""
    found = _common(call)
    return None if found is None else const(Dtype(found))


def common_type(call: Call) -> Abstract | None:
    """`np.common_type(a, b)`: the class of a floating-point number."""
    found = _common(call)
    floats = found is not None and found not in INTEGER
    return attribute(const(Dtype(found)), "type") if found is not None and floats else None


def _common(call: Call) -> str | None:
    """What arguments are promoted to.

    A number may be Python's or NumPy's, which differ beside arrays of less than double precision.
    """
    parts = [_dtype_of(call.ctx, arg) for arg in call.args]
    found = [part.name for part, _ in parts if part is not None]
    numbers = any(number for _, number in parts)
    if call.keywords or not found or len(found) < len(parts):
        return None
    if numbers and not all(name in ("bool", "int64", "float64", "complex128") for name in found):
        return _beside_literals(call.ctx, call.args)
    return promote(*found)


def _beside_literals(ctx: Context, args: Sequence[Abstract]) -> str | None:
    """The dtype of arrays and of literals, which are numbers of Python's."""
    literals: list[Any] = [arg.value for arg in args if _is_literal(arg)]
    others = [_dtype_of(ctx, arg) for arg in args if not _is_literal(arg)]
    if any(part is None or number for part, number in others):
        return None
    return str(np.result_type(*(part for part, _ in others if part), *literals))


def _is_literal(value: Abstract) -> TypeGuard[Const]:
    return isinstance(value, Const) and type(value.value) in (bool, int, float, complex)


def _dtype_of(ctx: Context, value: Abstract) -> tuple[np.dtype[Any] | None, bool]:
    """The dtype of an argument, and whether it is that of a number."""
    known = content(ctx, value)
    is_operand = isinstance(known, Value | Ref) or (
        isinstance(known, Const) and known.type.dtype in DTYPES
    )
    if not is_operand:
        return known_dtype(known), False
    ctx.check_dtype(operand := read(ctx, value))
    type = operand.type
    plain = type.kind in ("scalar", "array") and type.dtype in DTYPES
    return (np.dtype(type.dtype) if plain else None), type.is_scalar


def dtype(call: Call) -> Abstract | None:
    """`np.dtype(float)`."""
    alone = len(call.args) == 1 and not call.keywords
    found = known_dtype(content(call.ctx, call.args[0])) if alone else None
    return None if found is None else const(Dtype(found.name))


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


SPECIAL: dict[str, Special] = {
    "numpy.finfo": finfo,
    "numpy.iinfo": iinfo,
    "numpy.dtype": dtype,
    "numpy.result_type": result_type,
    "numpy.promote_types": result_type,
    "numpy.common_type": common_type,
    "numpy.issubdtype": issubdtype,
}

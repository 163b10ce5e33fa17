"""The types of live values: what a program is specialised to."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from adjointgen.frontend.domain.abstract_values import Fixed, Parts
from adjointgen.frontend.domain.qualified_names import is_array
from adjointgen.frontend.domain.structures import Argument, parts_of
from adjointgen.ir.types import DTYPES, FLOAT, INT, Dim, Type
from adjointgen.wrapping import held_under

SCALARS = {"float": FLOAT, "int": INT, "complex": Type("complex128")}


def type_of(name: str, value: Any, whole: bool = False) -> Argument:
    """The type of a live argument. An axis of length 1 is known; any other is a symbol.

    Of an instance, all attributes are open if it is wanted as a `whole`.
    """
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return Fixed(value)
    if isinstance(value, float | int | complex) and type(value) in (float, int, complex):
        return SCALARS[type(value).__name__]
    dtype, shape = held_under(value, "dtype"), held_under(value, "shape")
    if shape and not is_array(value):
        return Fixed(value)
    if str(dtype) in DTYPES and isinstance(shape, tuple):
        if not shape and not hasattr(value, "__setitem__"):
            return Type(str(dtype))
        dims = tuple(Dim("", 1) if n == 1 else Dim(f"{name}.{k}") for k, n in enumerate(shape))
        return Type(str(dtype), dims, "array")
    if type(value) is list and value:
        found = _list_type(name, value)
        if found is not None:
            return found
    return parts_of(name, value, partial(type_of, whole=whole), whole) or Fixed(value)


def opened_list(name: str, value: list[Any], type: Type) -> Argument:
    """A list of this type as its entries, of which there are as many as now."""
    if type.rank != 1:
        return parts_of(name, value, type_of) or Fixed(value)
    count = len(value)
    return Parts("list", tuple(range(count)), (Type(type.dtype),) * count, value)


def _list_type(name: str, value: list[Any]) -> Type | None:
    """The type of a list of numbers, or of arrays of one shape."""
    if len({np.shape(v) if hasattr(v, "dtype") else () for v in value}) > 1:
        return None
    if not all(type(v) in (int, float, complex) or hasattr(v, "dtype") for v in value):
        return None
    entries = [type_of(f"{name}.0", v) for v in value]
    types = [e for e in entries if isinstance(e, Type)]
    if len(types) < len(value) or len({(t.kind, t.shape) for t in types}) > 1:
        return None
    known = ("int64", "float64", "complex128")
    if {t.dtype for t in types} - {*known}:
        return None
    dtype = max((t.dtype for t in types), key=known.index)
    first = types[0].shape or ()
    length = Dim("", 1) if len(value) == 1 else Dim(f"{name}.0")
    return Type(dtype, (length, *(None for _ in first)), "list")

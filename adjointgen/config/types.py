"""Types of arguments as they are declared: `float`, `int`, `float64[:, :]`, `list[float]`.

    type    = name | name "[" length {"," length} "]" | name "[...]" | "list[" type "]" | "object"
    length  = ":" | number | the name of an integer argument

`:` is any length but 1, since what has length 1 broadcasts, and code that sums over a broadcast
axis is other code. `float[:]` means `float64[:]`; `float64[...]` is an array of any rank.
"""

from __future__ import annotations

import re
from typing import Final

from adjointgen.ir.types import COMPLEX, INTEGER, OBJECT, REAL, Dim, Type

SHORT: Final = {"float": "float64", "int": "int64", "complex": "complex128"}
_DTYPES: Final = frozenset((*REAL, *COMPLEX, *INTEGER))
_FORM: Final = re.compile(r"(?P<dtype>\w+)(?: *\[(?P<lengths>[^\[\]]*)\])?")
_LIST: Final = re.compile(r"list *\[(?P<item>.*)\]")


def argument_type(name: str, text: str) -> Type:
    """The type that is declared for an argument.

    Raises ValueError where the text is no type.
    """
    text = text.strip()
    if text == "object":
        return OBJECT
    if match := _LIST.fullmatch(text):
        item = argument_type(name, match["item"])
        if item.kind == "object" or item.shape is None:
            raise ValueError(f"{text!r}: a list holds numbers, or arrays of known rank")
        inner = (None for _ in item.shape)
        return Type(item.dtype, (Dim(f"{name}.0"), *inner), "list")
    match = _FORM.fullmatch(text)
    dtype = SHORT.get(match["dtype"], match["dtype"]) if match else ""
    if match is None or dtype not in _DTYPES:
        raise ValueError(
            f"{text!r} is no type; write float, int, bool, float64[:], int64[:, 3] or list[float]"
        )
    if match["lengths"] is None:
        return Type(dtype)
    if match["lengths"].strip() == "...":
        return Type(dtype, None, "array")
    lengths = match["lengths"].split(",")
    shape = tuple(_length(text, name, k, one.strip()) for k, one in enumerate(lengths))
    return Type(dtype, shape, "array")


def _length(text: str, name: str, axis: int, length: str) -> Dim:
    if length == ":":
        return Dim(f"{name}.{axis}")
    if length.isdecimal():
        return Dim("", int(length))
    if length.isidentifier():
        return Dim(length)
    raise ValueError(f"{text!r}: the length {length!r} is not `:`, a number or a name")


def canonical_type(text: str) -> str:
    """The one spelling of a declared type. Raises ValueError where it is none."""
    argument_type("x", text)
    text = re.sub(r"\s+", "", text).replace(",", ", ")
    for short, dtype in SHORT.items():
        text = text.replace(f"{short}[", f"{dtype}[")
    return text

"""jaxtyping's array types: `Float[np.ndarray, "n m"]`.

    n  3          a length that a name stands for, or a number
    _  _rows      a length that nothing else has
    #n  n-1       a length that may be 1, or is computed: nothing is known of it
    *batch  ...   any number of axes: the rank is open
    name=3        a number with a remark

Source: the documentation of jaxtyping, "Array annotations". Packages are not imported.
"""

from __future__ import annotations

from typing import Final

from adjointgen.ir.types import Dim, Shape

_NAMES: Final = {
    "Float": "float64",
    "Inexact": "float64",
    "Num": "float64",
    "Real": "float64",
    "Shaped": "float64",
    "Complex": "complex128",
    "Int": "int64",
    "Integer": "int64",
    "UInt": "uint64",
    "Bool": "bool",
}
_WIDTHS: Final = ("float16", "float32", "float64", "complex64", "complex128", "int8", "int16")
_WIDTHS_MORE: Final = ("int32", "int64", "uint8", "uint16", "uint32", "uint64")
_KINDS: Final = _NAMES | {
    w.capitalize().replace("Uint", "UInt"): w for w in (*_WIDTHS, *_WIDTHS_MORE)
}


def spelled_kind(found: str) -> str:
    """The dtype that one of jaxtyping's names stands for; empty for other names."""
    head, _, tail = found.rpartition(".")
    return _KINDS.get(tail, "") if head in ("", "jaxtyping") else ""


def shape_of(name: str, text: str) -> Shape | None:
    """The lengths that a text gives; None where it leaves the number of axes open."""
    shape: list[Dim | None] = []
    for axis, word in enumerate(text.split()):
        word = word.partition("=")[2] if "=" in word else word
        if word.startswith("*") or word == "...":
            return None
        if word.isdecimal():
            shape.append(Dim("", int(word)))
        elif word.startswith("_"):
            shape.append(Dim(f"{name}.{axis}"))
        else:
            shape.append(Dim(word) if word.isidentifier() else None)
    return tuple(shape)

"""What Python accepts from the methods that built-in functions and tests ask an object for.

    bool(a), if a:     a.__bool__() has to be True or False
    len(a), if a:      a.__len__() has to be an integer that is not negative
    float(a), int(a)   a.__float__() and a.__int__() have to be of that class

Anything else ends the path in the exception that Python raises.
"""

from __future__ import annotations

from typing import Final

from adjointgen.frontend.domain.abstract_values import Abstract
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.storage_cells import content
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import COMPLEX, INTEGER

_SAID: Final = {
    "__bool__": "__bool__ should return bool, returned {}",
    "__len__": "'{}' object cannot be interpreted as an integer",
    "__float__": "{owner}.__float__ returned non-float (type {})",
    "__int__": "__int__ returned non-int (type {})",
}
_CLASSES: Final = {"__bool__": bool, "__len__": int, "__float__": float, "__int__": int}
_OF_DTYPES: Final = {
    **dict.fromkeys(INTEGER, int),
    **dict.fromkeys(COMPLEX, complex),
    "float64": float,
    "bool": bool,
}
"""The classes of Python's numbers by their dtypes; NumPy's numbers of these are taken alike."""


def as_python_takes(ctx: Context, method: str, made: Abstract, owner: str = "") -> Abstract:
    """The result of a method of the class `owner` that is asked for, or the end of the path."""
    known = content(ctx, made)
    name = "" if method not in _SAID else _wrong(method, known)
    if name:
        return fails(ctx, "TypeError", _SAID[method].format(name, owner=owner))
    if method == "__len__" and isinstance(known, Const) and _is_negative(known.value):
        return fails(ctx, "ValueError", "__len__() should return >= 0")
    return made


def _is_negative(value: object) -> bool:
    return isinstance(value, int) and value < 0


def _wrong(method: str, known: Abstract) -> str:
    """The class of a result that Python does not take; empty where it may take it."""
    wanted = _CLASSES[method]
    if isinstance(known, Const):
        value = known.value
        plain = value is None or isinstance(value, bool | int | float | complex | str)
        return "" if not plain or isinstance(value, wanted) else type(value).__name__
    if not isinstance(known, Value) or known.type.kind != "scalar":
        return ""
    found = _OF_DTYPES.get(known.type.dtype)
    return "" if found is None or issubclass(found, wanted) else found.__name__

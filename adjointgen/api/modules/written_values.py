"""Values as text, for arguments on a command line and in the header of a module.

    1.5    3    'cubic'    (1, 2.0)    {"k": 2.0}        as Python writes them
    [0.1, 0.2]    [[1, 0], [0, 1]]                       an array of floats
    int64([1, 2])    list([1.0, 2.0])                    an array of this dtype, a list
    float64[4, 3]                                        an array of this shape, made up
    Params(log_q=0.3, weights=float64[3])                an instance of a class of the module

Whatever is a word is a string: `cubic`. What is made up is the same for the same text of an
argument of the same name: two arrays of one shape differ, since a function may divide by what is
left of one when the other is taken from it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from adjointgen.frontend.domain.structures import fields_of, is_dataclass
from adjointgen.ir.types import COMPLEX, INTEGER, REAL

LOW: Final = 0.1
HIGH: Final = 0.4
WHOLE: Final = 3
SHORT: Final = 40
"""Arrays of which the text is longer are written as their shape."""
_DTYPES: Final = (*REAL, *COMPLEX, *INTEGER)
_NAMES: Final = {"nan": float("nan"), "inf": float("inf")}
Classes = Callable[[str], Any]


def read_value(text: str, classes: Classes, name: str = "") -> Any:
    """The value that a text writes for the argument of a name; `classes` finds one by name.

    Raises ValueError where it writes none.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return text
    if isinstance(node, ast.Name) and node.id not in _NAMES:
        return text
    return _Reader(text, classes, name).value(node)


class _Reader:
    """Reads one text."""

    def __init__(self, text: str, classes: Classes, name: str) -> None:
        self.text, self.classes = text, classes
        self.rng = np.random.default_rng([*name.encode()])

    def value(self, node: ast.expr) -> Any:
        match node:
            case ast.List(elts=elts):
                entries = [self.value(e) for e in elts]
                numbers = _numbers(entries)
                return entries if numbers is None else numbers
            case ast.Tuple(elts=elts):
                return tuple(self.value(e) for e in elts)
            case ast.Dict(keys=keys, values=values) if None not in keys:
                rows = zip(keys, values, strict=True)
                return {self.value(k): self.value(v) for k, v in rows if k is not None}
            case ast.Subscript(value=ast.Name(id=dtype), slice=lengths) if dtype in _DTYPES:
                return self.made_up(dtype, ast.literal_eval(lengths))
            case ast.Call(func=ast.Name(id="list"), args=[ast.List(elts=elts)]):
                return [self.value(e) for e in elts]
            case ast.Call(func=ast.Name(id=dtype), args=[inner]) if dtype in _DTYPES:
                found = np.array(self.plain(inner), dtype)
                return found if isinstance(inner, ast.List) else found[()]
            case ast.Call(func=cls, args=[], keywords=keywords):
                parts = {k.arg: self.value(k.value) for k in keywords if k.arg}
                return _instance(self.classes(ast.unparse(cls)), parts)
        return self.plain(node)

    def plain(self, node: ast.expr) -> Any:
        """What Python's literals write, and NaN and infinity."""
        match node:
            case ast.Name(id=name) if name in _NAMES:
                return _NAMES[name]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id=name)) if name in _NAMES:
                return -_NAMES[name]
            case ast.List(elts=elts):
                return [self.plain(e) for e in elts]
        try:
            return ast.literal_eval(node)
        except (ValueError, TypeError) as error:
            raise ValueError(f"{self.text!r} writes no value: {ast.unparse(node)}") from error

    def made_up(self, dtype: str, lengths: Any) -> Any:
        shape = lengths if isinstance(lengths, tuple) else (lengths,)
        if not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"{self.text!r}: lengths are numbers")
        if dtype == "bool":
            return np.ones(shape, "bool")
        if dtype in INTEGER:
            return np.full(shape, WHOLE, dtype)
        return self.rng.uniform(LOW, HIGH, shape).astype(dtype)


def _numbers(entries: list[Any]) -> Any:
    """An array of floats, where a list holds numbers alone, or rows of them."""
    if not entries or not all(_is_row(e) for e in entries):
        return None
    if len({np.shape(e) for e in entries}) > 1:
        return None
    dtype = "complex128" if any(np.asarray(e).dtype.kind == "c" for e in entries) else "float64"
    return np.array(entries, dtype)


def _is_row(entry: Any) -> bool:
    return type(entry) in (int, float, complex) or isinstance(entry, np.ndarray)


def _instance(cls: Any, parts: dict[str, Any]) -> Any:
    """An instance of these parts, as it was written: its constructor is not run."""
    if issubclass(cls, tuple):
        return cls(**parts)
    made = cls.__new__(cls)
    for name, part in parts.items():
        object.__setattr__(made, name, part)
    return made


def written_value(value: Any, classes: Classes | None, shapes: bool = False) -> str:
    """A text that reads as this value, long arrays as their shape.

    With `shapes`, which is not to be read, floats and short arrays are of no value either.

    Raises ValueError where there is none.
    """
    if isinstance(value, np.ndarray) and not value.shape:
        raise ValueError("an array without axes is not written as text")
    if isinstance(value, np.ndarray | np.generic):
        return _written_array(np.asarray(value), shapes)
    if isinstance(value, bool | str | bytes | type(None)) or type(value) is int:
        return repr(value)
    if type(value) in (float, complex):
        return type(value).__name__ if shapes else repr(value)

    def part(entry: Any) -> str:
        return written_value(entry, classes, shapes)

    if type(value) is list:
        entries = f"[{', '.join(map(part, value))}]"
        return f"list({entries})" if all(map(_is_row, value)) else entries
    if type(value) is tuple:
        return f"({', '.join(map(part, value))}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return f"{{{', '.join(f'{k!r}: {part(v)}' for k, v in value.items())}}}"
    return _written_instance(value, classes, part)


def _written_instance(value: Any, classes: Classes | None, part: Callable[[Any], str]) -> str:
    cls = type(value)
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        names = list(cls._fields)
    elif is_dataclass(cls):
        names = [f.name for f in fields_of(cls) if hasattr(value, f.name)]
    else:
        raise ValueError(f"an instance of {cls.__qualname__} is not written as text")
    if classes is not None and classes(cls.__qualname__) is not cls:
        raise ValueError(f"{cls.__qualname__} is not in the module")
    rows = (f"{name}={part(getattr(value, name))}" for name in names)
    return f"{cls.__qualname__}({', '.join(rows)})"


def _written_array(value: Any, shapes: bool) -> str:
    dtype = str(value.dtype)
    if dtype not in _DTYPES:
        raise ValueError(f"an array of {dtype} is not written as text")
    if not value.shape:
        return dtype if shapes else f"{dtype}({value.item()!r})"
    text = f"{dtype}({value.tolist()!r})" if 0 < value.size <= SHORT else ""
    if text and len(text) <= SHORT and not shapes:
        return text
    return f"{dtype}[{', '.join(map(str, value.shape))}]"

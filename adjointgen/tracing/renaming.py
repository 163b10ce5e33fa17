"""Calls of `float`, `complex`, `np.float64` and their like, in the functions that a run reaches.

A type that is called with a stand-in reads its number and hands on a plain one, and neither the
type nor its name can be replaced: `type(x) is float` has to hold. So the code of a function gets
another name where it *calls* one of them, which the bytecode tells from other uses: a global that
is about to be called is loaded with a NULL. Where a function is not reached by names, such a call
is refused (AG160), as in code in C.
"""

from __future__ import annotations

import builtins
import dis
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

PREFIX: Final = "__adjointgen_"
BUILTIN: Final = ("float", "complex")
SCALARS: Final = (
    "float64",
    "float32",
    "float16",
    "complex128",
    "complex64",
    "double",
    "longdouble",
)
SHIFTED: Final = sys.version_info >= (3, 12)
"""Whether the number of an attribute has a bit below it, as that of a global has."""
MOST: Final = 3000
_LIBRARY: Final = frozenset({"numpy", "adjointgen", *sys.stdlib_module_names})


def reached(roots: list[Any]) -> list[FunctionType]:
    """The Python functions that can be reached from these by names, closures and classes."""
    found: dict[int, FunctionType] = {}
    seen: set[int] = set()
    stack = list(roots)
    while stack and len(found) < MOST:
        one = stack.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, FunctionType):
            found[id(one)] = one
        stack += _from(one)
    return list(found.values())


def _from(one: Any) -> Iterator[Any]:
    """What leads on from a function, method, class, partial or object."""
    if isinstance(one, FunctionType):
        if str(one.__module__).partition(".")[0] not in _LIBRARY:
            yield from _globals(one)
        for cell in one.__closure__ or ():
            if (value := _content(cell)) is not None:
                yield value if callable(value) else type(value)
        if (inner := getattr(one, "__wrapped__", None)) is not None:
            yield inner
    elif isinstance(one, types.MethodType):
        yield one.__func__
        yield type(one.__self__)
    elif isinstance(one, staticmethod | classmethod):
        yield one.__func__
    elif isinstance(one, property):
        yield from (part for part in (one.fget, one.fset) if part is not None)
    elif isinstance(one, type):
        if one.__module__.partition(".")[0] not in {*_LIBRARY, "builtins"}:
            yield from list(vars(one).values())
            yield from one.__bases__
    elif type(one).__name__ == "partial":
        yield one.func
        yield from map(type, (*one.args, *one.keywords.values()))
    elif callable(one) and not isinstance(one, types.BuiltinFunctionType):
        yield type(one)
        if hasattr(one, "__wrapped__"):
            yield one.__wrapped__


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _globals(function: FunctionType) -> Iterator[Any]:
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if isinstance(value, ModuleType):
            if value.__name__.partition(".")[0] not in _LIBRARY:
                space = vars(value)
                yield from (space[n] for n in names & space.keys() if callable(space[n]))
        else:
            yield value if callable(value) else type(value)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def renamed(code: CodeType, space: dict[str, Any]) -> CodeType:
    """The code with other names for the types that it calls; itself where it calls none."""
    consts = tuple(renamed(c, space) if isinstance(c, CodeType) else c for c in code.co_consts)
    names, text = list(code.co_names), bytearray(code.co_code)
    for at, name in _called(code, space):
        new = PREFIX + name
        if new not in names:
            names.append(new)
        number = names.index(new)
        if dis.opname[text[at]] == "LOAD_GLOBAL" or SHIFTED:
            number = (number << 1) | (text[at + 1] & 1)
        if number > 255 or (at >= 2 and dis.opname[text[at - 2]] == "EXTENDED_ARG"):
            continue
        text[at + 1] = number
    if bytes(text) == code.co_code and consts == code.co_consts:
        return code
    return code.replace(co_code=bytes(text), co_names=tuple(names), co_consts=consts)


def _called(code: CodeType, space: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Where a type is loaded to be called: the offset, and the name."""
    listed = list(dis.get_instructions(code))
    for one, attribute, after in zip(listed, listed[1:], listed[2:], strict=False):
        if one.opname != "LOAD_GLOBAL":
            continue
        null = bool(one.arg is not None and one.arg & 1)
        if one.argval in BUILTIN:
            if null and one.argval not in space:
                yield one.offset, str(one.argval)
        elif attribute.argval in SCALARS and space.get(one.argval) is np:
            method = attribute.opname == "LOAD_METHOD" or (
                attribute.opname == "LOAD_ATTR" and SHIFTED and bool((attribute.arg or 0) & 1)
            )
            whole = null and attribute.opname == "LOAD_ATTR" and after.opname != "LOAD_ATTR"
            if method or (whole and after.opname != "LOAD_METHOD"):
                yield attribute.offset, str(attribute.argval)


@contextmanager
def renaming(functions: list[FunctionType], calls: dict[str, Any]) -> Iterator[None]:
    """Have these functions call what is given in place of the types."""
    changed: list[tuple[FunctionType, CodeType]] = []
    try:
        for name, value in calls.items():
            setattr(np if name in SCALARS else builtins, PREFIX + name, value)
        for function in functions:
            code = function.__code__
            new = renamed(code, function.__globals__)
            if new is not code:
                changed.append((function, code))
                function.__code__ = new
        yield
    finally:
        for function, code in changed:
            function.__code__ = code
        for name in calls:
            delattr(np if name in SCALARS else builtins, PREFIX + name)

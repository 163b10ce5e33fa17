"""What a live object is to a generated program, in words that any process would use.

    number, string, tuple of these      its value
    function with source                its place, its text and its code
    module, function of a known module  its name
    array                               dtype and rank: its entries are read at run time
    any other object                    its class

Where two objects have one description, the frontend makes the same of them. Objects for which
there are no such words have none: a program that depends on one is not kept on disk.
"""

from __future__ import annotations

import builtins
import hashlib
import inspect
import linecache
import sys
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from adjointgen.watch import MISSING, State
from adjointgen.wrapping import plain

MOST: Final = 4096
"""Entries of a container that are described."""
_LITERALS: Final = (bool, int, float, complex, str, type(None))


def described(value: Any) -> str | None:
    """What an object is, or None where that cannot be said."""
    if value is MISSING:
        return "missing"
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if (literal := _literal(value)) is not None:
        return literal
    if isinstance(value, State):
        return _defaults(value)
    if type(value) in (list, tuple, dict):
        return _contents(value)
    if callable(value):
        return _callable(plain(value))
    # An object may have a `__getattr__` of its own, which is not run for this.
    arrays = hasattr(type(value), "dtype") and hasattr(type(value), "shape")
    dtype, shape = (value.dtype, value.shape) if arrays else (None, None)
    if dtype is not None and isinstance(shape, tuple):
        return f"{_class(value)} of {dtype}, rank {len(shape)}"
    return f"object of {_class(value)}"


def _defaults(state: State) -> str | None:
    """The defaults of a function; its code is described with its text."""
    given = [*(state.defaults or ()), *state.keywords.values()]
    told = [described(value) for value in given]
    if None in told:
        return None
    return f"defaults {told} for {len(state.defaults or ())} and {[*state.keywords]}"


def _contents(value: Any) -> str | None:
    """The kinds of what is in a container; None where it holds functions or the like."""
    keys = [*value] if type(value) is dict else []
    entries = [*value.values()] if type(value) is dict else [*value]
    if len(entries) > MOST or not all(map(_literal, keys)):
        return None
    told = [type(v).__name__ if type(v) in _LITERALS else described(v) for v in entries]
    return None if None in told else f"{type(value).__name__} {keys} of {told}"


def written(function: FunctionType) -> str | None:
    """A hash of a function's text, code and place; None where the text is not known."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    text = _text(lines, code)
    if text is None:
        return None
    line = str(code.co_firstlineno)
    place = (code.co_filename, _shown(code.co_filename), line, function.__module__ or "")
    return hashed([*place, function.__qualname__, text, *_code(code)])[:32]


def cells_of(function: FunctionType) -> str:
    """The captured numbers and strings of a function, by name."""
    names = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return ", ".join(f"{name} = {_captured(cell)}" for name, cell in names)


def _captured(cell: Any) -> str:
    try:
        return _literal(cell.cell_contents) or ""
    except ValueError:
        return ""


def _literal(value: Any) -> str | None:
    if type(value) in _LITERALS:
        return f"{type(value).__name__} {value!r}"
    if type(value) is tuple:
        entries = [_literal(entry) for entry in value]
        if None not in entries:
            return f"tuple {entries}"
    return None


def _callable(value: Any) -> str | None:
    module, name = getattr(value, "__module__", None) or "", getattr(value, "__name__", "")
    if isinstance(value, np.ufunc):
        special = sys.modules.get("scipy.special")
        homes = [home for home in (np, special) if getattr(home, name, None) is value]
        return f"{homes[0].__name__}.{name}" if homes and homes[0] else None
    if getattr(builtins, name, None) is value:
        return f"builtins.{name}"
    if module.partition(".")[0] in ("numpy", "math", "scipy"):
        found = getattr(sys.modules.get(module), name, None) is value
        return f"{module}.{name}" if found else None
    if isinstance(value, FunctionType):
        text = written(value)
        return None if text is None else f"function {text}"
    if isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType):
        return None
    return f"{_class(value)} called {module}.{getattr(value, '__qualname__', name)}"


def _class(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _text(lines: list[str], code: CodeType) -> str | None:
    first = code.co_firstlineno - 1
    if code.co_name == "<lambda>":
        last = max((place[1] or 0 for place in code.co_positions()), default=0)
        return "".join(lines[first:last]) or None
    try:
        return "".join(inspect.getblock(lines[first:])) or None
    except (tokenize.TokenError, SyntaxError):
        return None


def _shown(filename: str) -> str:
    """The path as generated text names it, which is relative below the working directory."""
    try:
        return Path(filename).relative_to(Path.cwd()).as_posix()
    except (ValueError, OSError):
        return filename


def _code(code: CodeType) -> Iterator[str]:
    """Two lambdas on one line, or a file that was edited after its import, differ in code alone."""
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars))
    for constant in code.co_consts:
        match constant:
            case CodeType():
                yield from _code(constant)
            case frozenset():
                yield repr(sorted(map(repr, constant)))
            case _:
                yield repr(constant)


def hashed(parts: Iterable[str]) -> str:
    """A hash of some texts and of where each ends."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()

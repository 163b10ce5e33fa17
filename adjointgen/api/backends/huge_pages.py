"""Large arrays of a compiled program stand on large pages, as those that NumPy makes itself do.

A new array is handed out by the system page by page, when it is first written to. For an array of
more than a few megabytes NumPy asks for pages of 2 MiB in place of 4 KiB (`madvise`), compiled code
does not, and its gradients then take several times as long to fill as to compute. So there is a
second version of a program, for large arguments: what it makes once, outside its loops, is made by
functions that ask. A compiler knows less of what a function makes, so that small arrays are better
made in place. The text of the program stays as it is. (Linux manual, madvise(2), MADV_HUGEPAGE;
NumPy, NEP 49.)
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, Final

import numpy as np

from adjointgen.api.backends.buffer_reuse import LARGEST

_PAGE: Final = 4096
_LARGE: Final = 4 << 20
"""Bytes from which NumPy asks."""
_HUGE: Final = 14
"""MADV_HUGEPAGE."""
_MAKERS: Final = {"empty": "_large_empty", "zeros": "_large_zeros"}


def has_large(args: Iterable[object]) -> bool:
    """Whether an argument is so large that gradients like it are mapped anew in each call."""
    return any(isinstance(a, np.ndarray) and a.nbytes >= LARGEST // 2 for a in args)


def on_large_pages(run: FunctionType) -> FunctionType | None:
    """The program with what it makes outside its loops made so; None where nothing is."""
    file = run.__code__.co_filename
    tree = ast.parse("".join(linecache.getlines(file)))
    numpy = next((n for n, v in run.__globals__.items() if v is np), None)
    of = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    found = [c for s in of[run.__name__].body for c in _makers(s, numpy)]
    if not found:
        return None
    for call in found:
        assert isinstance(call.func, ast.Attribute)
        call.func = ast.copy_location(ast.Name(_MAKERS[call.func.attr], ast.Load()), call.func)
    made = compile(ast.Module([of[run.__name__]], []), file, "exec")
    run.__globals__.update(_compiled())
    defined: dict[str, FunctionType] = {}
    exec(made, run.__globals__, defined)
    return defined[run.__name__]


def _makers(stmt: ast.stmt, numpy: str | None) -> list[ast.Call]:
    """The call of `np.empty` or `np.zeros` that a statement assigns, if it may be large."""
    match stmt:
        case ast.Assign(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=module), attr="empty" | "zeros"),
                args=[shape],
            ) as call
        ) if module == numpy and not _is_small(shape):
            return [call]
    return []


def _is_small(shape: ast.expr) -> bool:
    """Whether all lengths are known and few: what has hundreds of thousands of entries is large."""
    entries = 1
    for length in shape.elts if isinstance(shape, ast.Tuple) else [shape]:
        if not isinstance(length, ast.Constant) or not isinstance(length.value, int):
            return False
        entries *= length.value
    return 16 * entries < _LARGE


@cache
def _compiled() -> dict[str, Callable[..., Any]]:
    """The functions that make arrays, for Numba."""
    numba = import_module("numba")
    word, number = numba.types.intp, numba.types.intc
    jit: Callable[[Any], Any] = numba.njit
    advise = numba.types.ExternalFunction("madvise", number(word, word, number))

    @jit
    def empty(shape: Any, dtype: Any = np.float64) -> Any:
        a = np.empty(shape, dtype)
        if a.nbytes >= _LARGE:
            start = np.intp(a.ctypes.data)
            first = (start + _PAGE - 1) // _PAGE * _PAGE
            advise(first, start + a.nbytes - first, _HUGE)
        return a

    @jit
    def zeros(shape: Any, dtype: Any = np.float64) -> Any:
        a = empty(shape, dtype)
        a.fill(0)
        return a

    return {"_large_empty": empty, "_large_zeros": zeros}

"""Programs compiled by Numba: the same text, every function of it in nopython mode.

The text is run by CPython first only in so far as it defines functions; these are replaced by their
compiled versions in their own namespace, so that they call each other compiled. What Numba does not
compile is refused, with what it says. Arithmetic is that of Numba: integers have 64 bits, and
indices are not checked. (Lam, Pitrou and Seibert 2015, "Numba: a LLVM-based Python JIT compiler".)
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from adjointgen.errors import Unsupported


def compiled(run: Callable[..., Any]) -> Callable[..., Any]:
    """A loaded program, compiled at its first call for the types of its arguments.

    Raises Unsupported (AG140) where Numba is not installed; calls raise it where Numba does not
    compile the program, with what Numba says as a note.
    """
    assert isinstance(run, FunctionType)
    numba = _numba()
    space, file = run.__globals__, run.__code__.co_filename
    for name, value in list(space.items()):
        if isinstance(value, FunctionType) and value.__code__.co_filename == file:
            space[name] = numba.njit(value, error_model="numpy")
    fast = space[run.__name__]

    @functools.wraps(run)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return fast(*args, **kwargs)
        except numba.core.errors.NumbaError as error:
            refused = Unsupported(
                f"Numba does not compile {run.__name__}",
                code="AG140",
                help="leave out compile, or write it with what Numba has",
            )
            refused.add_note(_reason(str(error)))
            raise refused from error

    return call


def _numba() -> Any:
    try:
        return import_module("numba")
    except ImportError as error:
        raise Unsupported(
            "compile needs Numba, which is not installed",
            code="AG140",
            help="pip install 'adjointgen[numba]'",
        ) from error


def _reason(text: str) -> str:
    """What Numba says first, without where in its pipeline it was."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Failed in", "During:"))]
    return (said or lines or ["no reason is given"])[0]

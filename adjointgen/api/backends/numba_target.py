"""Programs compiled by Numba: the same text, every function of it in nopython mode.

The text is run by CPython first only in so far as it defines functions; these are replaced by their
compiled versions in their own namespace, so that they call each other compiled. What Numba does not
compile is refused, with what it says. Arithmetic is that of Numba: integers have 64 bits. Indices
are checked unless they are sure to be in range. Compiled code is kept on disk. (Lam, Pitrou and
Seibert 2015, "Numba: a LLVM-based Python JIT compiler".)
"""

from __future__ import annotations

import functools
import itertools
import linecache
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from adjointgen.api.backends.buffer_reuse import keep_memory
from adjointgen.api.backends.huge_pages import has_large, on_large_pages
from adjointgen.api.backends.index_checks import checked_in
from adjointgen.api.backends.room import in_buffers
from adjointgen.api.cache.checked_pickles import guard
from adjointgen.api.cache.numba_cache import file_of
from adjointgen.config.compilers import FREE
from adjointgen.emit import PRANGE
from adjointgen.errors import Unsupported

_NUMBERS = itertools.count()


def compiled(run: Callable[..., Any], outer: bool = False) -> Callable[..., Any]:
    """A loaded program, compiled at its first call for the types of its arguments.

    An `outer` one is left to Python, and the functions that it calls are compiled.

    Raises Unsupported (AG140) where Numba is not installed; calls raise it where Numba does not
    compile the program, with what Numba says as a note.
    """
    assert isinstance(run, FunctionType)
    numba = _numba()
    space, file = run.__globals__, run.__code__.co_filename
    kept = _kept(run, {n: v for n, v in space.items() if _is_of(v, file)})
    own = {n: v for n, v in space.items() if _is_of(v, file)}
    checked = checked_in(linecache.getlines(file))
    roomy = on_large_pages(run) if keep_memory() and not outer else None
    _settle([*own.values(), *([roomy] if roomy else [])], space, kept)
    jit = functools.partial(numba.njit, error_model="numpy", cache=kept is not None)
    for name, value in own.items():
        left = outer and name == run.__name__
        space[name] = value if left else _safe(jit, value, name in checked)
    fast = space[run.__name__]
    large = _safe(jit, roomy, run.__name__ in checked) if roomy else None

    @functools.wraps(run)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return (large if large and has_large(args) else fast)(*args, **kwargs)
        except Exception as error:
            if not _is_numbas(error, numba):
                raise
            refused = Unsupported(
                f"Numba does not compile {run.__name__}",
                code="AG140",
                help="leave out compile, or write it with what Numba has",
            )
            refused.add_note(_reason(str(error)))
            raise refused from error

    return call


def compiled_in_buffers(
    run: FunctionType, arrays: Mapping[str, Any]
) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """A loaded program that makes its arrays in buffers (`room.py`), and their dtypes.

    It is not kept on disk. Raises Unsupported (AG140) where Numba is not installed, and (AG142) for
    a program that calls itself.
    """
    numba, file = _numba(), run.__code__.co_filename
    checked = checked_in(linecache.getlines(file))
    dtypes = in_buffers(run, arrays)
    space = run.__globals__
    own = {n: v for n, v in space.items() if _is_of(v, file)}
    _settle(own.values(), space, None)
    jit = functools.partial(numba.njit, error_model="numpy", cache=False)
    space.update({name: _safe(jit, value, name in checked) for name, value in own.items()})
    return space[run.__name__], dtypes


def _safe(jit: Callable[..., Any], function: FunctionType, checked: bool) -> Any:
    """A function for Numba to compile, whose kept code is checked before Numba reads it."""
    options = _options(function, checked)
    try:
        made = jit(function, **options)
        if not jit.keywords["cache"] or guard(made):  # type: ignore[attr-defined]
            return made
    except (OSError, RuntimeError):  # Numba finds no folder that it can write to
        pass
    return jit(function, **{**options, "cache": False})


def _options(function: FunctionType, checked: bool) -> dict[str, Any]:
    """What a compiler may do beside what it may do everywhere."""
    found: dict[str, Any] = {"boundscheck": True} if checked else {}
    if function.__name__ in FREE:
        found["fastmath"] = {FREE[function.__name__]}
    if PRANGE in function.__code__.co_names:
        found["parallel"] = True
    return found


def _is_numbas(error: Exception, numba: Any) -> bool:
    """Whether Numba raised it, not the program: some of what it lacks has no error of its own."""
    if isinstance(error, numba.core.errors.NumbaError):
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    here = "" if trace is None else trace.tb_frame.f_code.co_filename
    return Path(here).is_relative_to(Path(numba.__file__).parent)


def _is_of(value: object, file: str) -> bool:
    return isinstance(value, FunctionType) and value.__code__.co_filename == file


def _kept(run: FunctionType, own: Mapping[str, FunctionType]) -> Path | None:
    """The file that the program's compiled code is kept by."""
    text = "".join(linecache.getlines(run.__code__.co_filename))
    read = {n for f in own.values() for n in f.__code__.co_names} & run.__globals__.keys()
    outside = {n: run.__globals__[n] for n in read - own.keys()}
    outside = {n: v for n, v in outside.items() if n != PRANGE and not isinstance(v, ModuleType)}
    return file_of(run.__name__, text, outside)


def _settle(own: Iterable[FunctionType], space: dict[str, Any], file: Path | None) -> None:
    """Make functions those of a module, in a file if there is one: so Numba finds what it has kept.

    Without a module a function that calls itself would not find itself.
    """
    name = f"adjointgen_compiled_{next(_NUMBERS) if file is None else file.parent.name}"
    module = sys.modules[name] = ModuleType(name)
    module.__dict__.update(space, __name__=name)
    for function in own:
        function.__module__ = name
        if file is not None:
            function.__code__ = function.__code__.replace(co_filename=str(file))


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

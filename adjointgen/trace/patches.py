"""What a run replaces for its duration: functions of math and NumPy that take no stand-ins.

C functions of `math` read the number of an argument, and constructors of arrays take lists. For the
run of a trace, functions that know stand-ins stand in their place: in `math`, `cmath`, `numpy` and
its parts, and under every name that a module has for one of them (`from math import sin`). They do
for other threads what the originals do. Everything is put back at the end, also after an exception.
"""

from __future__ import annotations

import cmath
import functools
import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from adjointgen.trace.apply import standing
from adjointgen.trace.functions import SEQUENCES, call, name_of
from adjointgen.trace.mathematics import MATH, called, extreme
from adjointgen.trace.methods import made
from adjointgen.trace.number import LATER
from adjointgen.trace.standins import Busy, raw, spelled, standins
from adjointgen.trace.tape import PACKAGE, Tape, outside

Namespace = dict[str, Any]
CONSTRUCTORS: Final = "zeros ones empty full eye identity arange linspace fromiter tri".split()
CONVERSIONS: Final = "array asarray asanyarray ascontiguousarray asfortranarray".split()
LIKE: Final = "zeros_like ones_like empty_like full_like copy".split()


class Run:
    """The run under way: its trace, and the thread that it is in."""

    tape: Tape | None = None
    thread: int = 0

    @classmethod
    def here(cls) -> bool:
        """Whether this thread runs a trace."""
        if cls.tape is None or cls.thread != threading.get_ident() or Busy.depth:
            return False
        return not str(sys._getframe(2).f_globals.get("__name__")).startswith(PACKAGE)


LOCK: Final = threading.Lock()
_HITS: dict[str, tuple[int, list[tuple[str, int]]]] = {}


def constant(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """An array that nothing differentiated is in yet; other results stay as they are."""
    value = function(*args, **kwargs)
    tape = Run.tape
    if tape is None or type(value) is not np.ndarray or value.dtype.kind not in "fc":
        return value
    form = f"np.{function.__name__}"
    spelling, _ = spelled(form, args, kwargs)
    return standing(tape, value, tape.add(form, value, active=False, spelling=spelling))


LATER["constant"] = constant


def _array(original: Any) -> Any:
    """`np.array` and its like."""

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        if not Run.here():
            return original(*args, **kwargs)
        if standins((args, kwargs)):
            return made(original, args, kwargs)
        if args and type(args[0]) is np.ndarray and original is not np.array:
            return original(*args, **kwargs)
        return constant(original, args, kwargs)

    return replaced


def _constructor(original: Any) -> Any:
    """`np.zeros` and its like."""

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        if not Run.here():
            return original(*args, **kwargs)
        found = standins((args, kwargs))
        if not found:
            return constant(original, args, kwargs)
        if original.__name__ == "full":
            return _full(*args, **kwargs)
        return call(original, args, kwargs)

    return replaced


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> Any:
    whole = call(np.broadcast_to, (fill_value, shape), {})
    return made(np.array, (whole,), {"dtype": dtype, "order": order})


def _like(original: Any) -> Any:
    """`np.zeros_like` and its like, of which nothing is differentiated but `full`'s value."""
    @functools.wraps(original)
    def replaced(a: Any, *args: Any, **kwargs: Any) -> Any:
        if not Run.here() or (original.__name__ == "copy" and standins(a)):
            return original(a, *args, **kwargs)
        if original.__name__ == "full_like" and standins((args, kwargs)):
            value = args[0] if args else kwargs.pop("fill_value")
            dtype = kwargs.get("dtype") or np.asarray(raw(a)).dtype
            return _full(np.shape(raw(a)), value, dtype)
        return constant(original, (raw(a), *args), kwargs)

    return replaced


def _of_lists(original: Any) -> Any:
    """A function of arrays, which takes lists of stand-ins as well."""

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        if Run.here() and any(
            type(one) in (list, tuple) and standins(one) for one in (*args, *kwargs.values())
        ):
            return call(original, args, kwargs)
        return original(*args, **kwargs)

    return replaced


def _number(original: Any, name: str) -> Any:
    """A function of `math` or `cmath`."""

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        if standins((args, kwargs)):
            return called(original, name, args, kwargs)
        return original(*args, **kwargs)

    return replaced


def _stopped(original: Any) -> Any:
    """`stop_gradient`: the value, which depends on nothing."""

    @functools.wraps(original)
    def replaced(x: Any) -> Any:
        return LATER["stopped"](x) if standins(x) else original(x)

    return replaced


def replacements() -> dict[int, tuple[Any, Any]]:
    """What is replaced by what, by the identity of the original."""
    pairs: list[tuple[Any, Any]] = []
    for module in (math, cmath):
        for name, value in vars(module).items():
            if callable(value) and not name.startswith("_") and name in MATH:
                pairs.append((value, _number(value, f"{module.__name__}.{name}")))
    pairs += [(getattr(np, name), _array(getattr(np, name))) for name in CONVERSIONS]
    pairs += [(getattr(np, name), _constructor(getattr(np, name))) for name in CONSTRUCTORS]
    pairs += [(getattr(np, name), _like(getattr(np, name))) for name in LIKE]
    taken = {id(original) for original, _ in pairs}
    for space in (np, np.linalg, np.fft):
        for value in list(vars(space).values()):
            if hasattr(value, "_implementation") and id(value) not in taken:
                if name_of(value) not in SEQUENCES:
                    pairs.append((value, _of_lists(value)))
                    taken.add(id(value))
    pairs += [(max, extreme(max)), (min, extreme(min))]
    stop = vars(sys.modules["adjointgen"]).get("stop_gradient")
    pairs.append((stop, _stopped(stop)))
    return {id(original): (original, new) for original, new in pairs}


@functools.cache
def _replacements() -> dict[int, tuple[Any, Any]]:
    return replacements()


def _namespaces() -> Iterator[tuple[str, Namespace]]:
    for name, module in list(sys.modules.items()):
        space = getattr(module, "__dict__", None)
        if type(space) is dict and not name.startswith("adjointgen."):
            yield name, space


def _hits(space: Namespace, table: dict[int, tuple[Any, Any]]) -> list[tuple[str, int]]:
    return [(name, id(value)) for name, value in list(space.items()) if id(value) in table]


@contextmanager
def replaced(tape: Tape, spaces: list[Namespace], cells: list[Any]) -> Iterator[None]:
    """Have the replacements in all modules, and in these namespaces and cells of closures.

    Raises Unsupported (AG161) in a run of another trace.
    """
    if Run.thread == threading.get_ident() and Run.tape is not None:
        raise outside()
    with LOCK:
        table = _replacements()
        done: list[tuple[Namespace, str, Any]] = []
        changed: list[tuple[Any, Any]] = []
        try:
            Run.tape, Run.thread = tape, threading.get_ident()
            _install(table, spaces, done)
            for cell in cells:
                if (pair := table.get(id(cell.cell_contents))) is not None:
                    changed.append((cell, cell.cell_contents))
                    cell.cell_contents = pair[1]
            yield
        finally:
            Run.tape, Busy.depth = None, 0
            for space, name, original in done:
                space[name] = original
            for cell, original in changed:
                cell.cell_contents = original


def _install(
    table: dict[int, tuple[Any, Any]],
    spaces: list[Namespace],
    done: list[tuple[Namespace, str, Any]],
) -> None:
    found = [(space, _hits(space, table)) for space in spaces]
    for module, space in _namespaces():
        size, hits = _HITS.get(module, (-1, []))
        if size != len(space):
            hits = _hits(space, table)
            _HITS[module] = (len(space), hits)
        found.append((space, hits))
    for space, hits in found:
        for name, number in hits:
            if id(space.get(name)) == number:
                done.append((space, name, space[name]))
                space[name] = table[number][1]

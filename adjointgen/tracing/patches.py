"""What a run replaces for its duration: functions of math and NumPy that take no stand-ins.

C functions of `math` read the number of an argument, and constructors of arrays take lists. For the
run of a trace, functions that know stand-ins stand in their place: in `math`, `cmath`, `numpy` and
its parts, and under every name that a module has for one of them (`from math import sin`). They do
for other threads what the originals do. Everything is put back at the end, also after an exception.
"""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from adjointgen.tracing.apply import standing
from adjointgen.tracing.functions import SEQUENCES, call, name_of
from adjointgen.tracing.mathematics import MATH, called, extreme
from adjointgen.tracing.methods import made
from adjointgen.tracing.number import LATER
from adjointgen.tracing.standins import Busy, own, raw, refusal, spelled, standins, unseen
from adjointgen.tracing.tape import PACKAGE, Record, Tape, outside

Namespace = dict[str, Any]
CONSTRUCTORS: Final = ("zeros", "ones", "empty", "full", "eye", "identity", "arange", "linspace")
CONVERSIONS: Final = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
CALLBACKS: Final = ("apply_along_axis", "apply_over_axes", "piecewise", "fromfunction")
LIKE: Final = ("zeros_like", "ones_like", "empty_like", "full_like", "copy")


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


_fromiter: Final = np.fromiter
LOCK: Final = threading.Lock()
_HITS: dict[str, tuple[int, list[tuple[str, int]]]] = {}


def _constant(tape: Tape, value: Any, form: str, args: Any, kwargs: dict[str, Any]) -> Record:
    spelling, _ = spelled(form, args, kwargs)
    return tape.add(form, value, active=False, spelling=spelling)


@own
def constant(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """What a function makes of plain values; an array may be written to, so it has a stand-in."""
    value = function(*args, **kwargs)
    if type(value) is np.ndarray and any(
        isinstance(one, np.ndarray) and np.may_share_memory(one, value) for one in args
    ):
        return value
    tape = Run.tape
    if tape is None or type(value) is not np.ndarray or value.dtype.kind not in "fc":
        return value
    form = f"np.{name_of(function)}"
    return standing(tape, value, _constant(tape, value, form, args, kwargs))


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
        if original is _fromiter:
            return _from_items(*args, **kwargs)
        if not standins((args, kwargs)):
            return constant(original, args, kwargs)
        if original.__name__ == "full":
            return _full(*args, **kwargs)
        return call(original, args, kwargs)

    return replaced


def _from_items(items: Any, dtype: Any, count: int = -1, **_: Any) -> Any:
    taken = list(items if count < 0 else itertools.islice(items, count))
    if not standins(taken):
        return constant(_fromiter, (taken, dtype, count), {})
    return made(np.array, (taken,), {"dtype": dtype})


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


def _function(original: Any) -> Any:
    """A function of arrays, which takes lists of stand-ins as well.

    What it makes of plain arrays may be written to, and so it has a stand-in; a view stays plain.
    """
    callbacks = original.__name__ in CALLBACKS
    lists = name_of(original) not in SEQUENCES

    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        if callbacks or not Run.here():
            return original(*args, **kwargs)
        if not standins((args, kwargs)):
            return constant(original, args, kwargs)
        if lists and any(type(one) in (list, tuple) and standins(one) for one in args):
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


class Broadcast:
    """The shape that arrays are broadcast to; their entries are not handed out."""

    def __init__(self, made: Any) -> None:
        self.shape, self.ndim, self.nd, self.size = made.shape, made.ndim, made.nd, made.size

    def __iter__(self) -> Iterator[Any]:
        raise unseen("np.broadcast")


def _broadcast(original: Any) -> Any:
    def replaced(*args: Any) -> Any:
        made = original(*map(raw, args))
        return Broadcast(made) if standins(args) else made

    return replaced


class Converter:
    """What NumPy's `_array_converter` does with stand-ins."""

    def __init__(self, *args: Any) -> None:
        self.args = [LATER["array"](one, False) if standins(one) else one for one in args]
        self.scalar_input = [np.ndim(raw(one)) == 0 for one in self.args]

    def __getitem__(self, k: int) -> Any:
        return self.args[k]

    def as_arrays(self, **_: Any) -> Any:
        return tuple(self.args)

    def result_type(self, *extra: Any, **_: Any) -> Any:
        return np.result_type(*map(raw, self.args), *extra)

    def wrap(self, array: Any, **_: Any) -> Any:
        return array


def _converters() -> list[Any]:
    """The class with which functions of NumPy convert their arguments; there may be none."""
    module = sys.modules.get("numpy._core._multiarray_umath")
    found = getattr(module, "_array_converter", None)
    return [] if found is None else [found]


def _converted(original: Any) -> Any:
    def replaced(*args: Any, **kwargs: Any) -> Any:
        return Converter(*args) if standins(args) else original(*args, **kwargs)

    return replaced


def replacements() -> dict[int, tuple[Any, Any]]:
    """What is replaced by what, by the identity of the original."""
    pairs: list[tuple[Any, Any]] = []
    for module in (math, cmath):
        for name, value in vars(module).items():
            if callable(value) and not name.startswith("_") and name in MATH:
                pairs.append((value, _number(value, f"{module.__name__}.{name}")))
    pairs += [(getattr(np, name), _array(getattr(np, name))) for name in CONVERSIONS]
    pairs += [
        (getattr(np, name), _constructor(getattr(np, name)))
        for name in (*CONSTRUCTORS, "fromiter", "tri")
    ]
    pairs += [(getattr(np, name), _like(getattr(np, name))) for name in LIKE]
    taken = {id(original) for original, _ in pairs}
    for space in (np, np.linalg, np.fft):
        for value in list(vars(space).values()):
            if hasattr(value, "_implementation") and id(value) not in taken:
                pairs.append((value, _function(value)))
                taken.add(id(value))
    pairs += [(max, extreme(max)), (min, extreme(min))]
    pairs.append((np.broadcast, _broadcast(np.broadcast)))
    pairs += [(converter, _converted(converter)) for converter in _converters()]
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
def alone(tape: Tape) -> Iterator[None]:
    """Have no other run beside this one: what a run replaces is seen by all threads.

    Raises Unsupported (AG161) in a run of another trace.
    """
    if Run.thread == threading.get_ident() and Run.tape is not None:
        raise refusal(outside())
    with LOCK:
        try:
            Run.tape, Run.thread, Busy.depth, Busy.refused = tape, threading.get_ident(), 0, None
            yield
        finally:
            Run.tape, Busy.depth = None, 0


@contextmanager
def replaced(spaces: list[Namespace], cells: list[Any]) -> Iterator[dict[int, tuple[Any, Any]]]:
    """Have the replacements in all modules, and in these namespaces and cells of closures."""
    table = _replacements()
    done: list[tuple[Namespace, str, Any]] = []
    changed: list[tuple[Any, Any]] = []
    try:
        _install(table, spaces, done)
        for cell in cells:
            if (pair := table.get(id(cell.cell_contents))) is not None:
                changed.append((cell, cell.cell_contents))
                cell.cell_contents = pair[1]
        yield table
    finally:
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

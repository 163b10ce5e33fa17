"""Gradients that make no arrays: `w = workspace(f, *args)` has them, and `w(*args)` is the call.

The first call finds how long the arrays are, the second that there is nothing left to make. What a
call returns stands in memory of the workspace, and the next call writes over it, unless the caller
says where it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from adjointgen.api.backends.numba_target import compiled_in_buffers
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.generated import Generated
from adjointgen.api.calls.kept_programs import Kept, Specialisation
from adjointgen.api.seeds.seed_checks import refuse
from adjointgen.api.specialize.load_program import load
from adjointgen.config.compilers import NUMBA
from adjointgen.errors import Misuse, Unsupported
from adjointgen.records import replace


class Workspace:
    """A compiled derivative with the memory for its arrays. Not for several threads at once."""

    def __init__(self, derivative: Derivative) -> None:
        self._programs = _InBuffers(derivative.generated)
        self._derivative = Derivative(self._programs)

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """What the derivative gives, in memory of the workspace or in the arrays `out`.

        The next call writes over what this one returns without `out`. An argument may be what an
        earlier call returned. Raises TypeMismatch (AG407) for `out` that has not the structure and
        the shapes of what is returned.
        """
        found = self._derivative(*args, **kwargs)
        return found if out is None else _moved(found, out)

    def arrays_made(self, *args: Any, **kwargs: Any) -> int:
        """How many arrays a call makes, by Numba's own count; those that it is given left out."""
        stats = import_module("numba.core.runtime._nrt_python")
        was, rooms = stats.memsys_stats_enabled(), self._programs.rooms
        given = sum(room.given for room in rooms)
        stats.memsys_enable_stats()
        try:
            before = stats.memsys_get_stats_mi_alloc()
            self._derivative(*args, **kwargs)
            made: int = stats.memsys_get_stats_mi_alloc() - before
        finally:
            if not was:
                stats.memsys_disable_stats()
        return made - (sum(room.given for room in rooms) - given)


class _InBuffers(Generated):
    """The programs of a derivative, with buffers for their arrays."""

    def __init__(self, like: Generated) -> None:
        self.rooms: list[Roomy] = []
        self._like = like
        ways = (like.recipe, like.disable, like.target, like.asked, like.instances)
        super().__init__(like.function, *ways)

    def programs(self) -> Kept:
        """Programs that nobody else calls: what they return is written over."""
        return Kept(None)

    def loaded(self, values: tuple[Any, ...], guards: tuple[Any, ...]) -> Specialisation:
        """The program that the derivative has for such arguments, compiled once more."""
        special = self._like.special(values)
        made = special.made
        if made.outer or made.layout is not None:
            raise _refused(made.name, "has structures, which Python takes apart")
        run = load(made, self.function)
        assert isinstance(run, FunctionType)
        arrays = dict(zip(self.binder.names, values, strict=True))
        room = Roomy(*compiled_in_buffers(run, arrays))
        self.rooms.append(room)
        return replace(special, run=room)


class Roomy:
    """A program and the buffers in which its arrays are made."""

    def __init__(self, fast: Callable[..., Any], dtypes: tuple[str, ...]) -> None:
        self._fast, self._dtypes = fast, np.array(dtypes, object)
        self._of = tuple(dict.fromkeys(dtypes))
        self._needed = np.zeros(len(dtypes) + 1, np.int64)
        self._lengths = self._needed[:-1].copy()
        self.given = 0
        """How many arrays the program has been given."""
        self._settle()

    def _settle(self) -> None:
        """Make buffers that are long enough for all that has been needed so far."""
        self._lengths = np.maximum(self._lengths, self._needed[:-1])
        self._needed[:] = 0
        places = np.zeros((2, len(self._dtypes)), np.int64)
        places[1] = self._lengths
        buffers = []
        for dtype in self._of:
            own = self._dtypes == dtype
            ends = np.cumsum(self._lengths[own])
            places[0, own] = ends - self._lengths[own]
            buffers.append(np.empty(ends[-1], dtype))
        self._room = (*buffers, places, self._needed)
        self._buffers = buffers

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = tuple(self._apart(a) for a in args)
        kwargs = {name: self._apart(a) for name, a in kwargs.items()}
        every = (*self._room, *args, *kwargs.values())
        self.given += sum(isinstance(a, np.ndarray) for a in every)
        found = self._fast(*self._room, *args, **kwargs)
        if self._needed[-1]:
            self._settle()
        return found

    def _apart(self, value: Any) -> Any:
        """An argument that stands in a buffer is copied: the program writes there."""
        shares = isinstance(value, np.ndarray) and any(
            np.may_share_memory(value, buffer) for buffer in self._buffers
        )
        return value.copy() if shares else value


def workspace(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Workspace:
    """The memory of a compiled derivative: `w = workspace(f, *args)`, then `w(*args)` as often as
    there are steps, which give what `f(*args)` gives and make no array.

    `f` is `grad(..., compile="numba")` or any other compiled derivative of arrays and numbers. What
    `w` returns stands in its memory, and the next call writes over it; `w(*args, out=a)` puts it
    into arrays of the caller's. Arguments of other lengths are taken as well: then the memory grows
    once. One workspace is for one thread.

    Raises Misuse (AG415) for a derivative that is not compiled, and Unsupported (AG142) for a
    program that makes arrays in other ways than by a name for an array of known lengths, such as in
    expressions of whole arrays.
    """
    if not isinstance(f, Derivative) or f.generated.target != NUMBA:
        what = "a workspace is for a compiled derivative"
        raise Misuse(what, code="AG415", help='workspace(grad(f, compile="numba"), *args)')
    made = Workspace(f)
    made(*args, **kwargs)
    more = made.arrays_made(*args, **kwargs)
    if more:
        name = f.generated.function.__name__
        raise _refused(name, f"makes {more} arrays in each call that have no place of their own")
    return made


def _moved(found: Any, out: Any) -> Any:
    """The results in arrays of the caller's. Raises TypeMismatch (AG407)."""
    if isinstance(found, tuple):
        if not isinstance(out, Sequence) or len(out) != len(found):
            refuse(f"out is a tuple of {len(found)}, None for what is no array")
        return tuple(_moved(one, into) for one, into in zip(found, out, strict=True))
    if out is None:
        return found
    fits = isinstance(found, np.ndarray) and isinstance(out, np.ndarray)
    if not fits or out.shape != found.shape or out.dtype != found.dtype:
        refuse("out has not the structure, shape and dtype of what is returned")
    out[...] = found
    return out


def _refused(name: str, what: str) -> Unsupported:
    return Unsupported(f"{name} {what}", code="AG142", help="call the gradient itself")

"""Many runs of a derivative: one per entry of a Jacobian, or of a compiled one, many at once.

A compiled program that follows several directions does what they share once, and has as many of
them side by side as fit (`vector_mode.py`). A program that it cannot be made of runs once per
direction.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Literal

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.callable_functions import called
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.generated import Generated
from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.errors import AdjointgenError, NotSeveral

AT_ONCE = 2**21
"""Numbers in the seeds of one run of a NumPy program."""
MOST = 32
"""Directions at once: more do not stay in the caches that are near."""


class Sweeps:
    """The tangent or adjoint program of a function by one argument, for many seeds."""

    def __init__(
        self, f: Callable[..., Any], kind: Literal["tangent", "adjoint"], name: str, target: Target
    ) -> None:
        inner: Recipe = ()
        f = called(f)
        if isinstance(f, Derivative):
            inner, f = f.generated.recipe, f.generated.function
        self.recipe = inner
        self.function = f
        self.kind: Literal["tangent", "adjoint"] = kind
        self.name = name
        self.target = target
        self.made: dict[int, Derivative] = {}
        self.single = target == PYTHON
        self.seeds: tuple[Any, Any] | None = None
        self.units: tuple[Any, list[Any]] | None = None
        self.alone: set[Any] = set()
        """The kinds of arguments for which entries are followed one by one."""
        self.binder = Binder(f)

    def program(self, directions: int) -> Derivative:
        """The program for that many directions; 0 is one that has no axis for them."""
        found = self.made.get(directions)
        if found is None:
            recipe = (*self.recipe, Step(self.kind, (self.name,), directions))
            found = Derivative(Generated(self.function, recipe, (), self.target))
            self.made[directions] = found
        return found

    def columns(self, values: tuple[Any, ...], like: Any) -> Any:
        """The derivatives along all unit vectors in the space of `like`, whose axes come last.

        None where the function returns a structure.
        """
        if self.target == PYTHON:
            return self.at_once(values, like)
        if not self.single:
            try:
                return self.together(values, like, int(np.size(like)))
            except NotSeveral:
                self.single = True
        program = self.program(0)
        found = [run(program, self.binder, values, e)[1] for e in _basis(like)]
        if isinstance(found[0], tuple | list | dict):
            return None
        columns = np.stack(found, axis=-1)
        return columns.reshape(columns.shape[:-1] + np.shape(like))

    def at_once(self, values: tuple[Any, ...], like: Any) -> Any:
        """The same by one NumPy program, whose seed and derivative have an axis more, the first.

        None where there is no such program, where it fails (then one run per entry tells why), or
        where the function returns a structure.
        """
        inner = self.program(0).generated
        key = inner.key(values)
        if key in self.alone or os.environ.get("ADJOINTGEN_CHECK"):
            # A check at the first call is one of the program for one entry.
            return None
        try:
            (name,) = inner.special(values).made.seeds
            generated = self.batched(name)
            special = generated.special(values)
            if special.made.layout is not None or special.made.exits.messages:
                raise NotSeveral("it returns a structure", code="AG141")
        except AdjointgenError:
            self.alone.add(key)
            return None
        if self.units is None or self.units[0] != (np.shape(like), np.asarray(like).dtype):
            self.units = (np.shape(like), np.asarray(like).dtype), _directions(like)
        given = values if not special.made.written else copies(self.binder, values)
        try:
            found = [generated.run(special, given, {name: seeds})[1] for seeds in self.units[1]]
        except Exception:
            return None
        if isinstance(found[0], tuple | list | dict):
            self.alone.add(key)
            return None
        whole = found[0] if len(found) == 1 else np.concatenate(found)
        columns = np.moveaxis(whole, 0, -1)
        return np.ascontiguousarray(columns.reshape(columns.shape[:-1] + np.shape(like)))

    def batched(self, name: str) -> Generated:
        """The programs with a batch axis of their seed."""
        found = self.made.get(-1)
        if found is None:
            recipe = (*self.recipe, Step(self.kind, (self.name,), batch=(name,)))
            found = self.made[-1] = Derivative(Generated(self.function, recipe, (), self.target))
        return found.generated

    def together(self, values: tuple[Any, ...], like: Any, size: int) -> Any:
        """The same, many at once."""
        seeds = self.unit_vectors(np.shape(like), np.asarray(like).dtype, size)
        program = self.program(seeds.shape[-1])
        special = program.generated.special(values)
        if special.made.written or special.made.layout is not None or not self.binder.plain:
            found = [program.apply(deepcopy(values), seed)[1] for seed in seeds]
        else:
            (name,) = special.made.seeds
            found = [program.generated.run(special, values, {name: seed})[1] for seed in seeds]
        if isinstance(found[0], tuple | list | dict):
            return None
        whole = found[0] if len(seeds) == 1 else np.concatenate(found, axis=-1)[..., :size]
        return whole.reshape(whole.shape[:-1] + np.shape(like))

    def unit_vectors(self, shape: tuple[int, ...], dtype: np.dtype[Any], size: int) -> Any:
        """Blocks of unit vectors, as many as go together in the last axis; zeros at the end."""
        key = shape, dtype
        if self.seeds is None or self.seeds[0] != key:
            blocks = -(-size // MOST)
            count = -(-size // blocks)
            seeds = np.zeros((blocks, size, count), dtype)
            entries = np.arange(size)
            seeds[entries // count, entries, entries % count] = 1.0
            self.seeds = key, seeds.reshape(blocks, *shape, count)
        return self.seeds[1]


def _directions(like: Any) -> list[Any]:
    """The unit vectors in the space of `like`, in as few blocks as memory allows."""
    size = int(np.size(like))
    flat = np.eye(size, dtype=np.asarray(like).dtype).reshape(size, *np.shape(like))
    return np.array_split(flat, max(1, min(size // 2, size * size // AT_ONCE)))


def plain(f: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a derivative was made from, or the function itself."""
    return f.primal if isinstance(f, Derivative) else called(f)


def copies(binder: Binder, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of the arguments of every parameter, but of the instance of a bound method."""
    own = len(binder.owner)
    return (*values[:own], *deepcopy(values[own:]))


def run(function: Callable[..., Any], binder: Binder, values: tuple[Any, ...], *seeds: Any) -> Any:
    """A call with copies of the arguments of every parameter, then seeds."""
    copied = copies(binder, values)
    if isinstance(function, Derivative):
        return function.apply(copied, *seeds)
    return binder.call(function, copied)


def _basis(x: Any) -> list[Any]:
    """The unit vectors in the space of `x`."""
    if np.ndim(x) == 0 and not isinstance(x, np.ndarray):
        return [1.0]
    flat = np.eye(np.size(x), dtype=np.asarray(x).dtype)
    return [row.reshape(np.shape(x)) for row in flat]

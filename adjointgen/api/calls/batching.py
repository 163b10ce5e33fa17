"""`vmap`: a function over many samples, as one program where that can be, and sample by sample.

    vmap(f)(X)                              f(X[0]), f(X[1]), ... in one array
    vmap(grad(loss), in_axes=(None, 0))     the gradient by w for each sample of x

A program of the first sample's types gets a batch axis (`batching/batch.py`). What cannot be done
for all samples at once, and what goes wrong for some of them, is done one by one, in order: the
values, the exceptions and the effects are those of a loop that calls the function.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.callable_functions import called
from adjointgen.api.calls.batch_axes import (
    Axes,
    Mapped,
    apart,
    arrays_of,
    checked_axes,
    mapped,
    outward,
    require_axes,
    seed_name,
    stacked,
)
from adjointgen.api.calls.derivative import Derivative
from adjointgen.api.calls.generated import NO_SEEDS, Generated
from adjointgen.api.calls.kept_programs import Specialisation
from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.api.seeds.seed_arrangement import Leaves
from adjointgen.config.compilers import PYTHON
from adjointgen.emit.syntax.formatting import format
from adjointgen.errors import AdjointgenError, TypeMismatch
from adjointgen.ir.nodes import Leaf
from adjointgen.records import dataclass, replace
from adjointgen.rules.framework.batching import REFUSED, not_batched


@dataclass(frozen=True, slots=True)
class Call:
    """One call: its arguments over a batch, of which the first are those of the primal.

    After them come seeds by position, so many, and by these names.
    """

    batch: Mapped
    primals: int
    seeds: int
    named: tuple[str, ...]

    def parted(self, values: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """The arguments of the primal, the seeds by position, and those by name."""
        last = self.primals + self.seeds
        named = dict(zip(self.named, values[last:], strict=True))
        return values[: self.primals], values[self.primals : last], named


class Batched:
    """A callable over many samples: what `vmap` returns."""

    def __init__(
        self, function: Callable[..., Any], in_axes: Axes, out_axes: Axes, loop: bool = True
    ) -> None:
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.in_axes, self.out_axes, self.loop = in_axes, out_axes, loop
        self.derivative = function if isinstance(function, Derivative) else None
        made = self.derivative.generated if self.derivative else None
        self.binder = made.binder if made else Binder(function)
        self.axes = checked_axes(in_axes, self.binder)
        self.programs: dict[tuple[str, ...], Generated] = {}
        self.alone: dict[Any, str] = {}
        self.last: Specialisation | None = None
        self.looped = ""
        """Why the last call went from sample to sample; empty where one program did them all."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        call = self.call(args, kwargs)
        found = self.at_once(call)
        if found is None and not self.loop and call.batch.count > 1:
            not_batched(self.looped.removeprefix(REFUSED))
        if found is None:
            made = [self.one(*call.parted(values)) for values in call.batch.samples()]
            return outward(stacked(made), self.out_axes)
        return outward(apart(found[0], arrays_of(call.batch.values)), self.out_axes)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The arguments, batch axes first. Raises TypeMismatch (AG416)."""
        require_axes(self.in_axes, len(args))
        binder = self.binder
        given = {*binder.own[: len(args)], *kwargs, *binder.own[len(binder.positional) :]}
        left = dict.fromkeys(name for name in self.binder.own if name not in given)
        axes = replace(self.axes, named=left | self.axes.named)
        seeds: tuple[Any, ...] = ()
        named: dict[str, Any] = {}
        if self.derivative is None:
            values = self.binder.bind(args, kwargs)
        else:
            generated = self.derivative.generated
            generated.refresh()
            values, seeds, named = generated.binder.split(args, kwargs, generated.seeds)
        names = (*self.binder.names, *map(seed_name, range(len(seeds))), *named)
        rows = (*values, *seeds, *named.values())
        batch = mapped(names, rows, axes)
        return Call(batch, len(values), len(seeds), tuple(named))

    def one(self, values: tuple[Any, ...], seeds: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """What the function gives for one sample."""
        if self.derivative is None:
            return self.binder.call(self.function, values)
        return self.derivative.apply_bound(values, seeds, named)

    def at_once(self, call: Call) -> tuple[Any] | None:
        """What one program gives for all samples; None where they are done one by one."""
        if call.batch.count == 1:
            self.looped = "there is one sample"
            return None
        if os.environ.get("ADJOINTGEN_CHECK"):
            self.looped = "a check at the first call is one of a sample"
            return None
        self.looped = ""
        try:
            seeds, places = self.seeds(call)
            special = self.program(call, places)
        except AdjointgenError as error:
            self.looped = error.message
        if self.looped:
            return None
        guard = np.errstate(divide="raise", over="raise", invalid="raise")
        try:
            with guard if special.made.guarded else nullcontext():
                values = call.parted(call.batch.values)[0]
                made = self.programs[places].run(special, values, seeds)
        except Exception as error:
            # What is wrong for one sample is told, or not, as if the others were not there.
            self.looped = f"{type(error).__name__}: {error}"
            return None
        self.last = special
        return (made,)

    def seeds(self, call: Call) -> tuple[Leaves, tuple[str, ...]]:
        """The seeds by their names in the program, and the places that have a batch axis.

        Raises NotBatched where they have to be put together for each sample.
        """
        if not call.seeds and not call.named:
            return {}, call.batch.places
        assert self.derivative is not None
        generated = self.derivative.generated
        values, seeds, named = call.parted(call.batch.first())
        special = generated.special(values)
        seeding = special.made.seeding or NO_SEEDS
        wholes = [name for name, tree in seeding.given if isinstance(tree, Leaf)]
        given = [*wholes[: len(seeds)], *named]
        if len(wholes) != len(seeding.given) or sorted(given) != sorted(wholes):
            self.looped = "seeds are structures, or some are left out"
            return {}, ()
        result = functools.partial(generated.value, values)
        settled, last = seeding.settled(values, seeds, named, result, True)
        if seeding.lasting:
            seeding.check(last, result())
        many = dict(zip(map(seed_name, range(len(seeds))), wholes, strict=False))
        places = tuple(many.get(place, place) for place in call.batch.places)
        _, rows, rest = call.parted(call.batch.values)
        found = dict(zip(wholes, rows, strict=False)) | rest
        shared = {name: settled[name] for name in settled if name not in places}
        return found | shared, places

    def generated(self, places: tuple[str, ...]) -> Generated:
        """The programs with a batch axis at these places."""
        found = self.programs.get(places)
        if found is None:
            inner: Recipe = (Step("primal"),)
            function = self.function
            disable: tuple[str, ...] = ()
            asked: tuple[Any, ...] = ()
            if self.derivative is not None:
                made = self.derivative.generated
                inner, function, asked = made.recipe, made.function, made.asked
                disable = made.disable
            recipe = (*inner[:-1], replace(inner[-1], batch=places))
            found = Generated(function, recipe, disable, PYTHON, asked)
            self.programs[places] = found
        return found

    def program(self, call: Call, places: tuple[str, ...]) -> Specialisation:
        """The program for such samples. Raises what its making raises."""
        generated = self.generated(places)
        generated.refresh()
        sample = call.parted(call.batch.first())[0]
        key = places, generated.key(sample)
        if key in self.alone:
            self.looped = self.alone[key]
        try:
            special = generated.special(sample)
        except AdjointgenError as error:
            self.alone[key] = error.message
            raise
        made, heads = special.made, {place.partition("[")[0].partition(".")[0] for place in places}
        if made.exits.messages or made.exact & heads:
            self.looped = "a value of the first sample is part of the program"
        return special

    @property
    def source(self) -> str:
        """The generated module text that the last call ran, for all samples or for one."""
        if not self.looped and self.last is not None:
            return format(self.last.made.text)
        if self.derivative is not None and self.looped:
            return self.derivative.source
        raise TypeMismatch(
            "nothing is generated for the last call",
            code="AG406",
            help="call it once; a function that is called sample by sample has its own source",
        )

    def __repr__(self) -> str:
        return f"<{self.function!r} over a batch>"

    def __reduce__(self) -> Any:
        return Batched, (self.function, self.in_axes, self.out_axes, self.loop)


def vmap(
    f: Callable[..., Any], in_axes: Axes = 0, out_axes: Axes = 0, *, loop: bool = True
) -> Batched:
    """`f` over many samples: arguments have a batch axis more, and so do results.

    `in_axes` says for each argument which of its axes is that of the samples: an integer, None for
    an argument that all samples share, or a structure of these like the argument; one integer is
    for all arguments, a dict is by name. Arguments that are given by name have axis 0, as in JAX.
    `out_axes` says the same of results. `f` is a function, or a derivative: `vmap(grad(loss),
    in_axes=(None, 0))` are the gradients for each sample.

    One program does all samples where that can be; else `f` is called for each in turn, and
    `looped` says why. Results, exceptions and effects are the same. With `loop=False` that is
    refused: NotBatched (AG143).

    Raises TypeMismatch (AG416) for axes that arguments have not, for batches of several lengths or
    of none, and for results that cannot be put together; what `f` raises for a sample; and what
    `grad` raises for what is no function.
    """
    return Batched(f if isinstance(f, Batched) else called(f), in_axes, out_axes, loop)

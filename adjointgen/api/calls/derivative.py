"""Derivative callables: what `grad` and its kin return.

A `Derivative` is thread-safe. It keeps the name, docstring and signature of what it was made from,
and pickles if that does.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import MethodType
from typing import Any

from adjointgen.api.arguments.callable_functions import called, stands_for
from adjointgen.api.calls.generated import Generated
from adjointgen.api.calls.own_frames import without_own_frames
from adjointgen.api.programs.recipes import Recipe
from adjointgen.config.compilers import Target
from adjointgen.emit.syntax.formatting import format
from adjointgen.errors import TypeMismatch
from adjointgen.records import replace


class Derivative:
    """A callable derivative: what `grad` and its kin return."""

    def __init__(self, generated: Generated) -> None:
        functools.update_wrapper(self, generated.function)
        self.generated = generated

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The derivative; of common arguments by the shortest way, since many cost little."""
        generated = self.generated
        if not kwargs:
            for fits, _, special in generated.kept.quick:
                if fits(args):
                    generated.last = special
                    return special.run(*args)
        try:
            generated.refresh()
            values, seeds, named = generated.binder.split(args, kwargs, generated.seeds)
            if (
                generated.seeds
                and not (seeds or named)
                and generated.binder.fills_defaults(len(args))
            ):
                generated.require_no_seed(values)
            return self.apply_bound(values, seeds, named)
        except Exception as error:
            raise without_own_frames(error) from error.__cause__

    def apply_bound(
        self, values: tuple[Any, ...], seeds: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """The program for the arguments of every parameter, with seeds by position and by name."""
        return self.generated.apply(self.generated.special(values), values, seeds, named)

    def apply(self, values: tuple[Any, ...], *seeds: Any) -> Any:
        """The program for the arguments of every parameter, then seeds."""
        return self.apply_bound(values, seeds, {})

    def __repr__(self) -> str:
        name = getattr(self.generated.function, "__qualname__", repr(self.generated.function))
        made = name
        for step in self.generated.recipe:
            wrt = "all floats" if step.wrt is None else ", ".join(step.wrt)
            made = f"{step.kind} of {made} by {wrt}" if wrt else f"{step.kind} of {made}"
        return f"<{made}>"

    @property
    def primal(self) -> Callable[..., Any]:
        """The undecorated function."""
        return stands_for(self.generated.function)

    @property
    def source(self) -> str:
        """The generated module text of the last call, black-formatted."""
        last = self.generated.last
        if last is None:
            raise TypeMismatch(
                "nothing is generated yet: types are known at the first call",
                code="AG406",
                help="call it once, or use generate(...) with types",
            )
        return format(last.made.text)

    @property
    def specialisations(self) -> tuple[str, ...]:
        """The types that programs are kept for, oldest first; at most `MOST`."""
        made, count = self.generated, len(self.generated.binder.names)
        return tuple(made.spelled(key[1 : count + 1]) for key in list(made.kept.known))

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self.of_method, instance)

    @functools.cached_property
    def of_method(self) -> Derivative:
        """The derivative of a method: by the arguments of a call, which has no `self`."""
        made = self.generated
        if not made.asked or not made.binder.names:
            return self
        rows = zip(made.recipe, made.asked, strict=True)
        recipe = tuple(replace(step, wrt=made.binder.wrt(wrt, 1)[0]) for step, wrt in rows)
        whole = any(step.wrt is None for step in recipe)
        if recipe == made.recipe and not whole:
            return self
        own = Generated(made.function, recipe, made.disable, made.target, made.asked, 1)
        return Derivative(own)

    def of_instance(self, instance: Any) -> Derivative:
        """The derivative of a method of an instance, which is no argument of a call."""
        made = self.generated
        bound = MethodType(made.function, instance)
        return Derivative(Generated(bound, made.recipe, made.disable, made.target, made.asked))

    def __reduce__(self) -> Any:
        made = self.generated
        primal = self.primal
        home = _home(primal)
        if home is self:
            return primal.__qualname__
        # A decorated function is found under its name in place of what it was made from.
        decorated = isinstance(home, Derivative) and home.primal is primal
        root = home if decorated else primal
        return _restored, (root, made.recipe, made.disable, made.target, made.asked)


def _restored(
    function: Callable[..., Any],
    recipe: Recipe,
    disable: tuple[str, ...],
    target: Target,
    asked: tuple[Any, ...] = (),
) -> Derivative:
    root = function.primal if isinstance(function, Derivative) else function
    return Derivative(Generated(called(root), recipe, disable, target, asked))


def _home(function: Callable[..., Any]) -> object:
    """What stands under the qualified name of a function."""
    found: object = sys.modules.get(getattr(function, "__module__", None) or "")
    for name in getattr(function, "__qualname__", "").split("."):
        found = getattr(found, name, None)
    return found

"""Functions made of functions: a derivative is generated at its first call and kept per guard.

A `Derivative` is thread-safe: specialisations are made under a lock and looked up without one. It
keeps the name, docstring and signature of what it was made from, and pickles if that does.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from adjointgen.api.binding import Binder, guard
from adjointgen.api.programs import Built, Recipe, build
from adjointgen.api.running import load
from adjointgen.errors import TypeMismatch
from adjointgen.frontend.lower import type_of
from adjointgen.frontend.resolve import Seen, watched
from adjointgen.frontend.source import Source, source_from_function

MOST = 64
"""Specialisations kept per derivative; the oldest goes first."""


@dataclass(frozen=True, slots=True)
class Specialisation:
    """A generated program for one guard: the function, its text, and what it depends on."""

    run: Callable[..., Any]
    text: str
    built: Built
    depends: tuple[Seen, ...]

    def stands(self) -> bool:
        """Whether every name outside the function still means what it did."""
        return all(table.get(name) is value for table, name, value in self.depends)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The names of the parameters that are not the primal's."""
        (made,) = self.built.functions
        mine = {p.name for p in self.built.primal.parameters}
        return tuple(p.name for p in made.parameters if p.name not in mine)


class Generated:
    """The specialisations of one recipe applied to one function."""

    def __init__(
        self, function: Callable[..., Any], recipe: Recipe, disable: tuple[str, ...] = ()
    ) -> None:
        self.function = function
        self.recipe = recipe
        self.disable = disable
        self.binder = Binder(function)
        self.known: dict[Hashable, Specialisation] = {}
        self.lock = threading.Lock()
        self.last: Specialisation | None = None

    def __reduce__(self) -> Any:
        return Generated, (self.function, self.recipe, self.disable)

    @functools.cached_property
    def source(self) -> Source:
        return source_from_function(self.function)

    def special(self, values: tuple[Any, ...]) -> Specialisation:
        """The specialisation for these arguments of the primal."""
        key = tuple(map(guard, values))
        found = self.known.get(key)
        if found is None or (found.depends and not found.stands()):
            with self.lock:
                found = self.known.get(key)
                if found is None or not found.stands():
                    found = self.make(values)
                    if len(self.known) >= MOST:
                        del self.known[next(iter(self.known))]
                    self.known[key] = found
        self.last = found
        return found

    def make(self, values: tuple[Any, ...]) -> Specialisation:
        """Generate, compile and load."""
        from adjointgen.emit.module import emit

        names = self.binder.names
        types = {name: type_of(name, value) for name, value in zip(names, values, strict=True)}
        with watched() as seen:
            built = build(self.source, types, [self.recipe], self.disable)
        text = emit(built.functions)
        depends = {(id(table), name): (table, name, value) for table, name, value in seen}
        given = {name: value for _, name, value in depends.values()}
        run = load(text, built.functions[0].name, given)
        return Specialisation(run, text, built, tuple(depends.values()))

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the program that fits the arguments: the primal's first, then seeds."""
        values, seeds, named = self.binder.split(args, kwargs)
        special = self.special(values)
        if not seeds and not named:
            return special.run(*values)
        names = special.seeds
        if len(seeds) > len(names):
            raise TypeMismatch(
                f"{len(seeds)} seeds for {len(names)}",
                code="AG405",
                help=f"pass the primal's arguments, then {', '.join(names)}",
            )
        return special.run(*values, **dict(zip(names, seeds, strict=False)), **named)


class Derivative:
    """A callable derivative: what `grad` and its kin return."""

    def __init__(self, generated: Generated, pack: Callable[[Any], Any] | None = None) -> None:
        self.generated = generated
        self.pack = pack
        functools.update_wrapper(self, generated.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made = self.generated.call(args, kwargs)
        return made if self.pack is None else self.pack(made)

    @property
    def primal(self) -> Callable[..., Any]:
        """The undecorated function."""
        return self.generated.function

    @property
    def source(self) -> str:
        """The generated module text of the last call, black-formatted."""
        from adjointgen.emit.module import format

        last = self.generated.last
        if last is None:
            raise TypeMismatch(
                "nothing is generated yet: types are known at the first call",
                code="AG406",
                help="call it once, or use generate(...) with types",
            )
        return format(last.text)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> Any:
        return Derivative, (self.generated, self.pack)

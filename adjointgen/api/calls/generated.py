"""The programs of one function: made at the first call for arguments of their kind, then kept.

Specialisations are made under a lock and looked up without one. What generates is not imported
until something has to be generated, and then stays: a program that another process left on disk
needs none of it.
"""

from __future__ import annotations

import functools
import linecache
import os
from collections.abc import Callable
from copy import deepcopy
from importlib import import_module
from types import FunctionType
from typing import Any, Final

from adjointgen.api.arguments.argument_binding import (
    Binder,
    exactly,
    guard,
    has_functions,
    spelled,
)
from adjointgen.api.arguments.argument_tests import asked_of, guards_suffice
from adjointgen.api.arguments.callable_functions import called, looks_of_call
from adjointgen.api.arguments.lists_apart import lists_of
from adjointgen.api.arguments.pack_structures import (
    fit_of,
    has_classes,
    packed,
)
from adjointgen.api.backends.numba_target import compiled
from adjointgen.api.cache import same_text
from adjointgen.api.cache.same_text import Text
from adjointgen.api.calls.kept_programs import Kept, Specialisation, kept_for
from adjointgen.api.calls.module_roots import check_shared, roots_of
from adjointgen.api.programs.recipes import Recipe
from adjointgen.api.seeds.seed_arrangement import Seeding, apart
from adjointgen.api.specialize.gc_pause import collector_paused
from adjointgen.api.specialize.length_guards import holding
from adjointgen.api.specialize.load_program import Made, load
from adjointgen.api.specialize.validity_check import standing, standing_for
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.errors import AdjointgenError, TypeMismatch
from adjointgen.records import replace
from adjointgen.watch import MISSING, Declared, Definition, Hidden, Look
from adjointgen.wrapping import plain

NO_SEEDS = Seeding({}, ())
MOST = 64
"""Specialisations kept per derivative; the oldest goes first."""
FEW: Final = 8
"""Programs that are tried in turn before guards are computed."""


class Generated:
    """The specialisations of one recipe applied to one function."""

    def __init__(
        self,
        function: Callable[..., Any],
        recipe: Recipe,
        disable: tuple[str, ...] = (),
        target: Target = PYTHON,
        asked: tuple[Any, ...] = (),
        instances: int = 0,
        caller: Any = None,
    ) -> None:
        self.recipe = recipe
        self.asked = asked
        """What each step was told to differentiate by."""
        self.instances = instances
        """How many of the first parameters are no arguments of a call: `self` of a method."""
        self.caller = caller
        """The object whose class has the function for its `__call__`."""
        self.disable = disable
        self.target = target
        self.last: Specialisation | None = None
        self.read(function)

    def read(self, function: Callable[..., Any]) -> None:
        """Read the signature of a function, and find the programs that are kept for it."""
        self.function = function
        self.binder = Binder(function)
        self.definition = definition_of(function)
        keep_text(self.definition)
        self.calls = () if self.caller is None else looks_of_call(self.caller)
        self.root: Any = self.definition.function if self.definition else definition_of
        self.kept = self.programs()

    def programs(self) -> Kept:
        """The programs that are kept with the function for derivatives like this one."""
        checked = os.environ.get("ADJOINTGEN_CHECK")
        ways = (self.recipe, self.disable, self.target, self.instances, checked)
        return kept_for(self.function, ways)

    def refresh(self) -> None:
        """Read the signature again where the function, its code or defaults have been replaced."""
        if self.caller is not None and not all(look.stands() for look in self.calls):
            self.read(called(self.caller))
            rows = zip(self.recipe, self.asked, strict=True)
            self.recipe = tuple(replace(step, wrt=self.binder.wrt(wrt)[0]) for step, wrt in rows)
            self.kept = self.programs()
        if self.definition is not None and self.definition.get("", MISSING) is MISSING:
            self.read(self.function)

    def special(self, values: tuple[Any, ...]) -> Specialisation:
        """The specialisation for these arguments of the primal."""
        key = self.key(values)
        found = self.fitting(key, values)
        if found is None:
            with self.kept.lock:
                found = self.fitting(key, values)
                if found is None:
                    with collector_paused():
                        found = self.make(values, key[1 : len(values) + 1])
                    self.remember(self.key(values), found, values)
        if found.lists is not None:
            found.lists.check(values)
        self.last = found
        return found

    def key(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """What tells the programs for these arguments from others."""
        guards = (Declared.count, *map(guard, values))
        if not (self.kept.exact or self.kept.alike):
            return guards
        named = dict(zip(self.binder.names, values, strict=True))
        exact = [named[name] for name in self.binder.names if name in self.kept.exact]
        return (*guards, *map(exactly, exact), *holding(self.kept.alike, named))

    def fitting(self, key: tuple[Any, ...], values: tuple[Any, ...]) -> Specialisation | None:
        """A program that was made for arguments like these, and still stands."""
        for one in self.kept.known.get(key, ()):
            if one.stands(values):
                return one
        return None

    def remember(self, key: tuple[Any, ...], made: Specialisation, values: tuple[Any, ...]) -> None:
        """Keep a program beside those for objects of the same classes with other attributes."""
        kept = (s for s in self.kept.known.get(key, ()) if s.fit is not None)
        others = tuple(s for s in kept if not (s.fit and s.fit.holds(values)))
        while len(self.kept.known) >= MOST and key not in self.kept.known:
            del self.kept.known[next(iter(self.kept.known))]
        self.kept.known[key] = (made, *others[: MOST - 1])

    def remember_quick(self, values: tuple[Any, ...], special: Specialisation) -> None:
        """Have a program tried before guards are computed, where nothing else is asked."""
        made = special.made
        asked = special.lists is not None or not guards_suffice(made.layout)
        depends = asked or made.written or special.roots
        if depends or self.kept.exact or self.kept.alike:
            return
        if (tests := asked_of(values)) is None:
            return
        known = [one for one in self.kept.quick if one[1] == tests]
        if known and known[0][2] is special:
            return
        others = tuple(one for one in self.kept.quick if one not in known and one[2].current())
        if len(others) < FEW:
            fits = standing_for(self.root, special.looks, tests.tests, tests.held)
            self.kept.quick = ((fits, tests, special), *others)

    def make(self, values: tuple[Any, ...], guards: tuple[Any, ...]) -> Specialisation:
        """A program, with others in its place for paths that it is not made for."""
        special = self.loaded(values, guards)
        run, made = special.run, special.made
        if made.exits.messages:
            run = import_module("adjointgen.api.calls.other_paths").Variants(special, self)
        if os.environ.get("ADJOINTGEN_CHECK") == "first" and not self.recipe[-1].batch:
            run = import_module("adjointgen.api.calls.first_call_check").checked(run, self, made)
        return special if run is special.run else replace(special, run=run)

    def loaded(self, values: tuple[Any, ...], guards: tuple[Any, ...]) -> Specialisation:
        """Recall or generate, compile and load."""
        kept = not any(map(has_functions, guards))
        ways = (self.recipe, self.disable, self.target, self.instances, guards)
        text = same_text.text_of(self.function, ways) if kept else None
        named = dict(zip(self.binder.names, values, strict=True))
        made = None if text is None else same_text.recall(text, self.function, named)
        if made is None:
            made = self.recalled(guards, text, values) if kept else self.generate(values)[0]
        self.kept.exact |= made.exact
        self.kept.alike = tuple(dict.fromkeys((*self.kept.alike, *made.alike)))
        # Whether the function itself is the same is seen at less cost (`refresh`), and what is
        # asked of arguments is asked of those of a call (`Fit`).
        made = replace(made, looks=tuple(look for look in made.looks if not self.is_own(look)))
        looks = (*(o for o in made.looks if not isinstance(o.table, Hidden)), *self.calls)
        fit = None if made.layout is None else fit_of(made.layout, values)
        run = load(made, self.function)
        if self.target != PYTHON:
            run = compiled(run, made.outer)
        shared = (
            lists_of(made.layout, values, self.binder.names, self.recipe),
            roots_of(made, looks, values),
        )
        return Specialisation(run, made, looks, standing(self.root, looks), fit, *shared)

    def recalled(self, guards: tuple[Any, ...], text: Text | None, values: tuple[Any, ...]) -> Made:
        """Recall from disk, or generate, and keep what other functions of this text may run."""
        disk = import_module("adjointgen.api.cache.disk_lookup")
        ways = (self.target, *self.disable)
        key = disk.key_of(self.function, self.recipe, ways, self.spelled(guards))
        opened = frozenset() if text is None else same_text.to_open(text, self.function)
        made: Made | None = None if key is None or opened else disk.recall(self.function, key)
        if text is not None and opened:
            made = self.reading(opened, text, values)
        if made is None:
            opened = frozenset()
            made, source = self.generate(values)
            if key is not None and made.lasting and not (made.exact or made.alike):
                disk.keep(self.function, key, made, source)
        if text is not None:
            named = dict(zip(self.binder.names, values, strict=True))
            same_text.keep(text, self.function, made, opened, named)
        return made

    def reading(self, opened: frozenset[str], text: Text, values: tuple[Any, ...]) -> Made | None:
        """A program that reads captured floats when it runs, where there is one."""
        try:
            return self.generate(values, opened)[0]
        except AdjointgenError:
            text.closed = True
            return None

    def is_own(self, look: Look) -> bool:
        """Whether a look-up is of the function's own code and defaults."""
        return isinstance(look.table, Definition) and look.table.function is self.root

    def generate(
        self, values: tuple[Any, ...], opened: frozenset[str] = frozenset()
    ) -> tuple[Made, str]:
        """A program for these arguments, and the text that the function was read from."""
        making = import_module("adjointgen.api.specialize.specialize")
        arguments = dict(zip(self.binder.names, values, strict=True))
        owners = self.binder.names[: len(self.binder.owner) or self.instances]
        source = making.source_from_function(self.function, opened=opened)
        run = functools.partial(self.called, values)
        how = (self.disable, arguments, owners, self.target, run)
        made: Made = making.make(source, self.recipe, *how)
        return made, source.text

    def other(self, values: tuple[Any, ...]) -> Specialisation:
        """A program that is made for the paths that these arguments take."""
        with collector_paused():
            return self.loaded(values, self.key(values)[1 : len(values) + 1])

    def spelled(self, guards: tuple[Any, ...]) -> str:
        """A guard for people and for the disk: `x: float64[?, 1], n: int`."""
        named = zip(self.binder.names, guards, strict=True)
        return ", ".join(f"{name}: {spelled(one)}" for name, one in named)

    @functools.cached_property
    def seeds(self) -> int:
        """How many seeds a call ends with, where that cannot be told from the signature."""
        step = self.recipe[-1]
        many = len(step.wrt or ())
        return {"tangent": many, "taylor": many, "adjoint": 1}.get(step.kind, 0)

    def apply(
        self,
        special: Specialisation,
        values: tuple[Any, ...],
        seeds: tuple[Any, ...],
        named: dict[str, Any],
    ) -> Any:
        """Run a program for the arguments of every parameter, with seeds.

        Raises TypeMismatch (AG405, AG407) for seeds that do not fit.
        """
        self.check_apart(values, special)
        seeding = special.made.seeding
        if seeding is not None or named:
            return self.seeded(special, seeding or NO_SEEDS, values, seeds, named)
        if seeds:
            NO_SEEDS.arranged(seeds, {})
        return self.run(special, values, {})

    def require_no_seed(self, values: tuple[Any, ...]) -> None:
        """Refuse arguments (AG407) of which the last one was meant to be a seed: it stands where
        one with a default does, and without a seed the derivative is zero."""
        seeding = self.special(values).made.seeding
        if seeding is not None and seeding.names and not seeding.alone:
            raise _left_out(seeding)

    def seeded(
        self,
        special: Specialisation,
        seeding: Seeding,
        values: tuple[Any, ...],
        seeds: tuple[Any, ...],
        named: dict[str, Any],
    ) -> Any:
        """Run a program with seeds, which are held against what it returns."""
        if not seeds and not named and seeding.alone and len(seeding.given) == 1:
            return self.run(special, values, {})
        acts = special.made.acts
        result = _not_again if acts else functools.partial(self.value, values)
        given, last = seeding.settled(values, seeds, named, result, self.target != PYTHON)
        if special.made.written:
            given = apart(given, values)
        try:
            made = self.run(special, values, given)
        except Exception:
            if not acts and any(not isinstance(last.get(n), float) for n in seeding.lasting):
                seeding.check(last, result())
            raise
        if seeding.lasting:
            seeding.check(last, made[0])
            if not (seeds or named) and seeding.is_one and isinstance(made[0], float):
                raise _left_out(seeding)
        return made

    def value(self, values: tuple[Any, ...]) -> Any:
        """What the function returns that the last step differentiates, for copies of arguments."""
        found = self.result(values)
        return found[0] if self.recipe[-1].aux else found

    def result(self, values: tuple[Any, ...]) -> Any:
        """What the function returns, for copies of arguments."""
        own = len(self.binder.owner)
        copied = (*values[:own], *deepcopy(values[own:]))
        if len(self.recipe) == 1:
            return self.called(copied)
        inner = Generated(self.function, self.recipe[:-1], self.disable)
        return inner.apply(inner.special(copied), copied, (), {})

    def called(self, values: tuple[Any, ...]) -> Any:
        """What the function returns for the arguments of every parameter."""
        return self.binder.call(self.function, values)

    def check_apart(self, values: tuple[Any, ...], special: Specialisation) -> None:
        """Refuse arguments that the function writes to, or reads, under another name as well."""
        if special.made.written or special.roots:
            check_shared(special, self.binder.names, values)

    def run(self, special: Specialisation, values: tuple[Any, ...], seeds: dict[str, Any]) -> Any:
        """Run a program with seeds by name."""
        made, layout = self.outcome(special, values, seeds), special.made.layout
        if layout is None or not has_classes(layout.results):
            return made
        return packed(layout.results, made)

    def outcome(
        self, special: Specialisation, values: tuple[Any, ...], seeds: dict[str, Any]
    ) -> Any:
        """What a program returns, with dicts and tuples for instances."""
        if not self.binder.plain:
            seeds = seeds | self.binder.by_name(values)
            values = self.binder.by_position(values)
        if not seeds:
            self.remember_quick(values, special)
        return special.run(*values, **seeds) if seeds else special.run(*values)


def definition_of(function: Callable[..., Any]) -> Definition | None:
    """The state of a function of the user's."""
    root = plain(function)
    return Definition(root) if isinstance(root, FunctionType) else None


def keep_text(definition: Definition | None) -> None:
    """Look for the text of a function that stands in no file, while it may be at hand."""
    file = definition.function.__code__.co_filename if definition else ""
    if definition and file.startswith("<") and file not in linecache.cache:
        source = import_module("adjointgen.frontend.source.source")
        source.remember_text(definition.function)


def _left_out(seeding: Seeding) -> TypeMismatch:
    return TypeMismatch(
        f"no seed is given for {seeding.names[0]}",
        code="AG407",
        help="seeds stand after all arguments, those with defaults included; "
        f"or name it, as in {seeding.names[0]}=...",
    )


def _not_again() -> Any:
    raise TypeMismatch(
        "what is returned depends on the path, and the function does more than compute it: it is "
        "not run again to see what a seed has to be",
        code="AG407",
        help="pass a seed of the structure, shape and kind of the result",
    )

"""The programs of a written module, as they are shipped, against the function that they are of.

    f_tangent(x, ..., x_dot, ...)  -> y, y_dot
    f_adjoint(x, ..., y_bar, ...)  -> y, x_bar, ...
    f_primal(x, ...)               -> y
    f_forward(x, ...)              -> y, tape
    f_reverse(tape, y_bar)         -> x_bar, ...

and so on (`written_modes.py`).

Nothing is generated for it: the module is imported, compiled programs are compiled, and whatever
somebody did to the file counts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.cache.atomic_write import read_text
from adjointgen.api.calls.check_arguments import (
    Subject,
    bound,
    by_name,
    differentiated,
    flat_primal,
    reported,
)
from adjointgen.api.calls.modes import grad, tangent
from adjointgen.api.calls.solver_noise import limits_of
from adjointgen.api.calls.written_modes import Run, seeds_in
from adjointgen.api.calls.written_series import Series, drawn
from adjointgen.api.modules.header import split
from adjointgen.api.specialize.load_program import Made
from adjointgen.config.modes import MODES, TABLE, Mode, Role
from adjointgen.config.options import Options, parse_command
from adjointgen.errors import CheckFailed
from adjointgen.records import dataclass
from adjointgen.verify.attempt import attempt
from adjointgen.verify.report import Report
from adjointgen.verify.structures import Vector, flatten, random_like


@dataclass(frozen=True, slots=True)
class Point:
    """A function at a point, and what is differentiated."""

    function: Callable[..., Any]
    binder: Binder
    values: tuple[Any, ...]
    chosen: tuple[str, ...]

    @property
    def point(self) -> tuple[Any, ...]:
        """The values of what is differentiated."""
        return tuple(self.values[self.binder.names.index(name)] for name in self.chosen)

    @property
    def primal(self) -> Callable[..., Any]:
        """The function of one argument for every parameter."""
        return flat_primal(self.function, self.binder, self.special)

    def special(self) -> Made:
        """The program that a live call would run, which knows what the function writes to."""
        return tangent(self.function, self.chosen or ...).generated.special(self.values).made

    def subject(self, mode: Mode) -> Subject:
        """What the program of a mode is verified against."""
        of: Callable[..., Any] = self.function
        if TABLE[mode].of_gradient:
            of = grad(of, self.chosen if len(self.chosen) > 1 else self.chosen[0])
        return Subject(of, self.binder, self.values, self.chosen, self.special)


@dataclass(frozen=True, slots=True)
class Written:
    """The programs of one function in a written module, and the text of the module."""

    programs: Mapping[Mode, Callable[..., Any]]
    text: str
    wrt: tuple[str, ...] | None
    directions: int = 0

    def check(
        self,
        function: Callable[..., Any],
        args: Sequence[Any] | Mapping[str, Any],
        seed: int = 0,
        rtol: float | None = None,
    ) -> Report:
        """Compare the programs with their function at a point, as `check` does.

        Raises CheckFailed (AG503) where a program does not have the parameters it should have.
        """
        at = self._point(function, args)
        first = [mode for mode in self.programs if TABLE[mode].together]
        groups = [[mode] for mode in self.programs if mode not in first]
        groups = [first, *groups] if first else groups
        report = self._report(at, groups[0], seed, rtol)
        for modes in groups[1:]:
            report = report.with_report(self._report(at, modes, seed, rtol), modes[0])
        return report

    def _report(self, at: Point, modes: Sequence[Mode], seed: int, rtol: float | None) -> Report:
        """The report on the programs of these modes."""
        run = {TABLE[mode].role: self._run(mode, at) for mode in modes}
        limits = limits_of(self.text, rtol, [p.__name__ for p in self.programs.values()])
        if "series" in run:
            given = at.values[len(at.binder.owner) :]
            places = [at.binder.own.index(name) for name in at.chosen]
            return Series(at.primal, run["series"], given, places, seed).report(limits)
        programs = run.get("tangent"), run.get("adjoint")
        again = run.get("value")
        return reported(
            at.subject(modes[0]),
            *programs,
            limits=limits,
            text=self.text,
            seed=seed,
            again=again and (lambda given: again(given, ())),
        )

    def _point(
        self, function: Callable[..., Any], args: Sequence[Any] | Mapping[str, Any]
    ) -> Point:
        binder = Binder(function)
        values = bound(binder, args)
        return Point(function, binder, values, self.chosen(binder, values))

    def chosen(self, binder: Binder, values: tuple[Any, ...]) -> tuple[str, ...]:
        """What is differentiated in the programs."""
        only = set(self.programs) == {"primal"}
        return () if only else self.wrt or differentiated(binder, values, None)

    def numbers(
        self, function: Callable[..., Any], args: Sequence[Any] | Mapping[str, Any], seed: int = 0
    ) -> Vector:
        """What the programs return at a point, for seeds that are drawn."""
        at, rng = self._point(function, args), np.random.default_rng(seed)
        given = at.values[len(at.binder.owner) :]
        y = attempt(at.primal, *given).result
        seeds: dict[Role, Any] = {"value": (), "tangent": random_like(at.point, rng)}
        seeds |= {"adjoint": random_like(y, rng), "series": drawn(at.point, rng)}
        found = []
        for mode in self.programs:
            outcome = attempt(self._run(mode, at), given, seeds[TABLE[mode].role])
            if outcome.error is not None:
                raise outcome.error
            found.append(flatten(outcome.result))
        return np.concatenate(found)

    def _run(self, mode: Mode, at: Point) -> Run:
        """A program as verification calls it: with the arguments, and the seeds in order."""
        program = self.programs[mode]
        if mode == "primal":
            whole = flat_primal(program, at.binder, at.special)
            return Run(mode, lambda given, _: whole(*given), whole, 0)
        # What Numba compiles keeps its function; a class that wraps it may have no signature.
        signature = inspect.signature(getattr(program, "py_func", program))
        own = tuple(signature.parameters)
        seeds = [name for name in own if name not in at.binder.names]
        if TABLE[mode].seeds and TABLE[mode].role == "tangent" and len(seeds) != len(at.chosen):
            raise CheckFailed(
                f"{program.__name__} has {len(seeds)} seeds for {len(at.chosen)} differentiated "
                "arguments",
                code="AG503",
                help="generate the module again",
            )

        def call(given: Sequence[Any], tree: Sequence[Any]) -> Any:
            if TABLE[mode].role == "adjoint":
                tree = seeds_in(tree, len(seeds))
            values = dict(zip(at.binder.names, given, strict=True))
            arguments = values | dict(zip(seeds, tree, strict=True))
            first, named = by_name(signature, {n: arguments[n] for n in own})
            return program(*first, **named)

        value = flat_primal(at.subject(mode).function, at.binder, at.special)
        return Run(mode, call, value, len(at.chosen), self.directions if TABLE[mode].seeds else 0)


def written_in(
    module: ModuleType,
    name: str,
    modes: Sequence[Mode] = (),
    wrt: Sequence[str] | None = None,
) -> Written:
    """The programs of a function in a module: those of `modes`, or all that it has.

    Without `wrt` it is what the header says. Raises CheckFailed (AG503) where one is missing.
    """
    file = getattr(module, "__file__", None)
    text = (read_text(Path(file)) if file else None) or ""
    parts = {
        mode: [getattr(module, f"{name}_{part}", None) for part in TABLE[mode].parts]
        for mode in modes or TABLE
    }
    found = {mode: _joined(own) for mode, own in parts.items() if all(map(callable, own))}
    if not found or len(found) < len(modes):
        asked = [mode for mode in modes or MODES if mode not in found]
        *others, last = [f"{name}_{part}" for mode in asked for part in TABLE[mode].parts]
        missing = f"{', '.join(others)} or {last}" if others else last
        raise CheckFailed(
            f"there is no {missing} in {Path(file).name if file else module.__name__}",
            code="AG503",
            help="generate the module again: its header says how",
        )
    stated = _stated(text)
    by = tuple(wrt) if wrt is not None else stated.wrt or None
    return Written(found, text, by, stated.directions)


def _joined(parts: Sequence[Any]) -> Callable[..., Any]:
    """One program of two sweeps, `f(x, ..., y_bar) -> y, x_bar`, which reads the tape twice."""
    if len(parts) == 1:
        only: Callable[..., Any] = parts[0]
        return only
    forward, reverse = parts
    own, later = (inspect.signature(part) for part in parts)
    seeds = list(later.parameters.values())[1:]

    def both(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        given = dict(zip(whole.parameters, args, strict=False)) | kwargs
        bars = {seed.name: given.pop(seed.name) for seed in seeds if seed.name in given}
        first, named = by_name(own, given)
        y, tape = forward(*first, **named)
        reverse(tape, **bars)
        return y, reverse(tape, **bars)

    late = [seed.replace(kind=inspect.Parameter.KEYWORD_ONLY) for seed in seeds]
    given = list(own.parameters.values())
    rest = [p for p in given if p.kind is inspect.Parameter.VAR_KEYWORD]
    whole = own.replace(
        parameters=[*(p for p in given if p not in rest), *late, *rest], return_annotation=Any
    )
    both.__name__ = reverse.__name__
    both.__signature__ = whole  # type: ignore[attr-defined]
    return both


def _stated(text: str) -> Options:
    """The options that the header of a module states."""
    parts = split(text)
    try:
        return Options() if parts is None else parse_command(parts[0].command).options
    except ValueError:
        return Options()

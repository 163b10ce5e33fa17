"""The programs of a written module, as they are shipped, against the function that they are of.

    f_tangent(x, ..., x_dot, ...)  -> y, y_dot
    f_adjoint(x, ..., y_bar, ...)  -> y, x_bar, ...
    f_primal(x, ...)               -> y
    f_forward(x, ...)              -> y, tape
    f_reverse(tape, y_bar)         -> x_bar, ...

Nothing is generated for it: the module is imported, compiled programs are compiled, and whatever
somebody did to the file counts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.cache.atomic_write import read_text
from adjointgen.api.calls.check_arguments import (
    Subject,
    bound,
    by_name,
    differentiated,
    flat_primal,
    leaves_of,
    reported,
)
from adjointgen.api.calls.modes import tangent
from adjointgen.api.calls.solver_noise import limits_of
from adjointgen.api.modules.header import split
from adjointgen.api.specialize.load_program import Made
from adjointgen.config.options import Mode, parse_command
from adjointgen.errors import CheckFailed
from adjointgen.records import dataclass
from adjointgen.verify.attempt import attempt
from adjointgen.verify.report import Report
from adjointgen.verify.structures import Vector, flatten, random_like

_PARTS: Final[Mapping[Mode, tuple[str, ...]]] = {
    "primal": ("primal",),
    "tangent": ("tangent",),
    "adjoint": ("adjoint",),
    "split": ("forward", "reverse"),
}
"""The functions that a mode has in a module, by the ends of their names."""


@dataclass(frozen=True, slots=True)
class Written:
    """The programs of one function in a written module, and the text of the module."""

    programs: Mapping[Mode, Callable[..., Any]]
    text: str
    wrt: tuple[str, ...] | None

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
        binder = Binder(function)
        values = bound(binder, args)
        chosen = self.chosen(binder, values)
        special = partial(_special, function, values, chosen)
        run = {mode: self._run(mode, binder, chosen) for mode in self.programs}
        if "primal" in run:
            whole = flat_primal(self.programs["primal"], binder, special)
            run["primal"] = lambda given: whole(*given)
        limits = limits_of(self.text, rtol, [p.__name__ for p in self.programs.values()])
        subject = Subject(function, binder, values, chosen, special)
        test = partial(reported, subject, limits=limits, text=self.text, seed=seed)
        report = None
        if set(run) != {"split"}:
            report = test(run.get("tangent"), run.get("adjoint"), again=run.get("primal"))
        if "split" in run and (report is None or report.ok):
            report = test(None, run["split"])
        assert report is not None
        return report

    def chosen(self, binder: Binder, values: tuple[Any, ...]) -> tuple[str, ...]:
        """What is differentiated in the programs."""
        only = set(self.programs) == {"primal"}
        return () if only else self.wrt or differentiated(binder, values, None)

    def numbers(
        self, function: Callable[..., Any], args: Sequence[Any] | Mapping[str, Any], seed: int = 0
    ) -> Vector:
        """What the programs return at a point, for seeds that are drawn."""
        binder = Binder(function)
        values = bound(binder, args)
        chosen = self.chosen(binder, values)
        rng = np.random.default_rng(seed)
        given = values[len(binder.owner) :]
        point = tuple(values[binder.names.index(name)] for name in chosen)
        special = partial(_special, function, values, chosen)
        y = attempt(flat_primal(function, binder, special), *given).result
        dots, bars = random_like(point, rng), random_like(y, rng)
        found = []
        for mode in self.programs:
            run = self._run(mode, binder, chosen)
            seeds = dots if mode == "tangent" else bars
            outcome = attempt(run, given, *([] if mode == "primal" else [seeds]))
            if outcome.error is not None:
                raise outcome.error
            found.append(flatten(outcome.result))
        return np.concatenate(found)

    def _run(self, mode: Mode, binder: Binder, chosen: tuple[str, ...]) -> Callable[..., Any]:
        """A program as verification calls it: with the arguments, and the seeds in order."""
        program = self.programs[mode]
        # What Numba compiles keeps its function; a class that wraps it may have no signature.
        signature = inspect.signature(getattr(program, "py_func", program))
        own = tuple(signature.parameters)
        seeds = [name for name in own if name not in binder.names]
        if mode == "tangent" and len(seeds) != len(chosen):
            raise CheckFailed(
                f"{program.__name__} has {len(seeds)} seeds for {len(chosen)} differentiated "
                "arguments",
                code="AG503",
                help="generate the module again",
            )

        def run(given: Sequence[Any], tree: Any) -> Any:
            values = dict(zip(binder.names, given, strict=True))
            dots = tree if mode == "tangent" else leaves_of(tree)
            arguments = values | dict(zip(seeds, dots, strict=True))
            first, named = by_name(signature, {n: arguments[n] for n in own})
            made = program(*first, **named)
            if mode == "tangent":
                return made
            y, *bars = made
            if mode == "split" and len(chosen) != 1:
                (bars,) = bars
            return y, tuple(bars)

        return run


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
        mode: [getattr(module, f"{name}_{part}", None) for part in _PARTS[mode]]
        for mode in modes or _PARTS
    }
    found = {mode: _joined(own) for mode, own in parts.items() if all(map(callable, own))}
    if not found or len(found) < len(modes):
        *others, last = [f"{name}_{p}" for m in parts if m not in found for p in _PARTS[m]]
        missing = f"{', '.join(others)} or {last}" if others else last
        raise CheckFailed(
            f"there is no {missing} in {Path(file).name if file else module.__name__}",
            code="AG503",
            help="generate the module again: its header says how",
        )
    return Written(found, text, tuple(wrt) if wrt is not None else stated_wrt(text))


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


def stated_wrt(text: str) -> tuple[str, ...] | None:
    """What is differentiated in a module by its header; None for all floats."""
    parts = split(text)
    try:
        return (parts and parse_command(parts[0].command).options.wrt) or None
    except ValueError:
        return None


def _special(function: Callable[..., Any], values: tuple[Any, ...], wrt: tuple[str, ...]) -> Made:
    """The program that a live call would run, which knows what the function writes to."""
    return tangent(function, wrt or ...).generated.special(values).made

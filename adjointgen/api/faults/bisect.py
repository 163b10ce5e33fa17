"""Where the derivative of a function is wrong, at a point.

The function is read as for a derivative, functions that it calls in their places, and its
statements are searched (`locate.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.faults.locate import Search
from adjointgen.api.faults.observed_values import Runs
from adjointgen.api.faults.regions import maybe_undefined
from adjointgen.api.faults.source_lines import Lines
from adjointgen.api.programs.recipes import Step
from adjointgen.api.specialize.assumed_paths import AssumedPaths
from adjointgen.api.specialize.settle import Way, settled
from adjointgen.api.specialize.specialize import source_from_function, typed
from adjointgen.depth import deep
from adjointgen.ir.nodes import Function
from adjointgen.optimize.scalar.inline_calls import straight
from adjointgen.program import flattened, primal
from adjointgen.verify.report import Fault
from adjointgen.verify.twins import twins
from adjointgen.watch import Look


def faults_of(
    function: Callable[..., Any],
    binder: Binder,
    values: tuple[Any, ...],
    wrt: Sequence[str],
    seed: int = 0,
    rtol: float = 0.0,
    disable: tuple[str, ...] = (),
    nudge: bool = False,
) -> tuple[Fault, ...]:
    """The first line whose tangent is not what differences give, or whose adjoint is not the
    transpose of its tangent; with `nudge` all of them, each taken for right from there on.
    """

    def call(run: Callable[..., Any]) -> Any:
        start = len(binder.owner)
        given = (*values[:start], *twins(values[start:]))
        return run(*binder.by_position(given), **binder.by_name(given))

    with deep():
        root, lines, looks = program_of(function, binder, values, wrt, disable)
        runs = Runs(root, call, looks, maybe_undefined(root))
        return Search(runs, lines, tuple(wrt), seed, rtol, disable, nudge).run()


def program_of(
    function: Callable[..., Any],
    binder: Binder,
    values: tuple[Any, ...],
    wrt: Sequence[str],
    disable: tuple[str, ...],
) -> tuple[Function, Lines, tuple[Look, ...]]:
    """The program of a function for a call, with what it calls inside; its lines; its look-ups."""
    arguments = dict(zip(binder.names, values, strict=True))
    owners = binder.names[: len(binder.owner)]
    types, recipes = typed([(Step("tangent", tuple(wrt)),)], arguments, owners)
    paths = AssumedPaths(partial(binder.call, function, twins(values)))
    source = source_from_function(function)
    found = settled(source, recipes, Way(disable, paths=paths), types, arguments)
    program = primal(found.built.primal)
    root = flattened(program, straight(program.function)).function
    return root, Lines(source), tuple(found.looks.values())

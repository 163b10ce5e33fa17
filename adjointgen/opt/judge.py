"""A derivative program in the IR, judged at a point: against differences of the user's function.

The programs are run along random directions; with `y_dot` from differences,

    primal    y of the program = y
    tangent   y_dot of the program = y_dot
    adjoint   <x_bar of the program, x_dot> = <y_bar, y_dot>     (the dot product test)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, Literal

import numpy as np

from adjointgen.ir.nodes import Function
from adjointgen.opt.interpreter import run
from adjointgen.records import dataclass
from adjointgen.verify.differences import directional_derivative
from adjointgen.verify.structures import Vector, flatten, leaves, random_like

Way = Literal["primal", "tangent", "adjoint"]
DIRECTIONS: Final = 3
EXACT: Final = 1e-11
"""How far values may be apart, relative to their size: sums may be taken in another order."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One direction: the seeds of arguments and result, the slope along it, and its error."""

    dots: tuple[Any, ...]
    bars: tuple[Any, ...]
    slope: Vector
    error: Vector


@dataclass(frozen=True, slots=True)
class Point:
    """A call of a function: its arguments by name, what is differentiated, and what comes of it."""

    args: Mapping[str, Any]
    wrt: tuple[str, ...]
    value: Vector
    trials: tuple[Trial, ...]
    names: Mapping[str, Any]

    def given(self, function: Function) -> list[Any]:
        """Copies of the arguments that the parameters of a program stand for, without its seeds."""
        roots = [p.root for p in function.body.params]
        return [deepcopy(self.args[root]) for root in roots if root in self.args]


def point_of(
    f: Callable[..., Any], args: Mapping[str, Any], wrt: Sequence[str], seed: int = 0
) -> Point:
    """The point at which programs are judged. Raises what the function raises there."""
    rng = np.random.default_rng(seed)
    names, values = list(args), tuple(args.values())
    places = [names.index(name) for name in wrt]

    def called(*given: Any) -> Any:
        return f(**dict(zip(names, given, strict=True)))

    result = called(*deepcopy(values))
    trials = []
    for _ in range(DIRECTIONS):
        dots = tuple(random_like(values[k], rng) for k in places)
        found = directional_derivative(called, values, dots, wrt=places)
        bars = tuple(random_like(leaf, rng) for _, leaf in leaves(result))
        trials.append(Trial(dots, bars, found.value, found.error))
    value = flatten(result)
    return Point(dict(args), tuple(wrt), value, tuple(trials), dict(getattr(f, "__globals__", {})))


def faults(function: Function, way: Way, point: Point, storage: bool = False) -> str:
    """What is wrong with a program at a point, in words; "" if nothing is.

    Raises what the interpreter raises for a program that it cannot run.
    """

    def call(*seeds: Any) -> Any:
        given = (*point.given(function), *deepcopy(seeds))
        return run(function, *given, environment=point.names, storage=storage)

    with np.errstate(all="ignore"):
        return next(found_in(call, way, point), "")


def found_in(call: Callable[..., Any], way: Way, point: Point) -> Iterator[str]:
    """The faults of a program that is called with its seeds."""
    if way == "primal":
        yield from _values(flatten(call()), point)
        return
    for trial in point.trials:
        if way == "tangent":
            value, slope = call(*trial.dots)
            yield from _values(flatten(value), point)
            gap, most = np.abs(flatten(slope) - trial.slope), trial.error + _noise(trial.slope)
            if not np.all(gap <= most):
                yield f"y_dot is {flatten(slope)}, differences give {trial.slope}"
            continue
        value, *x_bars = call(*trial.bars)
        yield from _values(flatten(value), point)
        bars = np.concatenate([flatten(bar) for bar in trial.bars])
        wanted, error = bars @ trial.slope, np.abs(bars) @ (trial.error + _noise(trial.slope))
        dots = [flatten(d) for d in trial.dots]
        found = sum(float(flatten(b) @ d) for b, d in zip(x_bars, dots, strict=True))
        if not abs(found - wanted) <= error:
            yield f"<x_bar, x_dot> is {found}, <y_bar, y_dot> by differences {wanted}"


def _values(value: Vector, point: Point) -> Iterator[str]:
    close = value.shape == point.value.shape and np.allclose(
        value, point.value, rtol=EXACT, atol=EXACT, equal_nan=True
    )
    if not close:
        yield f"the value is {value}, not {point.value}"


def _noise(slope: Vector) -> Vector:
    noise: Vector = 1e-7 * (1.0 + np.abs(slope))
    return noise

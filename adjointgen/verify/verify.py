"""Whether tangent and adjoint are the derivatives of a function at a point.

    primal          y = f(x)                     both programs compute the same y
    tangent         y_dot = f'(x) x_dot          equals differences or the complex step,
                                                 leaves a Taylor remainder of order h^2
    adjoint         x_bar = f'(x)^T y_bar        is the transpose of the tangent
    contract        arguments are left alone, or as f leaves them; results share storage only where
                    those of f do; what f raises is raised; a second call gives the same bits

in a few random directions.  A fault in one entry of f'(x) shows in almost all of them, so few
suffice.  Each direction is as large as the arguments, coordinate by coordinate, and each adjoint
as small as the results are large, so that no entry hides behind another one's size.

Nothing here knows how the programs were made: they are plain callables.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeAlias

import numpy as np

from adjointgen.verify import effects, judge, tolerance
from adjointgen.verify.attempt import Outcome, attempt
from adjointgen.verify.differences import Reference, reference
from adjointgen.verify.kinks import Kink
from adjointgen.verify.line import OUTSIDE, Line, line_through
from adjointgen.verify.noise import rounding_noise
from adjointgen.verify.report import Report, Row
from adjointgen.verify.structures import (
    Vector,
    changes,
    flatten,
    fresh,
    random_vector,
    sizes,
    spread,
    unflatten,
)
from adjointgen.verify.taylor import taylor_table

Program: TypeAlias = Callable[..., Any]
# The name of a program, the program, what it was given, and what came of it.
Call: TypeAlias = tuple[str, Program, tuple[Any, ...], Outcome]

# What one direction may use where the point is hard; the last directions are then left out.
MOST = 20
DIRECTIONS = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """What is verified: the programs, the point, and what the function alone does there.

    `rtol` is how much a derivative may be off for the solvers that the function calls; what is
    within `doubt` then decides nothing.
    """

    primal: Program
    tangent: Program | None
    adjoint: Program | None
    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    base: Outcome
    rtol: float = 0.0
    doubt: float = 0.0

    @property
    def point(self) -> tuple[Any, ...]:
        """The differentiated arguments."""
        return tuple(self.args[i] for i in self.wrt)

    @property
    def name(self) -> str:
        """The function's name."""
        return str(getattr(self.primal, "__name__", type(self.primal).__name__))


@dataclass(frozen=True, slots=True)
class Trial:
    """One direction: the rows and kinks it gave, and both calls, which are to be repeated."""

    rows: tuple[Row, ...]
    kinks: tuple[Kink, ...]
    calls: tuple[Call, ...]


def verify(
    primal: Program,
    tangent: Program | None,
    adjoint: Program | None,
    args: Sequence[Any],
    wrt: Sequence[int],
    seed: int = 0,
    directions: int = DIRECTIONS,
    *,
    evaluations: int = 60,
    rtol: float = 0.0,
    doubt: float = 0.0,
    again: Program | None = None,
) -> Report:
    """Compares tangent and adjoint with differences of the primal, and with each other.

    `tangent(args, x_dots)` gives `(y, y_dot)` and `adjoint(args, y_bar)` gives `(y, x_bars)`, where
    `x_dots` and `x_bars` are tuples with one tree for each position in `wrt`.  All programs are
    called on copies, together at most `evaluations` times, if that allows 25 + 2 * directions.
    Where the point is hard, fewer directions are taken.  An adjoint without a tangent is held
    against differences.  `rtol` is added to the tolerances of derivatives; a tangent that is off by
    no more than `doubt` is unclear.  `again(args)` gives `y`: the function as it was read.
    """
    before, base = fresh(tuple(args)), attempt(primal, *args)
    subject = Subject(primal, tangent, adjoint, tuple(args), tuple(wrt), base, rtol, doubt)
    if tangent is not None or adjoint is not None:
        _require_floats(subject)
    if base.error is not None:
        if not isinstance(base.error, OUTSIDE):
            raise base.error
        return Report(subject.name, tuple(_undefined(subject)), (), seed)
    if not sizes(base.result):
        return Report(subject.name, judge.finite(base.result), (), seed)
    rng = np.random.default_rng(seed)
    trials = _trials(subject, rng, directions if wrt else 0, evaluations)
    rows, kinks = _judged(subject, before, (*_read(subject, again), *trials))
    return Report(subject.name, rows, kinks, seed)


def _judged(
    subject: Subject, before: Any, trials: tuple[Trial, ...]
) -> tuple[tuple[Row, ...], tuple[Kink, ...]]:
    """The rows of all trials, and on what the programs do beside computing; the kinks."""
    rows = [row for trial in trials for row in trial.rows]
    calls = [(name, outcome) for trial in trials for name, _, _, outcome in trial.calls]
    harm = [f"args{path} by a program" for path in changes(before, subject.args)]
    harm += effects.changed(before, subject.base, calls, subject.wrt)
    rows.append(judge.unchanged(tuple(dict.fromkeys(harm))))
    rows += judge.apart(tuple(effects.shared(subject.base, calls)))
    rows.append(judge.repeatable(_unlike(subject, trials)))
    # The same kink is met along every direction, with slopes that mean the same.
    kinks = {kink.where: kink for trial in reversed(trials) for kink in trial.kinks}
    return tuple(rows), tuple(kinks.values())


def _read(subject: Subject, again: Program | None) -> Iterator[Trial]:
    """The function as it was read, which has to have the same value."""
    if again is None:
        return

    def once(given: tuple[Any, ...]) -> tuple[Any]:
        return (again(given),)

    outcome = attempt(once, subject.args)
    calls: tuple[Call, ...] = (("primal", once, (subject.args,), outcome),)
    rows = judge.form("primal", 1, outcome, subject.base.result)
    yield Trial(
        rows or _values(subject.base.result, calls, noise_at(subject.primal, subject.args)),
        (),
        calls,
    )


def _require_floats(subject: Subject) -> None:
    for position, arg in zip(subject.wrt, subject.point, strict=True):
        if not sizes(arg):
            raise ValueError(f"argument {position} has no float-valued leaf to differentiate")
    if not subject.wrt:
        raise ValueError("no argument to differentiate")


def _trials(
    subject: Subject, rng: np.random.Generator, directions: int, evaluations: int
) -> Iterator[Trial]:
    """One trial per direction; evaluations that one leaves over, the next may use."""
    draws = drawn(subject.point, sum(sizes(subject.base.result)), rng)
    ahead, seed = next(draws)
    line = line_through(subject.primal, subject.args, subject.wrt, ahead)
    noise = rounding_noise(line)
    # The primal twice and once in double precision; each program once more, to repeat it.
    left, spent = evaluations - 3 - len(line.seen) - 2 * (directions + 1), -inf
    for number in range(1, directions + 1):
        if left < spent:
            break
        before = len(line.seen)
        found = reference(line, noise, left // (directions + 1 - number), min(left, MOST))
        # The next direction will be as hard as this one; half of it would decide nothing.
        spent = len(line.seen) - before + 2
        left -= spent
        yield _trial(subject, number, line, noise, found, seed)
        ahead, seed = next(draws)
        line = replace(line, direction=flatten(ahead), seen={})


def drawn(point: Any, size: int, rng: np.random.Generator) -> Iterator[tuple[Any, Vector]]:
    """The directions of a verification, each with the seeds of a result of so many numbers."""
    while True:
        ahead = _direction(point, rng)
        yield ahead, random_vector(size, rng)


def _undefined(subject: Subject) -> Iterator[Row]:
    """The rows where the function raises: its tangent has to raise as well."""
    yield judge.undefined(subject.base.raised)
    if subject.tangent is not None:
        dots = unflatten(subject.point, np.ones(flatten(subject.point).size))
        yield from judge.raises(subject.base, attempt(subject.tangent, subject.args, dots))


def noise_at(primal: Program, args: Sequence[Any]) -> Vector:
    """How much rounding there is in each result of a function, along one line."""
    wrt = [i for i, arg in enumerate(args) if sizes(arg)]
    ahead = _direction(tuple(args[i] for i in wrt), np.random.default_rng(0))
    return rounding_noise(line_through(primal, args, wrt, ahead))


def _direction(point: Any, rng: np.random.Generator) -> Any:
    """A direction as large as the arguments, in their own precision.

    What is zero, or rounding dust of a zero, moves by the size of its leaf.
    """
    origin = flatten(point)
    leaf = spread(point, origin)
    natural = np.where(np.abs(origin) > 1e-14 * leaf, np.abs(origin), leaf)
    natural = np.where((natural > 0.0) & np.isfinite(natural), natural, 1.0)
    return unflatten(point, natural * random_vector(origin.size, rng))


def _trial(
    subject: Subject, number: int, line: Line, noise: Vector, found: Reference, seed: Vector
) -> Trial:
    """Everything about one direction; `seed` becomes the adjoint of the result."""
    y, dots = subject.base.result, unflatten(subject.point, line.direction)
    ahead = _forward(subject, number, line, noise, found)
    rows, calls, y_dot = ahead.rows, ahead.calls, ahead.y_dot
    if y_dot is not None and subject.adjoint is not None:
        weight = seed / tolerance.natural_size(y, y_dot, dots, noise)
        y_bar = unflatten(y, np.where(np.isfinite(line.here), weight, 0.0))
        back = attempt(subject.adjoint, subject.args, y_bar)
        calls = (*calls, ("adjoint", subject.adjoint, (subject.args, y_bar), back))
        faults = judge.form("adjoint", number, back, y, dots)
        if faults:
            return Trial(rows + faults, found.kinks, calls)
        row = judge.transpose(number, back.result[1], dots, y_bar, y_dot, ahead.lost, subject.rtol)
        alone = subject.tangent is None
        rows += (judge.by_differences(row, number, found, line.here) if alone else row,)
    if number == 1 and y_dot is not None:
        rows = (*judge.finite(y), *_values(y, calls, noise), *rows)
    return Trial(rows, found.kinks, calls)


@dataclass(frozen=True, slots=True)
class Forward:
    """What the adjoint of a direction is held against, None where that is of another form."""

    rows: tuple[Row, ...]
    calls: tuple[Call, ...]
    y_dot: Vector | None
    lost: Vector


def _forward(subject: Subject, number: int, line: Line, noise: Vector, found: Reference) -> Forward:
    """The tangent of one direction, and how much of it may be rounding; without, differences."""
    y, dots = subject.base.result, unflatten(subject.point, line.direction)
    lost = tolerance.of_rounding(found, y, dots, noise)
    if subject.tangent is None:
        known = found.resolved & np.isfinite(found.value)
        y_dot = np.where(known, found.value, 0.0)
        allowed = tolerance.of_tangent(found, y, dots, lost)
        return Forward((), (), y_dot, np.where(known, allowed, 0.0))
    forward = attempt(subject.tangent, subject.args, dots)
    calls: tuple[Call, ...] = (("tangent", subject.tangent, (subject.args, dots), forward),)
    rows = judge.form("tangent", number, forward, y, y)
    if rows:
        return Forward(rows, calls, None, lost)
    y_dot = flatten(forward.result[1], like=y)
    allowed = tolerance.of_tangent(found, y, dots, lost)
    allowed = allowed + tolerance.asked_for(subject.rtol, y, y_dot)
    open = tolerance.asked_for(subject.doubt, y, y_dot)
    noise = noise + tolerance.asked_for(subject.rtol, y, line.here)
    table = taylor_table(line, found.steps, [y_dot], noise, allowed, found.smooth & found.resolved)
    rows = (
        judge.tangent(number, found, line, y_dot, allowed, open),
        judge.taylor(number, found, line, table),
    )
    return Forward(rows, calls, y_dot, tolerance.of_both(y, y_dot, noise, lost))


def _values(y: Any, calls: Sequence[Call], noise: Vector) -> tuple[Row, ...]:
    return tuple(judge.value(name, y, outcome.result[0], noise) for name, _, _, outcome in calls)


def _unlike(subject: Subject, trials: Sequence[Trial]) -> tuple[str, ...]:
    """The programs whose second call on the same arguments differs from the first."""
    calls: dict[str, Call] = {"function": ("function", subject.primal, subject.args, subject.base)}
    for call in (call for trial in trials for call in trial.calls):
        calls.setdefault(call[0], call)
    found = []
    for name, program, given, first in calls.values():
        again = attempt(program, *given)
        if again.raised != first.raised or [*changes(first.result, again.result)]:
            found.append(name)
    return tuple(found)

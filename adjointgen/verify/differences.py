"""The reference: a directional derivative found from values of the function alone, with its error.

    phi(t) = f(x + t v),    phi'(0) = f'(x) v

Central differences with Richardson extrapolation always apply; the complex step is more accurate
where it applies, and is believed only where it agrees with the differences to their own error, and
then at most three digits beyond it.  Steps begin at 1/64 of the direction.  Where that is too
coarse (no convergence, or slopes that differ between left and right) they go on 512 times smaller,
so that a kink or an edge of the domain close by is told from one at the point itself.

Sources: Ridders (1982), see extrapolate.py; Squire and Trapp (1998) and Martins et al. (2003), see
complexstep.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjointgen.verify.complexstep import complex_step
from adjointgen.verify.kinks import KINDS, Kink, interval, kinds, name_kinks, resolved
from adjointgen.verify.line import Line, line_through
from adjointgen.verify.noise import rounding, rounding_noise
from adjointgen.verify.quotients import Estimate, Slopes, better, scale, slopes
from adjointgen.verify.report import FIRST_STEP
from adjointgen.verify.structures import Mask, Vector, sizes

FIRST_STEPS = (FIRST_STEP, 2.0**-13, 2.0**-20)
# Three halves of a power of two: a period that one set of steps samples, the other does not.
FINER = 1.5 * 2.0**-9
SIZES = 3
LEVELS = 7

# Both complex steps, and three levels of differences, without which there is no error estimate.
LEAST_EVALUATIONS = 8


@dataclass(frozen=True, slots=True)
class Reference:
    """phi'(0): a value and an error for every coordinate of the result.

    Where the point is no kink, `low` and `high` are the value; at one, any number between them is
    a derivative.  The error is infinite, or large beside the value, where the point allows no
    better, and `resolved` says where it is good enough to judge by.  `smooth` and `kinked` exclude
    each other but leave a gap: a rough point has a derivative but no second one.  `believed` marks
    what comes from the complex step.
    """

    value: Vector
    error: Vector
    low: Vector
    high: Vector
    smooth: Mask
    kinked: Mask
    believed: Mask
    resolved: Mask
    kinks: tuple[Kink, ...]
    steps: tuple[float, ...]


def directional_derivative(
    function: Callable[..., Any],
    args: Sequence[Any],
    direction: Any,
    *,
    wrt: Sequence[int] = (0,),
    evaluations: int = 27,
) -> Reference:
    """The derivative of `function` at `args` along `direction`, a tree for each argument in `wrt`.

    The result's float-valued leaves are flattened as `structures.flatten` does.  The function may
    write to its arguments: it is called on copies, at most `evaluations` times, though at least 15.
    """
    line = line_through(function, args, wrt, direction)
    noise = rounding_noise(line)
    left = evaluations - 1 - len(line.seen)
    return reference(line, noise, left, left)


def reference(line: Line, noise: Vector, evaluations: int = 14, most: int = 20) -> Reference:
    """The derivative at t = 0 along a line, from so many further values of the function.

    Where these leave it open and steps could be finer, from at most `most`.
    """
    limit = len(line.seen) + max(evaluations, LEAST_EVALUATIONS) - 2
    most = len(line.seen) + max(evaluations, most, LEAST_EVALUATIONS) - 2
    found = _differences(line, limit, most, noise)
    finest = found[-1]
    estimate = found[0].central
    for other in found[1:]:
        estimate = _joined(line, estimate, other.central)
    kind = kinds(line, finest)
    kinked = kind >= KINDS.index("kink")
    low, high, doubt = interval(line, finest)
    estimate, believed = _accept(line, estimate, complex_step(line, noise), ~kinked, noise)
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isfinite(doubt), (low + high) / 2.0, np.nan)
    value = np.where(kinked, middle, estimate.value)
    error = np.where(kinked, doubt, estimate.error)
    return Reference(
        value,
        error,
        np.where(kinked, low, value),
        np.where(kinked, high, value),
        kind == 0,
        kinked,
        believed,
        np.where(kinked, np.isfinite(doubt), resolved(line, estimate)),
        name_kinks(line, finest, kind),
        tuple(step for part in found for step in part.steps),
    )


def _differences(line: Line, limit: int, most: int, noise: Vector) -> tuple[Slopes, ...]:
    """Slopes at halving steps, and again at finer ones where the first are too coarse.

    Going finer may use `most` evaluations; more steps of one size only `limit`.
    """
    found = [slopes(line, _halved(_first_step(line), 3), noise)]
    while len(found) < SIZES and most - len(line.seen) >= 6:
        finer = _halved(found[-1].steps[-1] * FINER, 3)
        # A second look tells whether a kink is at the point; a third is for no convergence only.
        if _open(line, found[-1]) or (len(found) == 1 and _suspect(line, found[0], finer[0])):
            found.append(slopes(line, finer, noise))
        else:
            break
    return (*found[:-1], _refined(line, found[-1], limit, noise))


def _open(line: Line, found: Slopes) -> bool:
    """Whether some result has neither converged nor been found to be a kink with a slope."""
    known = resolved(line, found.central)
    kink = (kinds(line, found) >= KINDS.index("kink")) & np.isfinite(interval(line, found)[2])
    return bool(np.any(np.isfinite(line.here) & ~known & ~kink))


def _suspect(line: Line, found: Slopes, finer: float) -> bool:
    """Whether there is a kink, or the slope is not what a finer step shows."""
    if np.any(kinds(line, found)):
        return True
    estimate = found.central
    with np.errstate(invalid="ignore"):
        probe = (line.at(finer) - line.at(-finer)) / (2.0 * finer)
        slack = 8.0 * (estimate.error + found.noise[0] * found.steps[0] / finer)
        slack += 1e-5 * scale(line, estimate.value)
        return bool(np.any(np.abs(probe - estimate.value) > slack))


def _joined(line: Line, coarse: Estimate, fine: Estimate) -> Estimate:
    """The better of two estimates, and the finer one where they contradict each other."""
    with np.errstate(invalid="ignore"):
        apart = np.abs(coarse.value - fine.value) > 8.0 * (coarse.error + fine.error)
    drop = apart & resolved(line, fine)
    return better(Estimate(coarse.value, np.where(drop, np.inf, coarse.error)), fine)


def _refined(line: Line, found: Slopes, limit: int, noise: Vector) -> Slopes:
    """The slopes with more steps, until they are settled or the evaluations are spent."""
    while len(found.steps) < LEVELS and len(line.seen) + 2 <= limit:
        if len(found.steps) > 4 and _settled(line, found):
            break
        found = slopes(line, _halved(found.steps[0], len(found.steps) + 1), noise)
    return found


def _halved(first: float, count: int) -> tuple[float, ...]:
    return tuple(first / 2.0**k for k in range(count))


def _first_step(line: Line) -> float:
    """The largest first step that stays inside of the domain, on both sides if possible."""
    best, fewest = FIRST_STEPS[0], line.here.size + 1
    for step in FIRST_STEPS:
        holes = _holes(line, step)
        if holes < fewest:
            best, fewest = step, holes
        if not fewest:
            break
    return best


def _holes(line: Line, step: float) -> int:
    """How many results that are finite at the point are not so at one step from it."""
    inside = np.isfinite(line.at(step)) & np.isfinite(line.at(-step))
    return int(np.count_nonzero(np.isfinite(line.here) & ~inside))


def _settled(line: Line, found: Slopes) -> bool:
    """Whether further steps would bring nothing worth their calls."""
    estimate = found.central
    size = scale(line, line.here)
    fine = estimate.error <= np.maximum(1e-10 * scale(line, estimate.value), 1e-12 * size)
    return bool(np.all(fine | ~np.isfinite(line.here)))


def _accept(
    line: Line, differences: Estimate, candidate: Estimate, smooth: Mask, noise: Vector
) -> tuple[Estimate, Mask]:
    """The complex step for the leaves where all of it agrees with the differences."""
    known = np.isfinite(candidate.error) & resolved(line, differences)
    slack = 8.0 * differences.error + rounding(differences.value, noise, 1e-12)
    with np.errstate(invalid="ignore"):
        agree = known & (np.abs(candidate.value - differences.value) <= slack)
    believed = np.zeros_like(smooth)
    start = 0
    for size in sizes(line.result):
        part = slice(start, start + size)
        believed[part] = smooth[part] & bool(np.all(agree[part] | ~smooth[part]))
        start += size
    error = np.maximum(candidate.error, 1e-3 * differences.error)
    return (
        Estimate(
            np.where(believed, candidate.value, differences.value),
            np.where(believed, error, differences.error),
        ),
        believed,
    )

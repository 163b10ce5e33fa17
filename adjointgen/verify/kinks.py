"""Points where a derivative is not defined, told by how the two one-sided slopes differ.

    J(h) = D+(h) - D-(h) ~ h^p
        p >= 1      smooth
        0 < p < 1   continuous slope, unbounded curvature      "rough"
        p = 0       slopes differ: max(x, 0), abs(x) at 0      "kink"
        -1 < p < 0  infinite slope: sqrt(abs(x)) at 0          "vertical"
        p = -1      the value itself jumps: floor(x) at 1      "jump"
    one side undefined: sqrt(x) at 0                           "edge"

At a kink every number between the two slopes is a generalised derivative (Clarke 1983,
"Optimization and Nonsmooth Analysis"), and programs may differ in which they take; so a check that
fails there would blame the program for the point.
"""

from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from adjointgen.verify.extrapolate import Table
from adjointgen.verify.line import Line
from adjointgen.verify.quotients import Estimate, Slopes, scale
from adjointgen.verify.structures import Mask, Vector, place

# How many coordinates are named; a large array may have a kink in each.
NAMED = 8

KINDS = ("", "rough", "kink", "vertical", "jump", "edge")
MEANING = {
    "rough": "the curvature is unbounded",
    "kink": "left and right slopes differ",
    "vertical": "the slope is infinite",
    "jump": "the function jumps",
    "edge": "the function is defined on one side only",
}


@dataclass(frozen=True, slots=True)
class Kink:
    """One result that is not smooth along a direction, with its slopes on both sides, or NaN."""

    where: str
    kind: str
    left: float
    right: float

    def __str__(self) -> str:
        left, right = ("none" if isnan(s) else f"{s:.6g}" for s in (self.left, self.right))
        sides = f"left slope {left}, right slope {right}"
        return f"{self.where}: {self.kind}, {MEANING[self.kind]} ({sides})"


def kinds(line: Line, found: Slopes) -> NDArray[np.intp]:
    """For every coordinate of the result the index of its kind in `KINDS`, 0 where smooth."""
    kind = np.zeros(line.here.shape, dtype=np.intp)
    top = np.fmax(np.abs(found.right.value), np.abs(found.left.value))
    top = np.where(np.isfinite(top), top, 0.0)
    bend = _order(found.bends, found.noise)
    kind[(bend < 0.85) & (np.abs(found.bends[-1]) > 1e-5 * top)] = KINDS.index("rough")
    # A slope that has a limit is not infinite, however it grows on the way there.
    sides = (found.ahead, found.right), (found.behind, found.left)
    orders = (np.where(resolved(line, s), np.nan, _order(q, found.noise)) for q, s in sides)
    steep = np.fmin(*orders)
    kind[steep < -0.1] = KINDS.index("vertical")
    kind[steep < -0.75] = KINDS.index("jump")
    jump, doubt = np.abs(found.jump.value), found.jump.error
    constant = (jump > 16.0 * doubt) & (jump > 1e-6 * top) & np.isfinite(doubt)
    kind[constant & (kind < KINDS.index("vertical"))] = KINDS.index("kink")
    kind[_one_sided(line, found)] = KINDS.index("edge")
    kind[~np.isfinite(line.here)] = 0
    return kind


def name_kinks(line: Line, found: Slopes, kind: NDArray[np.intp]) -> tuple[Kink, ...]:
    """The first few coordinates that are not smooth, by name; NaN for a slope without limit."""
    left, right = (
        np.where(resolved(line, side), side.value, np.nan) for side in (found.left, found.right)
    )
    return tuple(
        Kink(
            place(line.result, int(i), "result"),
            KINDS[kind[i]],
            float(left[i]),
            float(right[i]),
        )
        for i in np.flatnonzero(kind)[:NAMED]
    )


def interval(line: Line, found: Slopes) -> tuple[Vector, Vector, Vector]:
    """The lower and upper end of the generalised derivative, and the error of both.

    A side that has no limit is left out; the error is infinite where neither side has one.
    """
    low, high = np.full_like(line.here, np.inf), np.full_like(line.here, -np.inf)
    error = np.full_like(line.here, np.inf)
    for side in (found.left, found.right):
        use = resolved(line, side)
        low = np.where(use, np.minimum(low, side.value), low)
        high = np.where(use, np.maximum(high, side.value), high)
        error = np.where(use, np.where(np.isinf(error), 0.0, error), error)
        error = np.where(use, np.maximum(error, side.error), error)
    return low, high, error


def resolved(line: Line, found: Estimate) -> Mask:
    """Where an estimate is good enough to tell a right derivative from a wrong one."""
    known = np.isfinite(found.error) & np.isfinite(found.value)
    return known & (np.nan_to_num(found.error) <= 1e-3 * scale(line, found.value))


def _order(quotients: Table, noise: Table) -> Vector:
    """The power of h in the last three quotients; NaN where it is not steady or rounding shows."""
    last = np.abs(quotients[-3:])
    with np.errstate(all="ignore"):
        orders = np.log2(last[:-1] / last[1:])
        steady = np.abs(orders[0] - orders[-1]) < 0.15
        above = np.all(last > 16.0 * noise[-3:], axis=0)
    return np.where(steady & above & (len(last) == 3), orders[-1], np.nan)


def _one_sided(line: Line, found: Slopes) -> Mask:
    """Where the function is finite at all steps on one side and at none on the other."""
    ahead = np.stack([np.isfinite(line.at(t)) for t in found.steps])
    behind = np.stack([np.isfinite(line.at(-t)) for t in found.steps])
    right, left = np.all(ahead, axis=0), np.all(behind, axis=0)
    sided: Mask = (right & ~np.any(behind, axis=0)) | (left & ~np.any(ahead, axis=0))
    return sided

"""Difference quotients of phi(t) = f(x + t v) at t = 0, extrapolated to h = 0.

    central  (phi(h) - phi(-h)) / 2h               error in even powers of h
    right    (phi(h) - phi(0)) / h                 error in all powers
    left     (phi(0) - phi(-h)) / h                error in all powers
    jump     (phi(h) - 2 phi(0) + phi(-h)) / h     right - left: odd powers, 0 where phi is smooth

One set of values serves all four.  The central quotient is the derivative; the one-sided ones are
what remains of it at a kink or an edge of the domain; the jump tells a kink from a smooth point.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjointgen.verify.extrapolate import CENTRAL, JUMP, ONE_SIDED, Table, extrapolate
from adjointgen.verify.line import Line
from adjointgen.verify.structures import Vector, spread


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value per coordinate of the result, and its estimated error: infinite where unknown."""

    value: Vector
    error: Vector


@dataclass(frozen=True, slots=True)
class Slopes:
    """The four quotients at one set of halving steps, and the one-sided ones before the limit.

    `noise` is the rounding error of their difference at each step.
    """

    steps: tuple[float, ...]
    central: Estimate
    right: Estimate
    left: Estimate
    jump: Estimate
    ahead: Table
    behind: Table
    noise: Table

    @property
    def bends(self) -> Table:
        """The jumps before the limit."""
        return self.ahead - self.behind


def slopes(line: Line, steps: Sequence[float], noise: Vector) -> Slopes:
    """The quotients of a line at the given steps, each half of the one before.

    `noise` is the function's own, as `noise.rounding_noise` finds it.
    """
    h = np.asarray(steps)[:, np.newaxis]
    with np.errstate(all="ignore"):
        up = np.stack([line.at(t) for t in steps]) - line.here
        down = line.here - np.stack([line.at(-t) for t in steps])
        tables = (up + down) / (2.0 * h), up / h, down / h, (up - down) / h
        ahead, behind = (
            np.maximum(line.noise(np.nan_to_num(np.abs(table[-1]), posinf=0.0)), 4.0 * noise) / h
            for table in tables[1:3]
        )
    both = np.maximum(ahead, behind)
    errors = both, 2.0 * ahead, 2.0 * behind, 4.0 * both
    powers = CENTRAL, ONE_SIDED, ONE_SIDED, JUMP
    central, right, left, jump = (
        Estimate(*extrapolate(*each)) for each in zip(tables, errors, powers, strict=True)
    )
    return Slopes(tuple(steps), central, right, left, jump, tables[1], tables[2], 4.0 * both)


def better(one: Estimate, other: Estimate) -> Estimate:
    """Of two estimates the one with the smaller error, coordinate by coordinate."""
    keep = one.error <= other.error
    return Estimate(np.where(keep, one.value, other.value), np.where(keep, one.error, other.error))


def scale(line: Line, value: Vector) -> Vector:
    """What counts as large in the derivative: its own size, or a thousandth of its leaf's.

    Where a derivative vanishes, a tenth of the slope of the longest step, or a millionth of the
    function: directions are as large as the arguments, so that a slope is naturally as large as
    the function.
    """
    longest = max(map(abs, line.seen), default=1.0)
    with np.errstate(all="ignore"):
        sides = [np.abs(line.at(t) - line.here) / longest for t in (longest, -longest)]
    sizes = 0.1 * np.fmax(*sides), 1e-6 * np.abs(line.here), np.abs(value)
    finite = [np.where(np.isfinite(size), size, 0.0) for size in sizes]
    own: Vector = np.maximum.reduce(finite)
    return np.maximum(own, 1e-3 * spread(line.result, own))

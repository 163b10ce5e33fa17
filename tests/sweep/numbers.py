"""Arguments and results as vectors of floats, and derivatives of them by differences.

The derivative comes from Ridders' extrapolation of central differences with its own error estimate
(C. J. F. Ridders, Adv. Eng. Softw. 4, 1982). It starts at several widths, since
the scale of a function that nobody here wrote is not known. A central difference does not see a
kink at the point, so slopes from both sides are compared. No part of adjointgen is used.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Vector = np.ndarray[Any, np.dtype[np.float64]]

TRUSTED: Final = 1e-5
WIDTHS: Final = (3e-2, 4e-3, 3e-4, 2e-5)


class NoNumber(Exception):
    """A result that holds something other than numbers."""


class Undecided(Exception):
    """Differences have no opinion; the text says why."""


def leaves(value: Any) -> Iterator[Any]:
    """The floats and arrays of floats in a result, in order; integers are constants."""
    match value:
        case tuple() | list():
            for item in value:
                yield from leaves(item)
        case dict():
            for item in value.values():
                yield from leaves(item)
        case bool() | int() | np.integer() | np.bool_():
            return
        case float() | np.floating():
            yield value
        case np.ndarray() if value.dtype.kind == "f":
            yield value
        case np.ndarray() if value.dtype.kind in "biu":
            return
        case _:
            raise NoNumber(type(value).__name__)


def matched(value: Any, like: Any) -> Iterator[Any]:
    """The leaves of a derivative, less those that stand for integers of `like`."""
    match like:
        case tuple() | list() if isinstance(value, tuple | list) and len(value) == len(like):
            for one, other in zip(value, like, strict=True):
                yield from matched(one, other)
        case dict() if isinstance(value, dict) and len(value) == len(like):
            for one, other in zip(value.values(), like.values(), strict=True):
                yield from matched(one, other)
        case bool() | int() | np.integer() | np.bool_():
            return
        case np.ndarray() if like.dtype.kind in "biu":
            return
        case _:
            yield from leaves(value)


def flat(value: Any) -> Vector:
    parts = [np.ravel(np.asarray(leaf, dtype=float)) for leaf in leaves(value)]
    return np.concatenate(parts) if parts else np.zeros(0)


def shapes(value: Any) -> list[tuple[int, ...]]:
    """The shapes of the floats and arrays in a result, in order."""
    return [np.shape(leaf) for leaf in leaves(value)]


def filled(like: Any, values: Iterator[float]) -> Any:
    """The structure of `like` with these numbers for its floats."""
    match like:
        case tuple():
            made = [filled(item, values) for item in like]
            return type(like)(*made) if hasattr(like, "_fields") else tuple(made)
        case list():
            return [filled(item, values) for item in like]
        case dict():
            return {k: filled(v, values) for k, v in like.items()}
        case np.ndarray() if like.dtype.kind == "f":
            drawn = [next(values) for _ in range(like.size)]
            return np.array(drawn, dtype=like.dtype).reshape(like.shape)
        case bool() | int() | np.integer():
            return like
        case float() | np.floating():
            return type(like)(next(values))
    return like


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """φ'(0), component by component, and how far each may be off."""

    value: Vector
    error: Vector


def slope(phi: Callable[[float], Vector], scale: float) -> Slope:
    """φ'(0) for a φ that changes over about `scale`; infinite errors where nothing settles.

    Entries of one table may agree by chance, as roundoff is coarse; those of two tables that begin
    at different widths hardly do. So the error is no less than what the two best differ by.
    """
    noise = _noise(phi, scale)
    tables = [t for width in WIDTHS if (t := _ridders(phi, width * scale, noise)) is not None]
    if len(tables) < 2:
        raise Undecided("not finite around the point")
    errors = np.array([t.error for t in tables])
    values = np.array([t.value for t in tables])
    # Where no step of a table changes a rounded result, but a wider one does, it says nothing.
    errors[(values == 0.0) & np.any(values != 0.0, axis=0)] = np.inf
    order, each = np.argsort(errors, axis=0), np.arange(values.shape[1])
    best, second = values[order[0], each], values[order[1], each]
    error = np.maximum(errors[order[0], each], np.abs(best - second))
    found = Slope(best, np.where(np.isfinite(best), error, np.inf))
    odd = _kinks(phi, scale, found) | _stairs(phi, scale, found) | _jumps(phi, scale)
    return Slope(best, np.where(odd, np.inf, found.error))


def _noise(phi: Callable[[float], Vector], scale: float) -> Vector:
    """How far roundoff on the way moves the result: by second differences of near points.

    A result that stays where it is for small steps, but not for wide ones, moves in quanta.
    """
    centre = phi(0.0)
    floor = 1e-15 * np.abs(centre)
    for h in (1e-6 * scale, 1e-7 * scale, 1e-8 * scale, 1e-9 * scale):
        bend = np.abs(phi(h) - 2.0 * centre + phi(-h))
        floor = np.maximum(floor, np.where(np.isfinite(bend), bend, 0.0))
    steps = np.array([np.abs(phi(sign * h * scale) - centre) for h in WIDTHS for sign in (1, -1)])
    steps[~np.isfinite(steps)] = 0.0
    moved = np.any(steps > 0.0, axis=0) & np.any(steps == 0.0, axis=0)
    quantum = np.min(np.where(steps > 0.0, steps, np.inf), axis=0)
    return np.maximum(floor, np.where(moved, quantum, 0.0))


def _ridders(
    phi: Callable[[float], Vector], h: float, noise: Vector, levels: int = 8
) -> Slope | None:
    """Neville's table for h, h/2, h/4, …; per component the entry that changed least."""
    row = [_central(phi, h)]
    best, error = row[0], np.full(row[0].shape, np.inf)
    for _ in range(levels - 1):
        h /= 2.0
        above, row, factor = row, [_central(phi, h)], 4.0
        for old in above:
            row.append((factor * row[-1] - old) / (factor - 1.0))
            factor *= 4.0
            change = np.maximum(np.abs(row[-1] - row[-2]), np.abs(row[-1] - old))
            change = np.maximum(change, noise / h)
            better = change <= error
            best, error = np.where(better, row[-1], best), np.where(better, change, error)
    return Slope(best, error) if np.any(np.isfinite(error)) else None


def _central(phi: Callable[[float], Vector], h: float) -> Vector:
    """(φ(h) - φ(-h)) / 2h with the step that is really taken; NaN where φ has no value."""
    with np.errstate(all="ignore"):
        return np.asarray((phi(h) - phi(-h)) / (2.0 * h))


def _kinks(phi: Callable[[float], Vector], scale: float, found: Slope) -> np.ndarray[Any, Any]:
    """Where slopes from the right and from the left disagree with the derivative that was found."""
    odd = np.ones(found.value.shape, bool)
    for width in (1e-4, 1e-6):
        h, centre = width * scale, phi(0.0)
        right = (-3.0 * centre + 4.0 * phi(h) - phi(2.0 * h)) / (2.0 * h)
        left = (3.0 * centre - 4.0 * phi(-h) + phi(-2.0 * h)) / (2.0 * h)
        size = np.abs(found.value) + np.max(np.abs(centre), initial=0.0) / scale
        odd &= ~(np.abs(right - left) <= 1e-3 * size + 10.0 * found.error)
    return odd


def _stairs(phi: Callable[[float], Vector], scale: float, found: Slope) -> np.ndarray[Any, Any]:
    """Where a result that is said to have a slope does not move at all: it was rounded."""
    h = 1e-9 * scale
    expected = h * np.abs(found.value)
    still = (phi(h) == phi(0.0)) & (phi(-h) == phi(0.0))
    return still & (expected > 1e-13 * np.abs(phi(0.0)))


def _jumps(phi: Callable[[float], Vector], scale: float) -> bool:
    """Whether some component of the result leaps here: a decision is made at this very point.

    Others may then come from another path of the function, though they seem to be smooth.
    """
    centre, h = phi(0.0), 1e-10 * scale
    leaps = np.minimum(np.abs(phi(h) - centre), np.abs(phi(-h) - centre))
    return bool(np.any(leaps > 1e-3 * np.max(np.abs(centre), initial=0.0)))


def decided(found: Slope, size: Vector) -> np.ndarray[Any, Any]:
    """Which components are known well enough to judge by."""
    return np.asarray(found.error <= TRUSTED * (np.abs(found.value) + 1e-3 * size))


def scale_of(x: float) -> float:
    return abs(x) if math.isfinite(x) and abs(x) > 1e-12 else 1.0

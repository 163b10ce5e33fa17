"""How the Taylor coefficients that a written module computes are verified: each by the one before.

    y_n(t) = n-th coefficient of f at the point x(t) of the path, along the path from there
    d y_n / dt = (n + 1) y_(n+1)

So the program is held to differences as the tangent of a function of one number, whose first result
is that of the user's function, and whose others are the coefficients but for the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any, Final

import numpy as np

from adjointgen.api.calls.solver_noise import Limits
from adjointgen.api.calls.written_modes import mapped
from adjointgen.records import dataclass
from adjointgen.verify.report import Report
from adjointgen.verify.structures import random_like
from adjointgen.verify.verify import verify

ORDER: Final = 4
"""The degree up to which coefficients are verified."""


def drawn(point: Any, rng: np.random.Generator) -> Any:
    """Coefficients of a path through a point, with the degrees along a first axis."""
    rows = mapped(point, lambda leaf: np.stack([np.asarray(leaf)] * ORDER))
    return random_like(rows, rng)


@dataclass(frozen=True, slots=True)
class Series:
    """A function, the program of its coefficients, arguments, and the places of those that move."""

    primal: Callable[..., Any]
    program: Callable[[Sequence[Any], Sequence[Any]], Any]
    given: Sequence[Any]
    places: Sequence[int]
    seed: int

    def report(self, limits: Limits) -> Report:
        """The coefficients, held to differences of each other along a path."""
        point = [self.given[k] for k in self.places]
        path = drawn(point, np.random.default_rng(self.seed))

        def at(t: float) -> tuple[list[Any], list[Any]]:
            """The arguments on the path, and the coefficients of the path from there."""
            rows = [_from(x, own, t) for x, own in zip(point, path, strict=True)]
            given = [*self.given]
            for k, row in zip(self.places, rows, strict=True):
                given[k] = row[0]
            return given, [row[1] for row in rows]

        def primal(t: float) -> tuple[Any, ...]:
            given, series = at(t)
            y_series = self.program([*given], series)[1]
            rest = (_degree(y_series, n, 1.0) for n in range(1, ORDER))
            return (self.primal(*given), *rest)

        def tangent(given: Sequence[Any], dots: Sequence[Any]) -> tuple[Any, Any]:
            (t,), (t_dot,) = given, dots
            y, y_series = self.program(*at(t))
            rest = (_degree(y_series, n, 1.0) for n in range(1, ORDER))
            slopes = (_degree(y_series, n, n * t_dot) for n in range(1, ORDER + 1))
            return (y, *rest), tuple(slopes)

        primal.__name__ = getattr(self.primal, "__name__", "f")
        report = verify(
            *(primal, tangent, None, (0.0,), [0], self.seed),
            rtol=limits.rtol,
            doubt=limits.doubt,
        )
        return report.with_notes(tuple(filter(None, [limits.note])))


def _from(x: Any, path: Any, t: float) -> tuple[Any, Any]:
    """The point of a path at `t`, and the coefficients of the path from there."""
    both = zip(_leaves(x), _leaves(path), strict=True)
    moved = [_expanded(leaf, rows, t) for leaf, rows in both]
    first, second = iter(moved), iter(moved)
    return mapped(x, lambda _: next(first)[0]), mapped(x, lambda _: next(second)[1])


def _expanded(leaf: Any, rows: Any, t: float) -> tuple[Any, Any]:
    """The same for a number or an array."""
    whole = [np.asarray(leaf), *rows]
    found = [
        sum(comb(i, n) * t ** (i - n) * whole[i] for i in range(n, ORDER + 1))
        for n in range(ORDER + 1)
    ]
    dtype = np.asarray(leaf).dtype
    start = np.asarray(found[0]).astype(dtype)
    is_array = isinstance(leaf, np.ndarray)
    return start if is_array else type(leaf)(start), np.stack(found[1:]).astype(dtype)


def _leaves(tree: Any) -> list[Any]:
    """The numbers and arrays of a structure, in order."""
    found: list[Any] = []
    mapped(tree, found.append)
    return found


def _degree(series: Any, n: int, scale: float) -> Any:
    """The coefficient of a degree, of every result."""
    return mapped(series, lambda leaf: scale * np.asarray(leaf)[n - 1])

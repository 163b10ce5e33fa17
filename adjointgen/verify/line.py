"""A function along a line: phi(t) = f(x + t v), as a vector of all float-valued results.

Every numeric check of a derivative looks at f only through phi: differences divide its changes,
the complex step takes an imaginary t, Taylor tests subtract its tangent.  Values are kept, since
the checks ask for the same points and a call may be slow.

A line steps in double precision even where the arguments are single: the derivative of the
mathematical function is what is wanted, and its differences would drown in the rounding of x + t v.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adjointgen.verify.structures import (
    Vector,
    flatten,
    fresh,
    precision,
    unflatten,
    widen,
)

# What a call outside of its domain raises: math.log(-1.0), 1 / 0, a singular matrix, ...
OUTSIDE = (ArithmeticError, ValueError)


@dataclass(frozen=True, slots=True)
class Line:
    """The line x + t v through the arguments at the positions `wrt`, and the values found on it."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: tuple[int, ...]
    origin: Vector
    direction: Vector
    result: Any
    here: Vector
    seen: dict[float, Vector] = field(default_factory=dict, repr=False, compare=False)

    def at(self, t: float) -> Vector:
        """phi(t); NaN where the function raises or returns another structure than at t = 0."""
        if t not in self.seen:
            self.seen[t] = self._value(t)
        return self.seen[t]

    def call(self, t: complex) -> Any:
        """f(x + t v) itself, on arguments that nobody else holds."""
        moved = self.origin + t * self.direction
        template = tuple(self.args[i] for i in self.wrt)
        given = list(self.args)
        for i, arg in zip(self.wrt, unflatten(template, moved), strict=True):
            given[i] = arg
        with np.errstate(all="ignore"):
            return self.function(*fresh(tuple(given)))

    def _value(self, t: float) -> Vector:
        try:
            return flatten(self.call(t), like=self.result)
        except OUTSIDE:
            return np.full(self.here.shape, np.nan)

    def noise(self, slope: Vector) -> Vector:
        """The rounding error of phi near t = 0, for a function that only rounds its result.

        The argument is rounded too, which the slope carries on to the result.
        """
        bound: Vector = precision(self.result) * (np.abs(self.here) + np.abs(slope))
        return bound


def line_through(
    function: Callable[..., Any],
    args: Sequence[Any],
    wrt: Sequence[int],
    direction: Any,
) -> Line:
    """The line through `args`; `direction` has one tree for each position in `wrt`.

    Raises what the function raises at the point itself.
    """
    given = list(args)
    for i in wrt:
        given[i] = widen(args[i])
    point = tuple(given[i] for i in wrt)
    with np.errstate(all="ignore"):
        result = fresh(function(*fresh(tuple(given))))
    return Line(
        function,
        tuple(given),
        tuple(wrt),
        flatten(point),
        flatten(tuple(direction), like=point),
        result,
        flatten(result),
    )

"""Functions of a few numbers in plain Python, and their arguments."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Scalar:
    """A function that is differentiated by its float arguments."""

    primal: Callable[..., Any]
    arguments: tuple[Any, ...]
    tiny: tuple[Any, ...]

    @property
    def name(self) -> str:
        return self.primal.__name__

    @property
    def title(self) -> str:
        return (self.primal.__doc__ or "").strip()

    def inputs(self, size: str) -> tuple[Any, ...]:
        return self.tiny if size == "tiny" else self.arguments


def formula(x, y):
    """Twenty operations."""
    r = math.sqrt(x * x + y * y + 1.0)
    s = math.sin(x * y) * math.exp(-0.5 * r)
    t = math.log(r + 2.0) / (1.0 + s * s)
    return t * math.cos(x - y) + s * r - 0.25 * x


def recurrence(x, a, steps):
    """A recurrence of 1000 steps with a branch."""
    total = 0.0
    for _ in range(steps):
        if x > 1.0:  # noqa: SIM108 (an expression would be evaluated without a branch)
            x = 0.5 * x - 0.1 * a
        else:
            x = x * x + a
        total += x * x
    return total


def pendulum(angle, speed, drag, steps):
    """A damped pendulum, 1000 steps of the classical Runge-Kutta method."""
    h = 0.01
    for _ in range(steps):
        a1 = -math.sin(angle) - drag * speed
        v2 = speed + 0.5 * h * a1
        a2 = -math.sin(angle + 0.5 * h * speed) - drag * v2
        v3 = speed + 0.5 * h * a2
        a3 = -math.sin(angle + 0.5 * h * v2) - drag * v3
        v4 = speed + h * a3
        a4 = -math.sin(angle + h * v3) - drag * v4
        angle += h / 6.0 * (speed + 2.0 * v2 + 2.0 * v3 + v4)
        speed += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return 0.5 * speed * speed - math.cos(angle)


def black_scholes(spot, strike, rate, volatility, years):
    """The price of a European call, by all five numbers."""
    spread = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    first = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
    second = 0.5 * (1.0 + math.erf(d2 / math.sqrt(2.0)))
    return spot * first - strike * math.exp(-rate * years) * second


OPTION = (100.0, 95.0, 0.03, 0.2, 1.5)
SCALARS = (
    Scalar(formula, (0.7, 1.3), (0.7, 1.3)),
    Scalar(recurrence, (0.3, 0.9, 1000), (0.3, 0.9, 5)),
    Scalar(pendulum, (1.0, 0.2, 0.1, 1000), (1.0, 0.2, 0.1, 5)),
    Scalar(black_scholes, OPTION, OPTION),
)

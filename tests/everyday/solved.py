"""Equations and minima: derivatives by the implicit function theorem."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import (
    bisect,
    brentq,
    curve_fit,
    fixed_point,
    fmin_bfgs,
    fsolve,
    least_squares,
    minimize,
    minimize_scalar,
    newton,
    root,
    root_scalar,
)

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, 2.1])


@at(1.3)
def bracketed(a: float) -> float:
    x = brentq(lambda u: u**3 - a, 0.0, 3.0, xtol=1e-14)
    return x * x * a


@at(1.3, 0.4)
def with_arguments(a: float, b: float) -> float:
    return brentq(lambda u, p, q: u**3 + q * u - p, 0.0, 3.0, args=(a, b), xtol=1e-14) ** 2


def cubic(u: float, p: float, q: float = 0.5) -> float:
    cube = u * u * u
    return cube + q * u - p


@at(1.3)
def of_the_module(a: float) -> float:
    return bisect(cubic, 0.0, a + 1.0, (a * a,), xtol=1e-14) + brentq(
        partial(cubic, p=a), 0.0, 3.0, xtol=1e-14
    )


@at(1.3)
def nested(a: float) -> float:
    """A function of several statements that reads names around it."""
    scale = math.sin(a)

    def balance(u: float) -> float:
        w = u
        for _ in range(2):
            w = w * u if u > 0.0 else u
        return w * scale - a

    return brentq(balance, 0.0, 3.0, xtol=1e-14) ** 2


@at(V)
def in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(len(x)):
        total += brentq(lambda u, p: math.exp(u) * u - p, 0.0, 3.0, args=(x[k],), xtol=1e-14) * x[k]
    return total


@at(1.3)
def with_slope(a: float) -> float:
    return newton(lambda u: u**3 - a, 1.0, fprime=lambda u: 3.0 * u * u, tol=1e-15)


@at(1.3)
def fixed(a: float) -> Any:
    return fixed_point(lambda u: math.cos(u * a) / 2.0, 0.5, xtol=1e-15) ** 2


@at(1.3)
def told(a: float) -> Any:
    solution = root_scalar(lambda u: u**3 - a, bracket=[0.0, 3.0], xtol=1e-14)
    return solution.root**2 if solution.converged else a


@at(V)
def system(x: Any) -> Any:
    def flow(u: Any) -> Any:
        return [u[0] ** 3 - x[0], u[1] - u[0] * x[1] + 0.1 * u[1] ** 3]

    y = fsolve(flow, [0.5, 1.0], xtol=1e-14)
    return y[0] * y[1] ** 2


@at(V)
def system_of_any_size(x: Any) -> Any:
    solution = root(lambda u: u**3 + np.sum(u) * u - x, np.ones(len(x)), tol=1e-14)
    return np.sum(solution.x**2 * x)


@at(1.3)
def lowest(a: float) -> Any:
    solution = minimize_scalar(lambda u: (u - a) ** 2 + u**4 / a, tol=1e-10)
    return a * solution.fun + solution.x * 0.0


@at(V)
def lowest_of_several(x: Any) -> Any:
    def energy(u: Any, p: Any) -> Any:
        return np.sum((u - p) ** 2) + np.sum(u) ** 4

    def slope(u: Any, p: Any) -> Any:
        return 2.0 * (u - p) + 4.0 * np.sum(u) ** 3

    def bend(u: Any, p: Any) -> Any:
        return 2.0 * np.eye(len(p)) + 12.0 * np.sum(u) ** 2

    method = "trust-exact"
    solution = minimize(energy, np.zeros(3), (x,), method, slope, bend, options={"gtol": 1e-13})
    return np.sum(solution.x**2 * x) + solution.fun


@at(V)
def by_other_names(x: Any) -> Any:
    def slope(u: Any) -> Any:
        return np.array([2.0 * (u[0] - x[0]) + 4.0 * u[0] ** 3])

    y = fmin_bfgs(lambda u: (u[0] - x[0]) ** 2 + u[0] ** 4, [0.3], slope, gtol=1e-13, disp=False)
    return y[0] ** 2


# As many numbers as are fitted: where a rest is left, a solver that compares sums of squares stops
# some 1e-8 away, which differences show. `fitted_curve` leaves a small rest.
@at(np.array([0.7, 2.1]))
def fitted(y: Any) -> Any:
    t = np.array([0.0, 1.0])
    tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    fit = least_squares(lambda p: p[0] * np.exp(p[1] * t) - y, [1.0, 1.0], method="lm", **tight)
    return fit.x[1] ** 2 * fit.x[0]


TIMES = np.linspace(0.0, 2.0, 6)
COUNTS = 1.3 * np.exp(-0.8 * TIMES) + 1e-4 * np.sin(7.0 * TIMES)


def decay(t: Any, a: float, b: float) -> Any:
    w = np.exp(-b * t)
    return a * w


@at(COUNTS)
def fitted_curve(y: Any) -> Any:
    p, _ = curve_fit(lambda t, a, b: a * np.exp(-b * t), TIMES, y, p0=[1.0, 0.5], xtol=1e-15)
    return p[0] * p[1] ** 2


@at(COUNTS, TIMES, np.linspace(0.5, 1.5, 6))
def fitted_weighted(y: Any, t: Any, sigma: Any) -> Any:
    p = curve_fit(decay, t, y, sigma=sigma, xtol=1e-15, ftol=1e-15, gtol=1e-15)[0]
    return p @ p


@at(1.3)
def area(a: float) -> float:
    def curve(u: float) -> float:
        w = math.exp(-a * u * u)
        return w * a

    y, _ = quad(curve, 0.0, a)
    return y * y


@at(1.3, 0.4)
def area_of_a_lambda(a: float, b: float) -> float:
    whole = quad(lambda u, p: math.exp(-p * u * u) * b, -np.inf, np.inf, args=(a * b,))[0]
    return whole * quad(math.sin, b, a, epsabs=1e-12)[0]


@at(V)
def area_below_a_row(x: Any) -> Any:
    return quad(lambda u: math.exp(-x[0] * u * u) * x[1] * math.cos(x[2] * u), 0, 2)[0] ** 2


@at(0.7)
def singular(a: float) -> float:
    return quad(lambda u: u ** (a - 1.0), 0.0, 1.0)[0]


class Nozzle:
    """Its methods refuse arguments that make no sense."""

    def __init__(self, gamma: float) -> None:
        self.gamma = gamma

    def area(self, mach: Any) -> Any:
        if np.any(mach < 0.0):
            raise ValueError("negative")
        factor = 1.0 + (self.gamma - 1.0) / 2.0 * mach * mach
        return factor ** ((self.gamma + 1.0) / (2.0 * self.gamma - 2.0)) / mach


def checked(t: Any, a: Any) -> Any:
    assert t >= 0.0, "negative"
    if a > 100.0:
        raise ValueError(f"{a} is large")
    return np.exp(-a * t)


@at(1.3)
def callbacks_that_raise(x: float) -> Any:
    nozzle = Nozzle(x)

    def excess(mach: Any, flow: Any, ratio: Any) -> Any:
        return flow.area(mach) - ratio

    low = bisect(excess, 0.05, 1.0, args=(nozzle, 3.0 * x), xtol=1e-14)
    return low * quad(checked, 0.0, 1.0 + x, args=(x,))[0]

"""Integrals, roots and minima inside of each other: first and second derivatives.

The oracles are differences of the function, and of its gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar

from adjointgen import grad


def integral_of_integral(k: float) -> float:
    return quad(lambda t: quad(lambda s: math.exp(-k * s * t), 0, t)[0], 0, 1.0)[0]


def integral_of_root(k: float) -> float:
    return quad(lambda t: brentq(lambda v: v**3 + k * v - t, -9, 9, xtol=1e-13), 0.0, 1.0)[0]


def root_of_integral(k: float) -> float:
    return brentq(lambda v: quad(lambda t: math.exp(k * v * t), 0, 1)[0] - 2.0, -9, 9, xtol=1e-13)


def minimum_with_integral(k: float) -> float:
    def objective(v: float) -> float:
        return (v - k) ** 2 + quad(lambda t: math.exp(k * v * t), 0, 1)[0]

    return minimize_scalar(objective, tol=1e-12).x


def minimum_with_root(k: float) -> float:
    def objective(v: float) -> float:
        return (v - 1.0) ** 2 + brentq(lambda u: u**3 + u - k * v, -9, 9, xtol=1e-13)

    return minimize_scalar(objective, tol=1e-12).x


def root_of_minimum(k: float) -> float:
    def residual(v: float) -> float:
        return v - k - 0.1 * minimize_scalar(lambda u: (u - v) ** 2 + u**4, tol=1e-13).x

    return brentq(residual, -9, 9, xtol=1e-13)


def minimum_of_minimum(k: float) -> float:
    def objective(v: float) -> float:
        return (v - k) ** 2 + minimize_scalar(lambda u: (u - v) ** 2 + u**4 + k * u).x ** 2

    return minimize_scalar(objective, tol=1e-13).x


CASES = {
    root_of_minimum.__name__: (root_of_minimum, 1e-5),
    **{f.__name__: (f, 1e-6) for f in (integral_of_integral, integral_of_root, root_of_integral)},
    **{f.__name__: (f, 3e-4) for f in (minimum_with_integral, minimum_with_root)},
}


def slope(f: Callable[[float], float], x: float, h: float) -> float:
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


@pytest.mark.parametrize("name", CASES)
def test_both_derivatives_are_those_of_differences(name: str) -> None:
    f, accuracy = CASES[name]
    first = grad(f)
    assert first(0.7) == pytest.approx(slope(f, 0.7, 2e-3), rel=accuracy)
    assert grad(first)(0.7) == pytest.approx(slope(first, 0.7, 2e-3), rel=accuracy)


def test_a_minimum_of_a_minimum_is_that_of_the_stationary_equations() -> None:
    """Roots of both by mpmath, with 30 digits; the solvers find the places to five."""
    first = grad(minimum_of_minimum)
    assert first(0.7) == pytest.approx(0.8433498552760805, rel=1e-4)
    assert grad(first)(0.7) == pytest.approx(0.2543676024678669, rel=1e-3)

"""Derivatives of what calls solvers of SciPy, taken inside of functions that are differentiated."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import minimize, minimize_scalar

from adjointgen import grad, jvp, vjp

Number = Callable[[Any], Any]


def integral(a: Any) -> Any:
    return quad(lambda t, b: np.sin(b * t) * b, 0, a, args=(a,))[0]


def integrals(a: Any) -> Any:
    return quad(lambda t: quad(lambda s: np.sin(a * t * s), 0, t)[0], 0, 1)[0]


def decayed(a: Any) -> Any:
    start = np.array([1.0, 2.0])
    found = solve_ivp(lambda t, y: -a * y, (0, 1), start, rtol=1e-10, atol=1e-10)
    return np.sum(found.y[:, -1])


def least(a: Any) -> Any:
    return minimize(lambda x: np.sum((x - a) ** 2 + x**4), np.array([0.5]), tol=1e-12).x[0]


def least_number(a: Any) -> Any:
    return minimize_scalar(lambda x: (x - a) ** 2 + x**4).x


def gradient(f: Number) -> Number:
    return lambda a: f(a) * grad(f)(a) + grad(f)(2.0 * a)


def tangent(f: Number) -> Number:
    return lambda a: jvp(f, (a,), (a,))[1]


def pullback(f: Number) -> Number:
    return lambda a: vjp(f, a)[1](a)[0]


def in_a_loop(f: Number) -> Number:
    def summed(a: Any) -> Any:
        total = 0.0
        for k in range(3):
            total += grad(f)(a + 0.1 * k)
        return total

    return summed


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", [integral, integrals, decayed, least, least_number])
@pytest.mark.parametrize("inner", [gradient, tangent, pullback, in_a_loop])
def test_derivatives_of_inner_derivatives_of_solvers(f: Number, inner: Any) -> None:
    g, a, h = inner(f), 0.7, 1e-3
    differences = (8 * (g(a + h) - g(a - h)) - (g(a + 2 * h) - g(a - 2 * h))) / (12 * h)
    assert grad(g)(a) == pytest.approx(differences, rel=1e-4)
    assert jvp(g, (a,), (1.0,))[1] == pytest.approx(differences, rel=1e-4)

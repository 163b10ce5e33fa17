"""Times of a differential equation that depend on what is differentiated are refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp

from adjointgen import AdjointgenError, grad


def times_of_odeint(end: float) -> float:
    return odeint(lambda y, t: -0.6 * y, [1.5], [0.0, end])[-1, 0]


def grid_of_odeint(end: float) -> float:
    return odeint(lambda y, t: -0.6 * y, [1.5], np.linspace(0.0, end, 5))[-1, 0]


def end_of_solve_ivp(end: float) -> float:
    return solve_ivp(lambda t, y: -0.6 * y, (0.0, end), [1.5]).y[0, -1]


def grid_of_solve_ivp(end: float) -> float:
    return solve_ivp(lambda t, y: -0.6 * y, (0.0, 5.0), [1.5], t_eval=[0.0, end]).y[0, -1]


@pytest.mark.parametrize(
    "f",
    [times_of_odeint, grid_of_odeint, end_of_solve_ivp, grid_of_solve_ivp],
    ids=lambda f: f.__name__,
)
def test_times_that_are_differentiated_are_refused(f: Callable[[float], float]) -> None:
    with pytest.raises(AdjointgenError, match="times of a differential equation"):
        grad(f)(2.0)


def test_other_values_are_differentiated_beside_fixed_times() -> None:
    def f(k: float, end: float) -> float:
        found = solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.5], t_eval=[0.0, end], rtol=1e-10)
        return found.y[0, -1]

    assert grad(f)(0.6, 1.5) == pytest.approx(-1.5 * 1.5 * np.exp(-0.9), rel=1e-6)

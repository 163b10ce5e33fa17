"""What a solver finds has no Taylor coefficients: it is stated for one derivative."""

from typing import Any

import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq, fsolve, minimize

from adjointgen import taylor
from adjointgen.errors import NoRule


def integral(a: float) -> float:
    return quad(lambda t: a * a * t, 0, 1)[0]


def root(a: float) -> float:
    return brentq(lambda t: t**2 - a, 0, 5)


def roots(a: float) -> float:
    return fsolve(lambda u: [u[0] ** 2 - a], [1.0])[0]


def least(a: float) -> float:
    return minimize(lambda u: (u[0] - a) ** 4 + u[0] ** 2, [0.1]).x[0]


def flow(a: float) -> float:
    return solve_ivp(lambda t, y: -a * y, (0, 1), [1.0]).y[0, -1]


@pytest.mark.parametrize("function", [integral, root, roots, least, flow])
def test_what_a_solver_finds_has_no_coefficients(function: Any) -> None:
    """It is stated for one derivative: of degree 2 the rules would give another number."""
    with pytest.raises(NoRule, match="what a solver finds"):
        taylor(function, (0.7,), ([1.0, 0.0, 0.0],))

"""Derivatives through solvers are as exact as the solvers, and faults are still found."""

from types import ModuleType

import numpy as np
import pytest

import adjointgen
from adjointgen.api.calls.solver_noise import limits_of, solvers_in
from adjointgen.errors import CheckFailed
from adjointgen.verify.verify import verify

pytest.importorskip("scipy")

from scipy.integrate import solve_ivp
from scipy.optimize import minimize


def decayed(k: float) -> float:
    found = solve_ivp(lambda t, y: -k * y, (0.0, 1.0), np.array([1.0]), rtol=1e-7, atol=1e-9)
    return found.y[0, -1]  # type: ignore[no-any-return]


def nearest(a: float) -> float:
    return minimize(lambda z: (z[0] - a) ** 2 + z[0] ** 4, np.array([1.0])).x[0]  # type: ignore[no-any-return]


def test_a_derivative_as_exact_as_its_solver_is_right() -> None:
    report = adjointgen.check(decayed, (0.3,))
    assert report.ok and "solve_ivp only solves to a tolerance" in str(report)
    # Without it, the noise of the solver reads as a fault.
    assert not adjointgen.check(decayed, (0.3,), rtol=0.0).ok


def test_what_a_loose_solver_leaves_is_unclear() -> None:
    report = adjointgen.check(nearest, (0.3,))
    assert {row.verdict for row in report.rows} == {"pass", "unclear"}
    assert adjointgen.check(nearest, (0.3,), rtol=1e-3).ok


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [(1.0, "pass"), (1.0 + 3e-10, "pass"), (1.0001, "unclear"), (1.01, "fail")],
)
def test_a_fault_is_a_fault_still(factor: float, verdict: str) -> None:
    report = verify(
        lambda x: x**3,
        lambda given, dots: (given[0] ** 3, factor * 3 * given[0] ** 2 * dots[0]),
        None,
        (0.7,),
        (0,),
        rtol=1e-6,
        doubt=1e-3,
    )
    assert {row.verdict for row in report.rows if row.test.startswith("tangent")} == {verdict}


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-6])
def test_an_adjoint_alone_is_compared_with_differences(factor: float) -> None:
    report = verify(
        lambda x: np.sin(x) * x,
        None,
        lambda given, y_bar: (
            np.sin(given[0]) * given[0],
            (factor * (np.cos(given[0]) * given[0] + np.sin(given[0])) * y_bar,),
        ),
        (np.linspace(0.1, 2.0, 4),),
        (0,),
    )
    assert report.ok == (factor == 1.0)
    assert [row.test for row in report.rows if "adjoint 1" in row.test] == [
        "adjoint 1, differences"
    ]


TEXT = """
import scipy.optimize
from scipy import integrate as i
from scipy.integrate import quad


def f_tangent(x):
    return helper(x)


def helper(x):
    return quad(x, 0, 1), i.odeint(x)


def g_tangent(x):
    return scipy.optimize.brentq(x)


def h_tangent(x):
    return x
"""


def test_the_solvers_of_a_program() -> None:
    assert {*solvers_in(TEXT)} == {"quad", "odeint", "brentq"}
    assert {*solvers_in(TEXT, ["f_tangent"])} == {"quad", "odeint"}
    assert solvers_in(TEXT, ["g_tangent"]) == ("brentq",)
    assert limits_of(TEXT, None, ["h_tangent"]).rtol == 0.0
    assert limits_of(TEXT, 0.5).rtol == 0.5 and limits_of(TEXT, 0.5).note == ""


def square(x: float) -> float:
    return x * x


def test_a_module_that_is_not_on_disk() -> None:
    made = ModuleType("made")
    exec("def square_tangent(x, x_dot):\n    return x * x, 2.0 * x * x_dot\n", vars(made))
    assert adjointgen.check(square, (0.5,), module=made).ok
    exec("def square_tangent(x):\n    return x * x\n", vars(made))
    with pytest.raises(CheckFailed, match="has 0 seeds for 1 differentiated"):
        adjointgen.check(square, (0.5,), module=made)

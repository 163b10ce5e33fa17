"""Times of events, and other results of solvers that have no rule, by the equation that they solve.

The oracle is the ball that bounces: `t = (v + sqrt(v**2 + 2 g y)) / g` until it lands.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

from adjointgen import AdjointgenError, custom, generate, grad, hessian, jacobian, jvp

CLOSE = {"rtol": 1e-11, "atol": 1e-12}
PLACE = (1.5, 0.7, 9.81)


def fall(t, state, g):  # type: ignore[no-untyped-def]
    return [state[1], -g]


def ground(t, state, g):  # type: ignore[no-untyped-def]
    return state[0]


ground.terminal, ground.direction = True, -1.0  # type: ignore[attr-defined]


def scaled(s, state, t, g):  # type: ignore[no-untyped-def]
    return [t * state[1], -t * g]


def height(t, y, v, g):  # type: ignore[no-untyped-def]
    start = np.array([y, v])
    return solve_ivp(scaled, (0.0, 1.0), start, args=(t, g), rtol=1e-11, atol=1e-12).y[0, -1]


@custom(residual=height)
def landing(y: float, v: float, g: float) -> float:
    found = solve_ivp(fall, (0.0, 50.0), np.array([y, v]), args=(g,), events=ground, **CLOSE)
    return found.t_events[0][0]  # type: ignore[no-any-return]


def bounces(y, v, g, e, n):  # type: ignore[no-untyped-def]
    times, t = [], 0.0
    for _ in range(n):
        flight = landing(y, v, g)
        t = t + flight
        times.append(t)
        y, v = 0.0, -e * (v - g * flight)
    return np.array(times)


def slopes(y: float, v: float, g: float) -> tuple[float, float, float]:
    """The derivatives of the time of landing."""
    speed = math.sqrt(v * v + 2.0 * g * y)
    return 1.0 / speed, (1.0 + v / speed) / g, y / (g * speed) - (v + speed) / g**2


def test_the_time_of_an_event() -> None:
    assert grad(landing, ...)(*PLACE) == pytest.approx(slopes(*PLACE), rel=1e-9)
    time, along = jvp(landing, PLACE, (1.0, 0.0, -2.0))
    by_y, _, by_g = slopes(*PLACE)
    assert time == landing(*PLACE) and along == pytest.approx(by_y - 2.0 * by_g, rel=1e-9)


def test_curvature_of_the_time_of_an_event() -> None:
    y, v, g = PLACE
    speed = math.sqrt(v * v + 2.0 * g * y)
    assert grad(grad(landing))(*PLACE) == pytest.approx(-g / speed**3, rel=1e-8)
    assert hessian(landing, wrt="y, v")(*PLACE)[1][0] == pytest.approx(-v / speed**3, rel=1e-7)


def test_times_of_bounces() -> None:
    """Each takes `2 e v / g`, if v is the speed of the one before."""
    y, v, g, e, n = *PLACE, 0.8, 5
    speed = math.sqrt(v * v + 2.0 * g * y)
    first = (v + speed) / g
    powers = np.concatenate([[0.0], np.cumsum(e ** np.arange(1, n))])
    np.testing.assert_allclose(bounces(*PLACE, e, n), first + 2.0 * speed / g * powers, rtol=1e-9)
    by_v, by_e = jacobian(bounces, wrt="v, e")(*PLACE, e, n)
    wanted = slopes(*PLACE)[1] + 2.0 * v / (speed * g) * powers
    np.testing.assert_allclose(by_v, wanted, rtol=1e-8)
    falling = [sum(k * e ** (k - 1) for k in range(1, m + 1)) for m in range(n)]
    np.testing.assert_allclose(by_e, 2.0 * speed / g * np.array(falling), rtol=1e-8, atol=1e-9)


def test_a_root_of_a_flow_by_a_function_with_a_name() -> None:
    def found(y: Any, v: Any, g: Any) -> Any:
        return brentq(height, 0.1, 9.0, args=(y, v, g), xtol=1e-13)

    assert grad(found, ...)(*PLACE) == pytest.approx(slopes(*PLACE), rel=1e-8)


def balance(x, a):  # type: ignore[no-untyped-def]
    return np.array([x[0] + x[1] ** 2 - a, x[0] * x[1] - 1.0])


@custom(residual=balance)
def balanced(a: float) -> "float64[:]":  # type: ignore[name-defined]  # noqa: F821
    tried = [root(balance, start, args=(a,), tol=1e-13) for start in ([1.0, 1.0], [2.0, 2.0])]
    return min((one for one in tried if one.success), key=lambda one: one.x[0]).x  # type: ignore[no-any-return]


def test_an_array_that_code_finds_which_is_not_read() -> None:
    x = balanced(3.0)
    matrix = np.array([[1.0, 2.0 * x[1]], [x[1], x[0]]])
    wanted = np.linalg.solve(matrix, [1.0, 0.0])
    np.testing.assert_allclose(jacobian(balanced)(3.0), wanted, rtol=1e-9)
    total = grad(lambda a: np.sum(balanced(a * a)))(1.7)
    wanted = np.linalg.solve(
        np.array([[1.0, 2.0 * (z := balanced(1.7**2))[1]], [z[1], z[0]]]), [1, 0]
    )
    assert total == pytest.approx(3.4 * np.sum(wanted), rel=1e-8)


@custom(residual=height)
def unstated(y, v, g):  # type: ignore[no-untyped-def]
    return solve_ivp(fall, (0.0, 9.0), [y, v], args=(g,), events=ground).t_events[0][0]


def test_what_a_function_returns_has_to_be_stated() -> None:
    with pytest.raises(AdjointgenError, match=r"AG102[^$]*with -> float it is called"):
        grad(unstated)(*PLACE)


TEXT = """
import math

import numpy as np

from adjointgen import custom


def square(z: float, a: float) -> float:
    return z * z - a


def entry(a):
    return math.sqrt(a)


@custom(residual=square)
def by_others(a: float) -> float:
    return np.frompyfunc(entry, 1, 1)(a)


def twice(a: float) -> float:
    return 2.0 * by_others(a)
"""


def test_a_module_imports_the_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "roots.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    generate(f"{tmp_path}/roots.py::twice", modes="adjoint").write(tmp_path / "roots_ad.py")
    made: dict[str, Any] = {}
    exec((tmp_path / "roots_ad.py").read_text(), made)
    assert made["twice_adjoint"](3.0)[1] == pytest.approx(3.0**-0.5, rel=1e-14)

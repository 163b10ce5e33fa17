"""Derivatives as SciPy's solvers call them: same results as by differences, with fewer calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import (
    NonlinearConstraint,
    approx_fprime,
    curve_fit,
    least_squares,
    minimize,
    root,
    root_scalar,
)
from scipy.sparse import issparse

from adjointgen import AdjointgenError, grad, hessian, hessp, jacobian, ravel, value_and_grad


@dataclass
class Counted:
    function: Callable[..., Any]
    calls: int = field(default=0)

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.function(*args)


def rosenbrock(x: Any, a: float = 100.0) -> Any:
    return np.sum(a * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


X = np.linspace(0.1, 0.9, 7)
P = np.cos(np.arange(7.0))


@pytest.mark.parametrize("args", [(), (20.0,)])
def test_products_with_a_hessian(args: Any) -> None:
    found = hessp(rosenbrock)(X, P, *args)
    slope = grad(rosenbrock)
    steps = [slope(X + h * P, *args) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(found, (steps[0] - steps[1]) / 2e-5, rtol=1e-7)
    np.testing.assert_allclose(hessp(rosenbrock)(X, P, **dict(zip("a", args))), found)  # noqa: B905


def test_products_by_a_method_and_compiled() -> None:
    class Valley:
        a = 50.0

        def value(self, x: Any, b: float) -> Any:
            return b * rosenbrock(x, self.a)

    wanted = 3.0 * hessp(rosenbrock)(X, P, 50.0)
    np.testing.assert_allclose(hessp(Valley().value)(X, P, 3.0), wanted, rtol=1e-12)
    pytest.importorskip("numba")
    made = hessp(rosenbrock, compile="numba")(X, P, 150.0)
    np.testing.assert_allclose(made, hessp(rosenbrock)(X, P, 150.0), rtol=1e-12, atol=1e-10)


def test_products_with_what_does_not_fit_are_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG407"):
        hessp(rosenbrock)(X, P[:3])


@pytest.mark.parametrize("method", ["Newton-CG", "trust-ncg", "trust-krylov"])
def test_newton_with_products(method: str) -> None:
    fun, product = Counted(value_and_grad(rosenbrock)), Counted(hessp(rosenbrock))
    tight = {"xtol": 1e-8} if method == "Newton-CG" else {"gtol": 1e-8}
    more = {"args": (30.0,), "jac": True, "method": method, "options": tight}
    found = minimize(fun, 0.5 * X, hessp=product, **more)
    plain = Counted(rosenbrock)
    rough = minimize(plain, 0.5 * X, args=(30.0,), method="BFGS")
    np.testing.assert_allclose(found.x, np.ones(7), atol=1e-6)
    np.testing.assert_allclose(rough.x, np.ones(7), atol=1e-3)
    assert fun.calls + product.calls < plain.calls


def pendulum(t: float, y: Any, damping: float, force: float = 0.0) -> Any:
    return [y[1], force * np.cos(t) - damping * y[1] - np.sin(y[0])]


STIFF = [("Radau", False), ("BDF", False), ("LSODA", False), ("Radau", True), ("BDF", True)]


@pytest.mark.parametrize(("method", "sparse"), STIFF)
def test_stiff_equations(method: str, sparse: bool) -> None:
    start, args = np.array([1.0, 2.0]), (200.0, 0.5)
    exact = Counted(pendulum)
    slope = jacobian(pendulum, wrt="y", sparse=sparse)
    more = {"method": method, "args": args, "rtol": 1e-8, "atol": 1e-10}
    found = solve_ivp(exact, (0.0, 20.0), start, jac=slope, **more)
    plain = Counted(pendulum)
    rough = solve_ivp(plain, (0.0, 20.0), start, **more)
    np.testing.assert_allclose(found.y[:, -1], rough.y[:, -1], rtol=1e-6)
    assert exact.calls <= plain.calls
    matrix = slope(0.3, start, *args)
    assert issparse(matrix) is sparse
    wanted = [approx_fprime(start, lambda y, k=k: pendulum(0.3, y, *args)[k]) for k in (0, 1)]
    dense = matrix.toarray() if sparse else np.asarray(matrix)
    np.testing.assert_allclose(dense, wanted, rtol=1e-6, atol=1e-6)


def test_a_jacobian_by_position_and_by_names() -> None:
    y = np.array([1.0, 2.0])
    wanted = np.array([[0.0, 1.0], [-np.cos(1.0), -3.0]])
    for wrt in (1, "y"):
        for slope in (jacobian(pendulum, wrt), jacobian(pendulum, wrt=wrt)):
            np.testing.assert_allclose(slope(0.1, y, 3.0), wanted)
            np.testing.assert_allclose(slope(t=0.1, damping=3.0, y=y), wanted)
            np.testing.assert_allclose(slope(0.1, y, damping=3.0, force=1.0), wanted)
    matrix = jacobian(pendulum, wrt="y", sparse=True)(t=0.1, y=y, damping=3.0)
    np.testing.assert_allclose(matrix.toarray(), wanted)


@pytest.mark.parametrize("kind", [list, tuple, np.array])
@pytest.mark.parametrize("method", ["hybr", "lm"])
def test_roots(kind: Any, method: str) -> None:
    def system(x: Any) -> Any:
        parts = (x[0] * np.cos(x[1]) - 4.0, x[0] * x[1] - x[1] - 5.0)
        return kind(parts) if kind is not tuple else parts

    exact, plain = Counted(system), Counted(system)
    found = root(exact, [1.0, 1.0], jac=jacobian(system), method=method)
    rough = root(plain, [1.0, 1.0], method=method)
    np.testing.assert_allclose(found.x, rough.x, rtol=1e-6)
    assert exact.calls < plain.calls


def cubic(x: float) -> float:
    return x**3 - 2.0


def test_a_root_by_halley() -> None:
    more = {"fprime": grad(cubic), "fprime2": grad(grad(cubic))}
    assert root_scalar(cubic, x0=1.0, method="halley", **more).root == pytest.approx(2.0 ** (1 / 3))


TIMES = np.linspace(0.0, 4.0, 60)


def decay(t: Any, height: float, rate: float, base: float) -> Any:
    return height * np.exp(-rate * t) + base


@pytest.mark.parametrize("sparse", [False, True])
def test_least_squares_of_structures(sparse: bool) -> None:
    x, unravel = ravel({"height": 1.0, "shape": (1.0, 0.0)})
    data = decay(TIMES, 2.5, 1.3, 0.5)

    def residual(x: Any, t: Any) -> Any:
        found = unravel(x)
        return decay(t, found["height"], *found["shape"]) - data

    exact, plain = Counted(residual), Counted(residual)
    slope = jacobian(residual, sparse=sparse)
    found = least_squares(exact, x, jac=slope, args=(TIMES,), xtol=1e-12)
    rough = least_squares(plain, x, args=(TIMES,), xtol=1e-12)
    np.testing.assert_allclose(found.x, [2.5, 1.3, 0.5], rtol=1e-9)
    np.testing.assert_allclose(rough.x, found.x, rtol=1e-6)
    assert exact.calls < plain.calls


def test_curve_fit() -> None:
    slopes = jacobian(decay, wrt="height, rate, base")

    def jac(t: Any, *given: float) -> Any:
        return np.stack(slopes(t, *given), axis=-1)

    found, covariance = curve_fit(decay, TIMES, decay(TIMES, 2.5, 1.3, 0.5), jac=jac)
    np.testing.assert_allclose(found, [2.5, 1.3, 0.5], rtol=1e-8)
    assert covariance.shape == (3, 3)


def circle(x: Any) -> Any:
    return np.array([x[0] ** 2 + x[1] ** 2, x[0] - x[1] ** 3])


@pytest.mark.parametrize("sparse", [False, True])
def test_constraints_with_curvature(sparse: bool) -> None:
    bend = hessian(lambda x, v: v @ circle(x), sparse=sparse)
    x, v = np.array([0.3, 0.4]), np.array([2.0, -3.0])
    dense = bend(x, v).toarray() if sparse else bend(x, v)
    np.testing.assert_allclose(dense, [[4.0, 0.0], [0.0, 4.0 + 18.0 * 0.4]])
    rule = NonlinearConstraint(circle, -1.0, 0.5, jac=jacobian(circle, sparse=sparse), hess=bend)
    curvature = hessian(rosenbrock, sparse=sparse)
    more = {"constraints": [rule], "method": "trust-constr", "jac": True, "hess": curvature}
    found = minimize(value_and_grad(rosenbrock), x, **more)
    plain = {"type": "ineq", "fun": lambda x: np.concatenate([0.5 - circle(x), circle(x) + 1.0])}
    rough = minimize(rosenbrock, x, constraints=[plain], method="SLSQP", tol=1e-10)
    np.testing.assert_allclose(found.x, rough.x, atol=1e-4)

"""The adaptors in examples/frameworks, in their frameworks, or by the protocol that these state.

Torch, JAX, OpenMDAO and PyTensor come with the extra `frameworks`; without one of them its test is
skipped. Oracles are the framework's own derivatives and its own checks by differences.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest
from scipy.sparse import coo_array

from tests.test_examples import EXAMPLES, load

X: Final = np.linspace(0.1, 1.0, 5)
LACKS: Final = "is not installed: it comes with the extra `frameworks`"


def f(x: Any, k: Any) -> Any:
    y = np.sin(x) * k
    y[1:] += x[:-1] ** 2
    return y


def adaptor(name: str) -> ModuleType:
    return load(EXAMPLES / "frameworks" / f"in_{name}.py")


def differences(function: Any, x: Any) -> Any:
    """The dense Jacobian by central differences."""
    steps = 1e-6 * np.eye(len(x))
    return np.stack([(function(x + h) - function(x - h)) / 2e-6 for h in steps], axis=-1)


def test_torch() -> None:
    torch = pytest.importorskip("torch", reason=f"torch {LACKS}")
    made = adaptor("torch").as_torch(f)
    x = torch.tensor(X, requires_grad=True)
    k = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(made, (x, k))
    torch.sum(made(x, k) ** 2).backward()
    ours = x.grad.clone(), k.grad.clone()
    x.grad = k.grad = None
    shifted = torch.cat([torch.zeros(1, dtype=x.dtype), x[:-1] ** 2])
    torch.sum((torch.sin(x) * k + shifted) ** 2).backward()
    for one, other in zip(ours, (x.grad, k.grad), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_jax() -> None:
    jax = pytest.importorskip("jax", reason=f"jax {LACKS}")
    wide = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        _in_jax(jax)
    finally:
        jax.config.update("jax_enable_x64", wide)


def _in_jax(jax: Any) -> None:
    like = jax.ShapeDtypeStruct(X.shape, jax.numpy.float64)
    made = adaptor("jax").as_jax(f, like)
    x, k = jax.numpy.asarray(X), jax.numpy.asarray(2.0)

    def same(x: Any, k: Any) -> Any:
        return (jax.numpy.sin(x) * k).at[1:].add(x[:-1] ** 2)

    for wrap in (jax.grad, lambda g: jax.jit(jax.grad(g))):
        found, wanted = (wrap(lambda x, g=g: (g(x, k) ** 2).sum())(x) for g in (made, same))
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
    many = jax.numpy.stack([x, 2.0 * x])
    rows = [jax.vmap(jax.jacrev(g, 1), (0, None))(many, k) for g in (made, same)]
    np.testing.assert_allclose(*rows, rtol=1e-13)


def test_openmdao(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENMDAO_USE_MPI", "0")
    monkeypatch.setenv("OPENMDAO_REPORTS", "0")
    monkeypatch.chdir(tmp_path)
    om = pytest.importorskip("openmdao.api", reason=f"openmdao {LACKS}")
    problem = om.Problem()
    component = adaptor("openmdao").Component(f=lambda x: f(x, 2.0), x=X)
    problem.model.add_subsystem("component", component, promotes=["*"])
    problem.setup()
    problem.run_model()
    found = problem.compute_totals(of="y", wrt="x")["y", "x"]
    np.testing.assert_allclose(found, differences(lambda x: f(x, 2.0), X), atol=1e-8)


def test_pytensor() -> None:
    pytensor = pytest.importorskip("pytensor", reason=f"pytensor {LACKS}")
    theta = pytensor.tensor.dvector()
    density = adaptor("pytensor").LogDensity(lambda t: np.sin(t[0]) - 0.5 * np.sum(t**2))(theta)
    slope = pytensor.grad(3.0 * density, theta)
    run = pytensor.function([theta], [density, slope], mode="FAST_COMPILE")
    value, found = run(np.array([1.0, 2.0]))
    assert value == np.sin(1.0) - 2.5
    np.testing.assert_allclose(found, [3.0 * np.cos(1.0) - 3.0, -6.0], rtol=1e-14)


INPUTS: Final = {"x": np.array([0.3, 0.5]), "n": 3, "k": 2.0}


def served(inputs: Any) -> Any:
    return {"y": inputs["n"] * np.sin(inputs["x"]) * inputs["k"], "s": np.sum(inputs["x"]) ** 2}


def test_endpoints_of_a_tesseract() -> None:
    """By the signatures of its `tesseract_api.py`."""
    made = adaptor("tesseract").Endpoints(served)
    sines, slopes = 3.0 * np.sin(INPUTS["x"]), 6.0 * np.cos(INPUTS["x"])
    matrix = made.jacobian(INPUTS, {"k", "x"}, {"y"})
    assert list(matrix) == ["y"] and set(matrix["y"]) == {"x", "k"}
    np.testing.assert_allclose(matrix["y"]["x"], np.diag(slopes), rtol=1e-14)
    np.testing.assert_allclose(matrix["y"]["k"], sines, rtol=1e-14)
    along = {"k": 0.5, "x": np.array([1.0, -2.0])}
    y_dot = made.jacobian_vector_product(INPUTS, {"x", "k"}, {"y", "s"}, along)
    np.testing.assert_allclose(y_dot["y"], slopes * along["x"] + 0.5 * sines, rtol=1e-14)
    assert y_dot["s"] == pytest.approx(-1.6)
    back = made.vector_jacobian_product(INPUTS, {"x"}, {"y"}, {"y": np.array([1.0, 2.0])})
    np.testing.assert_allclose(back["x"], slopes * [1.0, 2.0], rtol=1e-14)


def test_ipopt_solves_it(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """With derivatives it asks less, and finds what SLSQP finds."""
    monkeypatch.syspath_prepend(EXAMPLES)
    control, ipopt = load(EXAMPLES / "optimal_control.py"), adaptor("ipopt")
    x = np.full(3 * control.POINTS, 0.1)
    problem = ipopt.Problem(control.cost, control.defects, x)
    found, least, asked = ipopt.solved(problem, x)
    assert np.max(np.abs(control.defects(found))) < 1e-12 and np.all(x == 0.1)
    wanted = control.dense(control.cost, problem.gradient, control.defects, None)
    assert least == pytest.approx(wanted.fun, rel=1e-8)
    assert sum(asked.values()) < 60
    ipopt.main()
    exact, _, rough, _ = capsys.readouterr().out.splitlines()
    assert int(rough.split()[1]) > 10 * int(exact.split()[1])


def test_a_problem_of_ipopt(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the methods that cyipopt calls: Newton's method with these finds what SLSQP finds."""
    monkeypatch.syspath_prepend(EXAMPLES)
    control = load(EXAMPLES / "optimal_control.py")
    x = np.full(3 * control.POINTS, 0.1)
    problem = adaptor("ipopt").Problem(control.cost, control.defects, x)
    m, n = len(control.defects(x)), len(x)
    weights = np.zeros(m)
    for _ in range(12):
        places = problem.jacobianstructure()
        slopes = coo_array((problem.jacobian(x), places), shape=(m, n)).toarray()
        lower = problem.hessian(x, weights, 1.0), problem.hessianstructure()
        half = coo_array(lower, shape=(n, n)).toarray()
        bent = half + np.tril(half, -1).T
        matrix = np.block([[bent, slopes.T], [slopes, np.zeros((m, m))]])
        rest = np.concatenate([problem.gradient(x), problem.constraints(x)])
        step = np.linalg.solve(matrix, -rest)
        x, weights = x + step[:n], step[n:]
    assert np.max(np.abs(step[:n])) < 1e-12
    wanted = differences(problem.constraints, x)
    np.testing.assert_allclose(slopes, wanted, atol=1e-8)
    found = control.dense(problem.objective, problem.gradient, problem.constraints, None)
    assert problem.objective(x) == pytest.approx(found.fun, rel=1e-8)
    assert "measured" in sys.modules

"""Forward and reverse sweeps as calls of their own: one run, one tape, many seeds."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import adjointgen
from adjointgen import (
    adjoint,
    custom,
    forward,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    reverse,
    vjp,
)
from adjointgen.errors import AdjointgenError
from tests.fuzz.oracle import ridders

X = np.array([0.5, -1.0, 2.0])
TABLE = np.array([1.0, 2.0, 3.0])
LOG: list[float] = []


def overwritten(x: Any, n: int) -> Any:
    y = np.exp(x)
    for k in range(n):
        y[k % 3] = y[k % 3] * x[(k + 1) % 3] + y[0]
        if y[0] > 3.0:
            y *= 0.5
    z = y
    z[1] = 1.0
    return y, y[1:], np.sum(z)


def calling(x: Any, n: int) -> Any:
    first, part, total = overwritten(x, n)
    return first * TABLE, part + total, total


def recursive(x: Any, n: int) -> Any:
    if n == 0:
        return x * x, x[1:], np.sum(x)
    y, part, total = recursive(np.sin(x) * TABLE, n - 1)
    return y * x, part * total, total


class Pair(NamedTuple):
    """A structure of arguments and adjoints."""

    w: Any
    b: float


def structured(p: Pair, q: dict[str, Any]) -> Any:
    return {"y": p.w * p.b + q["v"], "s": [np.sum(q["v"] ** 2)]}


@pytest.mark.parametrize("f", [overwritten, calling, recursive])
def test_two_reverse_sweeps_are_two_adjoints(f: Callable[..., Any]) -> None:
    seeds = np.array([1.0, 2.0, -1.0]), np.array([0.5, 3.0]), 0.25
    y, *expected = adjoint(f)(X, 5, *seeds)
    x = X.copy()
    value, tape = forward(f)(x, 5)
    found = reverse(f)(tape, *seeds)
    for one, other in zip((*value, *found), (*y, *expected), strict=True):
        np.testing.assert_array_equal(one, other)
    for array in (x, value[0], value[1], found[0]):
        array[...] = 7.0
    np.testing.assert_array_equal(reverse(f)(tape, seeds)[0], expected[0])


def test_a_record_that_only_dead_code_reads() -> None:
    def f(x: float, v: list[float], flag: bool) -> float:
        if flag:
            pass
        elif not sum(v):
            for k, _ in enumerate(v):
                v[k] = x
        return x

    def g(x: float, v: list[float], flag: float) -> float:
        if flag or sum((0.5, 1.0)):
            pass
        else:
            i = 0
            while True:
                if i:
                    break
                i += 1
                for k, _ in enumerate(v):
                    v[k] = x
        return x

    for each in (f, g):
        _, tape = forward(each, wrt="x")(1.0, [1.0, -1.0], 0.0)
        assert reverse(each, wrt="x")(tape, 3.0) == reverse(each, wrt="x")(tape, 3.0) == (3.0,)


def test_structures() -> None:
    p, q = Pair(X.copy(), 2.0), {"v": TABLE.copy()}
    value, pullback = vjp(structured, p, q)
    assert isinstance(value["s"], list)
    for _ in range(2):
        p_bar, q_bar = pullback({"y": np.ones(3), "s": [1.0]})
        assert isinstance(p_bar, Pair)
        np.testing.assert_array_equal(p_bar.w, 2.0 * np.ones(3))
        assert p_bar.b == 1.5
        np.testing.assert_array_equal(q_bar["v"], 1.0 + 2.0 * TABLE)
        p.w[:] = q["v"][:] = 0.0


def test_what_a_module_holds_is_that_of_the_forward_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())
    _, pullback = vjp(lambda x: scaled(x) * TABLE, X)
    TABLE[:] = 100.0
    np.testing.assert_array_equal(pullback(np.ones(3))[0], [1.0, 4.0, 9.0])


def scaled(x: Any) -> Any:
    return TABLE * x


def test_the_first_call_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJOINTGEN_CHECK", "first")
    p, q = Pair(X.copy(), 2.0), {"v": TABLE.copy()}
    value, pullback = vjp(structured, p, q)
    assert pullback({"y": np.ones(3), "s": [1.0]})[0].b == 1.5
    np.testing.assert_array_equal(value["y"], structured(p, q)["y"])
    _, pullback, aux = vjp(lambda x: (np.sum(x * x), {"x": x + 1.0}), X, has_aux=True)
    np.testing.assert_array_equal(pullback(2.0)[0], 4.0 * X)
    np.testing.assert_array_equal(aux["x"], X + 1.0)


def test_lists_of_the_caller_are_copied() -> None:
    values = [1.0, 2.0, 3.0]
    _, pullback = vjp(lambda v: v[0] * v[1] * v[2], values)
    values[1] = 50.0
    assert pullback(1.0) == ([6.0, 3.0, 2.0],)


def noisy(x: Any) -> Any:
    LOG.append(1.0)
    return x * np.random.rand() * len(LOG)


def test_effects_happen_once() -> None:
    for call in (vjp(noisy, X)[1], *(j(noisy) for j in (jacobian, jacrev, jacfwd))):
        LOG.clear()
        np.random.seed(3)
        rate = np.random.rand()
        np.random.seed(3)
        if call.__name__ == "reverse":
            pullback = vjp(noisy, X)[1]
            for _ in range(2):
                np.testing.assert_array_equal(pullback(np.ones(3))[0], rate * np.ones(3))
        else:
            np.testing.assert_array_equal(call(X), rate * np.eye(3))
        assert LOG == [1.0]


class Filter:
    """An adaptive filter, whose rate is part of its state."""

    def __init__(self) -> None:
        self.w, self.history = 0.1, np.zeros(3)

    def run(self, d: Any) -> Any:
        y = np.zeros(3)
        for k in range(3):
            y[k] = self.w
            self.w = self.w + 0.1 * (d[k] - y[k]) ** 3
        return y

    def keep(self, d: Any) -> Any:
        self.history += d
        return self.history * d


@pytest.mark.parametrize("jac", [jacobian, jacrev, jacfwd])
def test_all_rows_are_at_the_state_of_the_call(jac: Callable[..., Any]) -> None:
    d, own, once = X.copy(), Filter(), Filter()
    found = jac(own.run)(d)
    once.run(d)
    assert own.w == once.w

    def column(k: int) -> Any:
        unit = np.eye(3)[k]
        return ridders(lambda t: Filter().run(d + t * unit), 1e-2, 6).value

    np.testing.assert_allclose(found, np.stack([column(k) for k in range(3)], axis=1), atol=1e-9)
    np.testing.assert_array_equal(jac(own.keep)(d), np.diag(2.0 * d))
    np.testing.assert_array_equal(own.history, np.zeros(3))


def test_hessians_of_functions_that_count() -> None:
    LOG.clear()

    def counted(x: Any) -> Any:
        LOG.append(1.0)
        return np.sum(x**3) * len(LOG)

    np.testing.assert_array_equal(hessian(counted)(X), np.diag(6.0 * X))
    assert LOG == [1.0]


def cubed(x: Any) -> Any:
    return x**3


def test_jacobians_by_the_rule_that_there_is() -> None:
    custom(adjoint=lambda y, x, y_bar: 3.0 * x**2 * y_bar)(cubed)
    np.testing.assert_array_equal(jacobian(lambda x: cubed(x))(X), np.diag(3.0 * X**2))


def test_second_order() -> None:
    value, pullback = vjp(grad(lambda x: np.sum(x**3) * x[0]), X)
    expected = [9.0 * X[0] ** 2 + 3.0 * X[0] ** 2, 3.0 * X[1] ** 2, 3.0 * X[2] ** 2]
    for _ in range(2):
        np.testing.assert_allclose(pullback(np.array([1.0, 0.0, 0.0]))[0], expected)
    assert value.shape == (3,)


def test_beside_a_value() -> None:
    y, pullback, aux = vjp(lambda x: (np.sum(x * x), {"x": x + 1.0}), X, has_aux=True)
    np.testing.assert_array_equal(aux["x"], X + 1.0)
    np.testing.assert_array_equal(pullback(2.0)[0], 4.0 * X)
    assert y == 5.25


def test_a_tape_says_what_it_is() -> None:
    _, tape = forward(scaled)(X)
    assert repr(tape) == f"<tape of scaled: {tape.nbytes} bytes>"
    assert tape.nbytes == 24
    with pytest.raises(AdjointgenError, match="AG407"):
        reverse(overwritten)(tape, np.ones(3))
    with pytest.raises(AdjointgenError, match="AG407"):
        reverse(scaled)((TABLE,), np.ones(3))
    with pytest.raises(AdjointgenError, match="AG407"):
        reverse(scaled)(tape, np.ones(4))
    assert "forward" in dir(adjointgen)


def scaled_by_its_first(x: Any) -> Any:
    h = x
    for _ in range(5):
        h = np.tanh(h) * h[0]
    return np.sum(h)


def test_the_forward_sweep_of_a_second_derivative_reads_no_seed() -> None:
    x, y_bar, h = np.array([0.5, 0.9]), np.array([1.0, 2.0]), 1e-4
    gradient = grad(scaled_by_its_first)
    value, pullback = vjp(gradient, x)
    differences = [(gradient(x + h * e) - gradient(x - h * e)) @ y_bar / 2 / h for e in np.eye(2)]
    np.testing.assert_allclose(value, gradient(x))
    np.testing.assert_allclose(pullback(y_bar)[0], differences, rtol=1e-4)

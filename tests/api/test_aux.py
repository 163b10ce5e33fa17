"""`has_aux`: what stands beside the value is handed back, and is not differentiated."""

from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, grad, value_and_grad, vjp


def misfit(x: Any, a: float) -> Any:
    y = x * a
    return np.sum(y * y), {"y": y, "n": 3, "s": "text"}


X = np.array([1.0, 2.0])
GRADIENT = np.array([8.0, 16.0])


def same_aux(aux: Any) -> bool:
    return np.array_equal(aux["y"], [2.0, 4.0]) and (aux["n"], aux["s"]) == (3, "text")


def test_as_jax_has_it() -> None:
    gradient, aux = grad(misfit, has_aux=True)(X, 2.0)
    np.testing.assert_allclose(gradient, GRADIENT)
    assert same_aux(aux)
    (value, aux), (by_x, by_a) = value_and_grad(misfit, wrt=("x", "a"), has_aux=True)(X, 2.0)
    assert value == by_a == 20.0 and same_aux(aux)
    np.testing.assert_allclose(by_x, GRADIENT)
    y, pullback, aux = vjp(misfit, X, 2.0, has_aux=True)
    assert y == 20.0 and same_aux(aux) and pullback(2.0)[1] == 40.0
    y, by_x, by_a, aux = adjoint(misfit, has_aux=True)(X, 2.0)
    assert y == by_a == 20.0 and same_aux(aux)


def test_a_tuple_of_one() -> None:
    (gradient,), aux = grad(misfit, wrt=("x",), has_aux=True)(X, 2.0)
    np.testing.assert_allclose(gradient, GRADIENT)
    assert same_aux(aux)


def test_as_a_decorator() -> None:
    @grad(has_aux=True)
    def cube(x: float) -> tuple[float, int]:
        return x**3, round(x)

    assert cube(3.0) == (27.0, 3)
    assert cube.primal(3.0) == (27.0, 3)


def test_what_is_beside_need_have_no_derivative() -> None:
    def f(x: float) -> Any:
        return x * x, (str(x), int(x), [x, None])

    assert grad(f, has_aux=True)(2.5) == (5.0, ("2.5", 2, [2.5, None]))


def test_derivatives_nest() -> None:
    def cube(x: float) -> tuple[float, float]:
        return x**3, 2.0 * x

    second = grad(grad(cube, has_aux=True), has_aux=True)
    assert second(2.0) == (12.0, 4.0)


def test_paths_have_their_own() -> None:
    def f(x: float) -> tuple[float, tuple[float, int]]:
        if x > 1.0:
            return x**2, (x, 1)
        return x, (x, 2)

    made = grad(f, has_aux=True)
    assert made(2.0) == (4.0, (2.0, 1)) and made(0.5) == (1.0, (0.5, 2))


def test_an_array_beside_shares_nothing_with_the_gradient() -> None:
    def f(x: Any) -> Any:
        return np.sum(x), x

    gradient, aux = grad(f, has_aux=True)(X)
    gradient[0] = 7.0
    np.testing.assert_array_equal(aux, X)


def test_a_seed_is_held_against_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        return x * x, "aux"

    monkeypatch.setenv("ADJOINTGEN_CHECK", "first")
    _, x_bar, aux = adjoint(f, has_aux=True)(X, np.ones(2))
    np.testing.assert_allclose(x_bar, 2.0 * X)
    assert aux == "aux"
    with pytest.raises(AdjointgenError, match="AG407"):
        adjoint(f, has_aux=True)(X, np.ones(3))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x,
        lambda x: (x, x, x),
        lambda x: [x, x],
        lambda x: ((x, x), 1),
        lambda x: ("a", x),
        lambda x: (int(x), x),
        lambda x: (x > 1.0, x),
    ],
)
def test_other_results_are_refused(f: Any) -> None:
    with pytest.raises(AdjointgenError, match="AG404"):
        grad(f, has_aux=True)(2.5)


def test_a_pullback_of_no_pair_is_refused() -> None:
    with pytest.raises(AdjointgenError, match="AG404"):
        vjp(lambda x: x * x, 2.5, has_aux=True)

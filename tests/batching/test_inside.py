"""`vmap` inside of a function that is differentiated, beside differences of the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjointgen as ag
from adjointgen import grad, vmap

W = np.array([0.3, 0.2, 0.5])
X = np.arange(12.0).reshape(4, 3) / 10 + 0.13
Y = np.array([1.0, 0.2, -0.4, 0.7])


def differences(f: Callable[..., Any], w: Any) -> Any:
    """The gradient by central differences."""
    steps = 1e-6 * np.eye(len(w))
    return np.array([(f(w + step) - f(w - step)) / 2e-6 for step in steps])


def loss(w: Any, x: Any, y: Any) -> Any:
    return (np.tanh(w @ x) - y) ** 2


def row(w: Any, x: Any) -> Any:
    return np.tanh(w * x)


def square(w: Any, x: Any) -> Any:
    return np.sum(w * x) ** 2


def written(w: Any, x: Any) -> Any:
    x[0] = w[0] * 2.0
    return np.sum(x * x)


def chosen(w: Any, x: Any) -> Any:
    if x[0] > 0.4:
        return np.sum(w * x)
    return w[0] * x[1]


def product(a: Any, b: Any) -> Any:
    return a * b * b


LOSSES = vmap(loss, in_axes=(None, 0, 0))


def mean_of_losses(w: Any) -> Any:
    return np.mean(vmap(loss, in_axes=(None, 0, 0))(w, X, Y))


def mean_of_losses_of_the_module(w: Any) -> Any:
    return np.mean(LOSSES(w, X, Y))


def rows(w: Any) -> Any:
    return np.sum(vmap(row, in_axes=(None, 0))(w, X) ** 2)


def other_axes(w: Any) -> Any:
    many = vmap(row, in_axes=(0, -1), out_axes=1)
    return np.sum(many(np.array([w, w + 1.0, w * 2.0, w]), X.T)[:, 1] ** 2)


def gradients(w: Any) -> Any:
    return np.sum(vmap(grad(square), in_axes=(None, 0))(w, X) ** 2)


def samples_are_written(w: Any) -> Any:
    samples = X * 1.0
    made = vmap(written, in_axes=(None, 0))(w, samples)
    return np.sum(made) + np.sum(samples**2)


def branches(w: Any) -> Any:
    return np.sum(vmap(chosen, in_axes=(None, 0))(w, X))


def numbers(w: Any) -> Any:
    return np.sum(vmap(product)(w, X[0]))


def ufunc(w: Any) -> Any:
    return np.sum(vmap(np.sin)(w) * X[0])


def closure(w: Any) -> Any:
    return np.sum(vmap(lambda x: np.sum(w * x) ** 2)(X))


FUNCTIONS = [
    *(mean_of_losses, mean_of_losses_of_the_module, rows, other_axes, gradients),
    *(samples_are_written, branches, numbers, ufunc, closure),
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_gradient_is_that_of_differences(f: Callable[..., Any]) -> None:
    value, found = ag.value_and_grad(f)(W)
    assert value == pytest.approx(f(W), rel=1e-14)
    np.testing.assert_allclose(found, differences(f, W), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", [mean_of_losses, gradients])
def test_the_second_derivative_is_that_of_differences(f: Callable[..., Any]) -> None:
    wanted = differences(lambda w: grad(f)(w)[1], W)
    np.testing.assert_allclose(ag.hessian(f)(W)[1], wanted, rtol=1e-6, atol=1e-8)


def test_what_vmap_returns_is_differentiated_itself() -> None:
    found = ag.jacobian(LOSSES, wrt="w")(W, X, Y)
    wanted = np.stack([grad(loss)(W, *one) for one in zip(X, Y, strict=True)])
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_a_module_does_not_need_vmap() -> None:
    text = ag.generate(mean_of_losses, example=(W,)).source
    assert "adjointgen import" not in text and "vmap(" not in text.replace("# return", "")


def pair(w: Any, x: Any) -> Any:
    return np.sum(w * x), w[0] * x


def entries(w: Any, x: Any) -> Any:
    return [w[0] * x[1], x[0] * w[2]]


@pytest.mark.parametrize("several", [pair, entries])
def test_several_results_are_refused(several: Callable[..., Any]) -> None:
    def f(w: Any) -> Any:
        return np.sum(vmap(several, in_axes=(None, 0))(w, X)[0])

    with pytest.raises(ag.AdjointgenError, match=r"AG102.*several results for each sample"):
        grad(f)(W)


def test_arguments_by_name_are_refused() -> None:
    def f(w: Any) -> Any:
        return np.sum(vmap(square, in_axes=(None, 0))(w, x=X))

    with pytest.raises(ag.AdjointgenError, match=r"AG103.*1 arguments by position for 2 axes"):
        grad(f)(W)


def test_batches_of_several_lengths_raise() -> None:
    def f(w: Any) -> Any:
        return np.sum(vmap(product)(w, X[:, 0]))

    with pytest.raises(ag.AdjointgenError, match="AG416"):
        f(W)
    with pytest.raises(ValueError, match="batches of several lengths"):
        grad(f)(W)

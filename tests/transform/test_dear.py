"""What takes longer than a tape is recorded, though every iteration could compute it again."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad

RNG = np.random.default_rng(5)
X = RNG.uniform(-1.0, 1.0, (4, 3))
W = RNG.uniform(-1.0, 1.0, (2, 3, 3))


def products(x: Any, w: Any) -> Any:
    total = 0.0
    for k in range(w.shape[0]):
        y = x @ w[k]
        total += np.sum(y * y * y)
    return total


def inverses(x: Any, w: Any) -> Any:
    total = 0.0
    for k in range(w.shape[0]):
        y = np.linalg.inv(w[k] + 4.0 * np.eye(3))
        total += np.sum(np.sin(x @ y))
    return total


def sines(x: Any, w: Any) -> Any:
    total = 0.0
    for k in range(w.shape[0]):
        y = np.sin(x[0] * w[k])
        total += np.sum(y * y * y)
    return total


@pytest.mark.parametrize("f", [products, inverses, sines])
def test_the_numbers_are_those_of_the_complex_step(f: Any) -> None:
    for k, bar in enumerate(grad(f, wrt=(0, 1))(X, W)):
        args = [X.astype(complex), W.astype(complex)]
        dot = np.cos(np.arange(args[k].size)).reshape(args[k].shape)
        args[k] = args[k] + 1e-30j * dot
        assert np.sum(bar * dot) == pytest.approx(f(*args).imag / 1e-30, rel=1e-11)


@pytest.mark.parametrize(("f", "recorded"), [(products, True), (inverses, True), (sines, False)])
def test_what_is_recorded(f: Any, recorded: bool) -> None:
    gradient = grad(f, wrt=(0, 1))
    gradient(X, W)
    assert ("_tape" in gradient.source) is recorded, gradient.source


def test_a_product_is_made_once() -> None:
    gradient = grad(products, wrt=(0, 1))
    gradient(X, W)
    assert gradient.source.count("    y = x @ w[k]") == 1, gradient.source

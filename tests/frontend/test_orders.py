"""Orders in memory: read where they are known, made where they are asked for; methods of arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from adjointgen.errors import AdjointgenError
from tests.frontend.agree import agrees

X = np.array([0.7, 1.3, 2.1])
M = np.arange(1.0, 7.0).reshape(2, 3)


def products(x: Any) -> Any:
    return np.outer(x, x * x).ravel("K") * np.arange(9.0)


def filled(m: Any) -> Any:
    y = np.zeros(m.shape)
    y[:] = m * m
    y *= 2.0
    return y.flatten("A") * np.ravel(np.sin(y), order="K")


def in_fortrans_order(m: Any) -> Any:
    y = np.zeros((2, m.shape[1]), dtype="complex", order="F")
    y[:, :2] = m[:, :2]
    z = y.T
    z[2, 0] = m[0, 1] * m[1, 1]
    y += y * y
    return y.real.ravel() * y.real.ravel("F") * np.full((2, 3), m[0, 0], "d", "F").ravel()


def own_order(m: Any) -> Any:
    return np.asfortranarray(m).ravel("C") * m.T.ravel("F") * m.reshape(3, 2, order="F").ravel()


def methods(x: Any) -> Any:
    y, kept = x * 1.0, (x * 2.0, 1.0)
    y.__iadd__(x)
    y.__setitem__(0, x[1].__mul__(x[2]))
    kept[0].__imul__(y)
    return kept[0] * y.__getitem__(slice(None)).__pow__(2)


@pytest.mark.parametrize(
    ("f", "x"),
    [(products, X), (filled, M), (in_fortrans_order, M), (own_order, M), (methods, X)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_orders(f: Callable[[Any], Any], x: Any) -> None:
    agrees(f, x)


def as_given(m: Any) -> Any:
    return np.sum(m.ravel("K") ** 2 * np.arange(6.0))


def turned(m: Any) -> Any:
    return np.sum(m.T.flatten("A") ** 2 * np.arange(6.0))


def copied(m: Any) -> Any:
    return np.sum(np.array(m).ravel("K") ** 2 * np.arange(6.0))


def reshaped(m: Any) -> Any:
    return np.sum(m.reshape((3, 2), order="A")[0])


@pytest.mark.parametrize("f", [as_given, turned, copied, reshaped], ids=lambda f: f.__name__)
def test_an_order_that_is_not_known_is_refused(f: Callable[[Any], Any]) -> None:
    for m in (M, np.asfortranarray(M)):
        with pytest.raises(AdjointgenError) as caught:
            grad(f)(m)
        assert caught.value.code == "AG104"

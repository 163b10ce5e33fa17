"""Calls with arrays of ranks and lengths that a rule is not for: a code, or the call as it is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from adjointgen import generate, grad, jvp
from adjointgen.errors import AdjointgenError

WIDE = np.array([[2.0, 0.3, 0.1], [0.2, 1.5, -0.4]])


def cross(x: Any) -> Any:
    return np.sum(np.cross(x, x[::-1]) ** 2)


def wide(x: Any) -> Any:
    return np.sum(np.linalg.qr(x)[1] ** 2)


def stack(x: Any) -> Any:
    return np.sum(scipy.linalg.toeplitz(x))


def batch(x: Any) -> Any:
    return np.sum(scipy.linalg.solve(np.stack([x, x]), np.ones(2)))


@pytest.mark.parametrize(("f", "x"), [(stack, WIDE), (batch, np.eye(2))])
@pytest.mark.filterwarnings("ignore")
def test_active_arrays_are_refused(f: Callable[[Any], Any], x: Any) -> None:
    for run in (lambda: grad(f)(x), lambda: jvp(f, (x,), (x,))):
        with pytest.raises(AdjointgenError) as caught:
            run()
        assert caught.value.code == "AG201"


@pytest.mark.parametrize(("f", "type"), [(cross, "float64[2]"), (wide, "float64[2, 3]")])
def test_lengths_that_are_known_are_refused(f: Callable[[Any], Any], type: str) -> None:
    with pytest.raises(AdjointgenError) as caught:
        generate(f, types={"x": type})
    assert caught.value.code == "AG201"


def test_passive_arrays_are_not() -> None:
    def f(x: Any) -> Any:
        return x * float(scipy.linalg.toeplitz(WIDE).shape[0]) * np.linalg.qr(WIDE)[1][0, 2]

    assert grad(f)(2.0) == pytest.approx(f(1.0))


def test_widths_of_padding_are_read_as_numpy_does() -> None:
    """A column of widths has one for each axis, a row the two of every axis."""

    def f(x: Any, weights: Any, widths: Any) -> Any:
        return np.sum(np.pad(x, widths) * weights)

    x = np.arange(6.0).reshape(2, 3)
    for widths in (((1,), (2,)), ((1, 2),), (1, 2), 1, (1,), ((0, 1), (2, 0))):
        shape = np.pad(x, widths).shape
        weights = np.arange(float(np.prod(shape))).reshape(shape)
        mark = np.pad(np.ones((2, 3), bool), widths)
        found = grad(f, wrt="x")(x, weights, widths)
        np.testing.assert_array_equal(found, weights[mark].reshape(2, 3))

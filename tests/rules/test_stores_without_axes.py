"""`a[..., i, j] = x` of a number: the adjoint takes an array without axes out of there, and the
gradient of a number is a number."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hessian, jacfwd, jacrev, vjp


def energy(x: Any) -> Any:
    m = np.zeros((2, 2))
    m[..., 1, 1] = x * x
    m[..., 0, 0] += x
    return np.sum(m * m)


def entries(x: Any) -> Any:
    m = np.ones((2, 2))
    m[..., 1, 1] = x
    m[0, 1, ...] = x * x
    return m @ m


def test_the_gradient_of_a_number_is_a_number() -> None:
    slope = grad(energy)(1.3)
    assert isinstance(slope, float) and slope == pytest.approx(4.0 * 1.3**3 + 2.0 * 1.3)
    assert isinstance(vjp(energy, 1.3)[1](1.0)[0], float)
    assert hessian(energy)(1.3) == pytest.approx(12.0 * 1.3**2 + 2.0)


def test_several_seeds() -> None:
    by_differences = (entries(1.3 + 1e-6) - entries(1.3 - 1e-6)) / 2e-6
    for jacobian in (jacfwd, jacrev):
        np.testing.assert_allclose(jacobian(entries)(1.3), by_differences, rtol=1e-7)

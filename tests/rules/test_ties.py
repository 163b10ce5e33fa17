"""Products and sums of greatest and least are smooth where these are equal: gradients there.

Each function is one polynomial of its arguments, whichever is greater, and is held to its own
central differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hessian, jvp


def python(a, b):
    return max(a, b) * min(a, b)


def python_exchanged(a, b):
    return max(a, b) * min(b, a)


def python_lists(a, b):
    return max([a, b]) * min(a, b)


def python_and_numpy(a, b):
    return max(a, b) * np.minimum(b, a)


def numpy(a, b):
    return np.maximum(a, b) * np.minimum(a, b)


def reductions(a, b):
    return np.max(np.array([a, b])) ** 2 + np.minimum(b, a) ** 2


def one_sided_but_for_the_sum(a, b):
    return max(a - b, 0.0) + min(a - b, 0.0)


SMOOTH = [
    python,
    python_exchanged,
    python_lists,
    python_and_numpy,
    numpy,
    reductions,
    one_sided_but_for_the_sum,
]


@pytest.mark.parametrize("at", [0.0, 1.0, -2.5])
@pytest.mark.parametrize("f", SMOOTH)
def test_gradient_at_a_tie(f: Callable[[Any, Any], Any], at: float) -> None:
    h = 1e-6
    along_a = (f(at + h, at) - f(at - h, at)) / (2.0 * h)
    along_b = (f(at, at + h) - f(at, at - h)) / (2.0 * h)
    found = grad(f, wrt=("a", "b"))(at, at)
    assert found == pytest.approx((along_a, along_b), abs=1e-7)
    assert jvp(f, [at, at], [1.0, -0.5])[1] == pytest.approx(along_a - 0.5 * along_b, abs=1e-7)


def entries(a, b):
    x = np.array([a, b])
    return np.maximum(x[0], x[1]) * 3.0 * -np.minimum(x[1], x[0])


def scaled_modulus(a, b):
    return (2.0 * abs(a - b)) ** 2 * b


def two_moduli(a, b):
    return abs(a - b) * b * -abs(a - b)


def scaled_length(a, b):
    x = np.array([a - b, a - b])
    return np.linalg.norm(x) * b * np.linalg.norm(x)


PRODUCTS = {
    python: [[0.0, 1.0], [1.0, 0.0]],
    python_exchanged: [[0.0, 1.0], [1.0, 0.0]],
    python_and_numpy: [[0.0, 1.0], [1.0, 0.0]],
    numpy: [[0.0, 1.0], [1.0, 0.0]],
    entries: [[0.0, -3.0], [-3.0, 0.0]],
    scaled_modulus: [[16.0, -16.0], [-16.0, 16.0]],
    two_moduli: [[-4.0, 4.0], [4.0, -4.0]],
    scaled_length: [[8.0, -8.0], [-8.0, 8.0]],
}


@pytest.mark.parametrize("f", PRODUCTS, ids=lambda f: f.__name__)
def test_second_derivatives_of_products_at_a_tie(f: Callable[[Any, Any], Any]) -> None:
    found = np.array(hessian(f, wrt=("a", "b"))(2.0, 2.0))
    np.testing.assert_allclose(found, PRODUCTS[f], atol=1e-12)
    h = 1e-4
    along = [grad(f, wrt=("a", "b"))(2.0 + k * h, 2.0 - 0.5 * k * h) for k in (1.0, -1.0)]
    away = (np.array(along[0]) - np.array(along[1])) / (2.0 * h)
    np.testing.assert_allclose(found @ [1.0, -0.5], away, rtol=1e-3, atol=1e-3)

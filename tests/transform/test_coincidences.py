"""A derivative that is zero by coincidence has derivatives of its own.

Each function is smooth at its point, where an adjoint or a residual vanishes, and there is an
operation in it whose slope may be infinite elsewhere.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hvp
from tests.hessians import WAYS, Product, check_gradient, check_hessian, compiled, slope


def residuals(x):
    y = np.zeros(2)
    for i in range(2):
        y[i] = math.sqrt(x[i]) - 1.0
    return np.sum(y**2)


def springs(x):
    r = np.zeros(2)
    for i in range(2):
        d = x[i + 1] - x[i]
        r[i] = np.sqrt(d @ d)
    return 0.5 * np.sum((r - 5.0) ** 2)


def clipped(x):
    return np.sum((np.clip(np.sqrt(x), 0.1, 10.0) - 1.0) ** 2)


def greater(x):
    return np.sum((np.maximum(np.sqrt(x), 0.5) - 1.0) ** 2)


def masked(x):
    y = np.where(x > 0.0, np.sqrt(x), 0.0) * (2.0 * x)
    return np.sum((y - 2.0) ** 2)


def cubed_mask(x):
    y = np.where(x > 0.0, np.sqrt(x), 0.0)
    return np.sum((y * y * y - 1.0) ** 2)


def power(x):
    return np.sum((np.maximum(x, 0.0) ** 0.5 - 1.0) ** 2)


def arc(x):
    return np.sum((np.arccos(np.clip(x, -1.0, 1.0)) - np.arccos(0.5)) ** 2)


def root(x):
    return np.sum((np.where(x > 0.0, np.cbrt(x), 0.0) - 1.0) ** 2)


def length(d):
    return math.sqrt(d @ d)


def helper(x):
    total = 0.0
    for i in range(2):
        r = length(x[i + 1] - x[i]) - 5.0
        if i < 5:
            total += r * r
    return total


def branched(x):
    total = 0.0
    for i in range(3):
        t = x[i] if x[i] > 0.0 else 0.0
        total += (math.sqrt(t) - 1.0) ** 2 if x[i] > 0.0 else x[i] ** 2
    return total


def moved(x):
    r = np.sqrt(x)
    r[0] = 3.0
    return np.sum((r - 1.0) ** 2) + np.sum(np.sin((r[1:] - 1.0) ** 2))


_CHAIN = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])
CASES = [
    (residuals, np.array([1.0, 4.0])),
    (springs, _CHAIN),
    (clipped, np.array([1.0, 4.0])),
    (greater, np.array([1.0, 4.0, 0.04])),
    (masked, np.array([1.0, 2.0, -1.0])),
    (cubed_mask, np.array([1.0, 2.0, 0.3])),
    (power, np.array([1.0, -0.5, 4.0])),
    (arc, np.array([0.5, 0.2])),
    (root, np.array([1.0, -1.0, 8.0])),
    (helper, _CHAIN),
    (branched, np.array([1.0, -1.0, 4.0])),
    (moved, np.array([0.5, 1.0, 4.0])),
]
NAMES = [f.__name__ for f, _ in CASES]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("f", "x"), CASES, ids=NAMES)
def test_second_order(f: Callable[[Any], Any], x: Any, way: Callable[[Any], Product]) -> None:
    check_gradient(f, x)
    check_hessian(f, x, way)


@pytest.mark.parametrize(("f", "x"), CASES[:3], ids=NAMES[:3])
def test_second_order_compiled(f: Callable[[Any], Any], x: Any) -> None:
    check_hessian(f, x, compiled)


@pytest.mark.parametrize(("f", "x"), CASES, ids=NAMES)
def test_third_order(f: Callable[[Any], Any], x: Any) -> None:
    v, w = np.cos(np.arange(2.0 * x.size)).reshape(2, *x.shape)

    def curvature(x):
        return np.sum(hvp(f, [x], [v]) * v)

    expected = slope(curvature, x, w)
    found = np.sum(grad(curvature)(x) * w)
    np.testing.assert_allclose(found, expected, 1e-6, 1e-6 * (1.0 + abs(expected)))

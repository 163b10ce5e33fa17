"""Even powers of lengths, moduli and deviations are smooth where these are not, at 0."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import jvp
from tests.hessians import WAYS, check_gradient, check_hessian


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        r = abs(x[i] - 1.0)
        total += (i + 1.0) * r**2
    return total


def distances(x):
    total = 0.0
    for i in range(2):
        d = x[i + 1] - x[i]
        r = math.sqrt(d * d)
        total += r * r + r**4
    return total


def modulus(x):
    z = x[0] + 1j * x[1]
    return abs(z) ** 2 + x[2] ** 2


CASES: list[Callable[[Any], Any]] = [
    in_a_loop,
    distances,
    modulus,
    lambda x: np.sum(np.abs(x - 1.0) ** 2 * np.arange(1.0, 4.0)),
    lambda x: np.sum(np.fabs(x - 1.0) ** 4 + np.square(np.abs(x))),
    lambda x: np.sum(np.abs(x) * np.abs(x)),
    lambda x: np.linalg.norm(x - 1.0) ** 2,
    lambda x: np.sum(np.linalg.norm(x.reshape(1, 3) - 1.0, axis=1) ** 2),
    lambda x: np.linalg.norm(np.outer(x - 1.0, x), "fro") ** 2,
    lambda x: np.sqrt((x - 1.0) @ (x - 1.0)) ** 2,
    lambda x: ((x @ x) ** 0.5) ** 2,
    lambda x: np.hypot(x[0] - 1.0, x[1] - 1.0) ** 2 + np.hypot(x[0], x[2]) ** 4,
    lambda x: np.std(x) ** 2 + np.std(x, ddof=1) ** 2,
    lambda x: np.sum(np.abs(np.fft.fft(x - 1.0)) ** 2),
    lambda x: (np.abs(np.sqrt(x @ x) ** 2) ** 0.5) ** 4,
]
POINTS = [np.ones(3), np.zeros(3), np.array([0.3, -1.2, 1.0])]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("x", POINTS, ids=str)
@pytest.mark.parametrize("f", CASES)
def test_squares_of_roots(f: Callable[[Any], Any], x: Any) -> None:
    check_gradient(f, x)
    v = np.array([0.3, 0.7, -0.4])
    value, tangent = jvp(f, [x.copy()], [v])
    np.testing.assert_allclose(value, f(x), 1e-14, 0.0)
    for way in WAYS:
        check_hessian(f, x, way)
    assert np.isfinite(tangent)

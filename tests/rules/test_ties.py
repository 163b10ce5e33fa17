"""Products and sums of greatest and least are smooth where these are equal: gradients there.

Each function is one polynomial of its arguments, whichever is greater, and is held to its own
central differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, jvp


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

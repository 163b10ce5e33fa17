"""What is infinite or NaN, and left out by a mask or a branch, has a zero derivative.

The derivative by entries that are not left out is compared with central differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hvp, jvp

A, B = np.array([1.0, 0.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0, 2.0])
DIVIDES = B != 0.0
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def masked(a: Any, b: Any) -> Any:
    y = a / b
    y[b == 0] = 0.0
    return np.sum(y * y)


def not_finite(a: Any, b: Any) -> Any:
    y = a * b**-1.0
    y[~np.isfinite(y)] = 0.0
    return np.sum(y)


def listed(a: Any, b: Any) -> Any:
    y = np.log(b) * a
    y[np.where(b == 0)] = 0.0
    return np.sum(y)


def afterwards(a: Any, b: Any) -> Any:
    y = np.sin((a + b) / b)
    y[b == 0] = 1.0
    y = y * 2.0
    return np.dot(y, y)


def in_a_branch(a: Any, b: Any) -> Any:
    y = np.zeros(4)
    for i in range(4):
        y[i] = a[i] / b[i]
        if b[i] == 0.0:
            y[i] = 0.0
    return np.sum(y**2)


def of_a_number(a: Any, b: Any) -> Any:
    s = 0.0
    for i in range(4):
        y = a[i] / b[i]
        if b[i] == 0.0:
            y = 0.0
        s += y * y
    return s


def _finite_square(a: Any, b: Any) -> Any:
    r = a / b
    if not np.isfinite(r):
        return 0.0
    return r * r


def in_a_helper(a: Any, b: Any) -> Any:
    s = 0.0
    for i in range(4):
        s += _finite_square(a[i], b[i])
    return s


def by_a_norm(a: Any, b: Any) -> Any:
    n = np.linalg.norm(b[1:3])
    u = b[1:3] / n
    s = a[0] * b[0] + a[3] * b[3]
    if n > 0:
        s += np.dot(u, u) * a[0]
    return s


def by_what_it_is_of(a: Any, b: Any) -> Any:
    s = 0.0
    for i in range(4):
        v = 2.0 * b[i]
        r = np.sin(a[i] / v)
        s += np.exp(r) if abs(v) > 0.0 else 0.0
    return s


ARMS = (in_a_helper, by_a_norm, by_what_it_is_of)
PROGRAMS = (masked, not_finite, listed, afterwards, in_a_branch, of_a_number, *ARMS)


def differences(f: Callable[..., Any], of: int, h: float = 1e-6) -> Any:
    """Central differences where `b` is not 0, else 0."""
    found = np.zeros(4)
    for i in np.flatnonzero(DIVIDES):
        ends = [[A, B], [A, B]]
        for sign, args in zip((1, -1), ends, strict=True):
            args[of] = args[of] + sign * h * np.eye(4)[i]
        found[i] = (f(*ends[0]) - f(*ends[1])) / (2.0 * h)
    return found


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("of", [0, 1])
def test_overwritten_entries_have_no_derivative(f: Callable[..., Any], of: int) -> None:
    wanted = differences(f, of)
    assert grad(f, wrt=of)(A, B) == pytest.approx(wanted, abs=1e-7)
    moved = [np.zeros(4), np.zeros(4)]
    moved[of] = np.ones(4)
    assert jvp(f, (A, B), tuple(moved))[1] == pytest.approx(np.sum(wanted), abs=1e-7)


@pytest.mark.parametrize("f", [masked, in_a_branch])
def test_compiled(f: Callable[..., Any]) -> None:
    assert grad(f, compile="numba")(A, B) == pytest.approx(differences(f, 0), abs=1e-7)


@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f: Callable[..., Any]) -> None:
    """Along all of `a`: by the entries that are not overwritten, of differences of gradients."""
    along = np.ones(4)
    wanted = (grad(f)(A + 1e-6, B) - grad(f)(A - 1e-6, B)) / 2e-6
    assert np.all(np.isfinite(wanted))
    assert hvp(f, (A, B), (along, np.zeros(4)))[0] == pytest.approx(wanted, abs=1e-6)

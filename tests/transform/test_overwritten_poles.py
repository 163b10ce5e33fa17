"""Entries that are infinite or NaN, and overwritten by a mask or a branch, have a zero derivative.

The derivative by entries that are not overwritten is compared with central differences.
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


PROGRAMS = (masked, not_finite, listed, afterwards, in_a_branch, of_a_number)


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

"""Integers and truth values of compiled programs are those of NumPy, or refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, value_and_grad
from adjointgen.errors import Unsupported

NUMBERS = (7, -7, 3, -3, 2, 0)
X = np.array([2.0, 3.0, 7.0, 0.5])


def remainder(x: Any, a: Any, b: Any) -> Any:
    return np.sum(x * np.fmod(a, b))


def shifted(x: Any, a: Any, b: Any) -> Any:
    return np.sum(x * (a << b)) - np.sum(x * (a >> b))


def entries_compared(x: Any) -> Any:
    n = 0
    for i in range(len(x)):
        if (x[i] > 1.0) + (x[i] < 5.0):
            n += 1
    return n * ((x[0] > 1.0) + (x[0] < 5.0) + (x[1] > 1.0)) * ~(x[0] > 5.0) * np.sum(x)


def arrays_compared(x: Any) -> Any:
    return np.sum(x * ((x > 1.0) + (x < 5.0)) * ~(x > 5.0))


def summed(x: Any) -> Any:
    return ((x > 1.0) + (x > 2.0)) * x


def inverted(x: Any) -> Any:
    return ~(x > 1.0) * x


@pytest.mark.parametrize("a", NUMBERS)
def test_remainders_have_the_sign_of_the_first_operand(a: int) -> None:
    gradient = grad(remainder, compile="numba")
    with np.errstate(divide="ignore"):
        wanted = [np.fmod(a, b) for b in NUMBERS]
    assert [gradient(1.0, a, b) for b in NUMBERS] == wanted


def test_remainders_of_arrays() -> None:
    gradient = grad(remainder, compile="numba")
    a, b = np.array(NUMBERS), np.array([3, 3, -7, -7, 5, -2])
    assert np.array_equal(gradient(np.ones(6), a, b), np.fmod(a, b))
    assert np.array_equal(gradient(np.ones(6), a, -4), np.fmod(a, -4))


@pytest.mark.parametrize("a", [5, -5])
def test_shifts_are_by_bits_that_integers_have(a: int) -> None:
    gradient = grad(shifted, compile="numba")
    assert [gradient(1.0, a, k) for k in range(8)] == [(a << k) - (a >> k) for k in range(8)]
    for k in (-1, 64):
        with pytest.raises(ValueError, match="shifted by 0 to 63"):
            gradient(1.0, a, k)


@pytest.mark.parametrize("f", [entries_compared, arrays_compared])
def test_truth_values_of_numpy(f: Callable[..., Any]) -> None:
    value, gradient = value_and_grad(f, compile="numba")(X)
    assert value == f(X)
    steps = 1e-6 * np.eye(len(X))
    assert gradient == pytest.approx([(f(X + h) - f(X - h)) / 2e-6 for h in steps], rel=1e-6)


@pytest.mark.parametrize("f", [summed, inverted])
@pytest.mark.parametrize("x", [3.5, np.float64(3.5)])
def test_truth_values_of_python_or_numpy(f: Callable[..., Any], x: Any) -> None:
    """`f(3.5)` and `f(np.float64(3.5))` differ; a program that is not compiled tells them apart."""
    with pytest.raises(Unsupported, match=r"AG140.*truth values of NumPy") as caught:
        grad(f, compile="numba")(x)
    assert caught.value.span is not None
    assert value_and_grad(f)(x)[0] == f(x)

"""Integers to negative powers in compiled programs: floats as in Python, or an exception.

The oracle is Python: the function itself at the same arguments, of which it is linear in the first.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, value_and_grad


def scaled(x: float, k: int) -> float:
    return x * 2**k


def over_a_range(x: float, n: int) -> float:
    s = 0.0
    for i in range(-n, n):
        s += x * 10**i
    return s


def through_integers(x: float, k: int) -> float:
    return x * (3 * 2**k + 1) if 2**k < 4 else x * k


def rounded(x: float, k: int) -> float:
    return x * int(2**k * 8)


def stored(x: float, k: int) -> float:
    a = np.zeros(2)
    a[0] = k**-2 if k > 0 else 5**k
    return x * np.sum(a)


def of_length(x: float, k: int) -> float:
    s = 0.0
    for i in range(2**k):
        s += x * i
    return s


@pytest.mark.parametrize("f", [scaled, over_a_range, through_integers, stored, rounded])
def test_a_power_is_that_of_python(f: Callable[..., float]) -> None:
    compiled = value_and_grad(f, compile="numba")
    for exponent in (3, 1, -1, -4):
        value, slope = compiled(1.5, exponent)
        assert value == pytest.approx(f(1.5, exponent), rel=1e-14)
        assert slope == pytest.approx(f(1.0, exponent), rel=1e-14)


def test_a_fraction_is_no_length() -> None:
    compiled = value_and_grad(of_length, compile="numba")
    assert compiled(1.5, 3) == (of_length(1.5, 3), of_length(1.0, 3))
    with pytest.raises(ValueError, match="negative power"):
        compiled(1.5, -1)


def test_numpys_integers_have_no_negative_powers() -> None:
    def f(x: float, a: Any, k: Any) -> Any:
        return x * np.sum(a**k)

    point = 1.5, np.array([2, 3]), np.array([2, 1])
    compiled = value_and_grad(f, compile="numba")
    assert compiled(*point)[0] == f(*point)
    for call in (f, compiled):
        with pytest.raises(ValueError, match="negative integer powers are not allowed"):
            call(1.5, np.array([2, 3]), np.array([2, -1]))


def test_a_written_module_has_the_power_of_python() -> None:
    body = generate(scaled, modes="adjoint", example=(1.5, 3), compile="numba").body
    assert "2.0**k" in body

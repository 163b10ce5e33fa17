"""A fractional power of a negative number of Python is complex: never a wrong real derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, grad, hessian, jvp, value_and_grad


def root(x: float) -> float:
    return abs((-x) ** 0.5)  # type: ignore[no-any-return]


def squared(x: float) -> float:
    return abs((x - 3.0) ** 1.5) ** 2  # type: ignore[no-any-return]


def by_exponent(x: float, p: float = 0.5) -> float:
    return abs((x - 3.0) ** p)  # type: ignore[no-any-return]


def in_loop(x: float) -> float:
    y = 0.0
    for i in range(3):
        y += (x - i) ** 0.5
    return abs(y - 1.0)


def powers(x: float, p: float) -> float:
    y = 0.0
    for i in range(3):
        y += (x - i) ** p
    return y


def by_calls(x: float) -> float:
    return abs(powers(x, 0.5)) + abs(powers(x * 2.0, 1.5))


def magnitudes(x: float) -> float:
    y = 1.0
    for i in range(3):
        y = y * abs((x - i) ** 0.5)
    return y


def of_magnitudes(x: float) -> float:
    return magnitudes(x) + magnitudes(x * 2.0)


CASES = [
    (root, -2.0, 2.0),
    (squared, 4.0, 2.0),
    (by_exponent, 4.0, 2.0),
    (in_loop, 3.5, 1.5),
    (by_calls, 3.5, 1.5),
    (of_magnitudes, 3.5, 1.5),
]


@pytest.mark.parametrize(("function", "real", "complex_"), CASES)
def test_it_is_right_or_raises(
    function: Callable[[float], float], real: float, complex_: float
) -> None:
    h = 1e-6
    slope = (function(real + h) - function(real - h)) / (2 * h)
    assert np.isclose(value_and_grad(function)(real)[1], slope)
    assert np.isclose(jvp(function, (real,), (1.0,))[1], slope)
    bend = (function(real + 1e-4) - 2 * function(real) + function(real - 1e-4)) / 1e-8
    assert np.isclose(hessian(function)(real), bend, rtol=1e-4, atol=1e-5)
    for derivative in (grad(function), value_and_grad(function), hessian(function)):
        with pytest.raises(NotImplementedError, match="AG302"):
            derivative(complex_)
    with pytest.raises(NotImplementedError, match="AG302"):
        jvp(function, (complex_,), (1.0,))


def test_numbers_of_numpy_are_never_complex() -> None:
    with np.errstate(invalid="ignore"):
        assert np.isnan(grad(root)(np.float64(2.0)))


def test_written_programs_raise_as_well() -> None:
    names: dict[str, Any] = {}
    made = generate(root, example=(-2.0,))
    exec(made.body, names)
    for name in made.functions:
        assert np.isclose(names[name](-2.0, 1.0)[1], -0.5 / 2.0**0.5)
        with pytest.raises(NotImplementedError, match="AG302"):
            names[name](2.0, 1.0)


def test_there_is_no_check_where_none_is_needed() -> None:
    def real(x: float) -> float:
        return abs(x) ** 1.5 + x**2.0 + abs(x**3) + np.sqrt(abs(x) ** 0.5)  # type: ignore[no-any-return]

    def passive(x: float, c: float) -> float:
        return abs((-c) ** 0.5) * x  # type: ignore[no-any-return]

    assert "complex" not in generate(real, example=(0.7,)).body
    assert np.isclose(grad(passive)(0.7, 2.0), 2.0**0.5)


def imaginary(x: float) -> Any:
    return (x**0.5).imag


def real_part(x: float) -> Any:
    return (x**0.5 * x).real


def conjugate(x: float) -> Any:
    return (x**0.5).conjugate().imag


@pytest.mark.parametrize("f", [imaginary, real_part, conjugate])
def test_parts_of_a_power_are_not_taken_for_those_of_a_real_number(f: Any) -> None:
    with pytest.raises(NotImplementedError, match="AG302"):
        value_and_grad(f)(-4.0)
    value, slope = value_and_grad(f)(4.0)
    assert value == f(4.0)
    assert slope == (3.0 if f is real_part else 0.0)


def even_powers_of_complex_roots(x: Any) -> Any:
    root = np.sqrt(x * x + 0.5j) * x
    entries = np.sqrt(x * np.array([1j, 2.0]) - np.ones(2) * root**2)
    return np.sum((entries**4).imag) + (root**2).real


def test_even_powers_of_complex_roots() -> None:
    value, slope = value_and_grad(even_powers_of_complex_roots)(1.3)
    assert value == pytest.approx(even_powers_of_complex_roots(1.3), rel=1e-14)
    steps = [even_powers_of_complex_roots(1.3 + h) for h in (1e-5, -1e-5)]
    assert slope == pytest.approx((steps[0] - steps[1]) / 2e-5, rel=1e-8)
    assert jvp(even_powers_of_complex_roots, (1.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-12)

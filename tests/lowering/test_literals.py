"""Literal factors go to what is there first, in derivatives alone."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, value_and_grad

pytest.importorskip("numba", reason="the compiled target needs Numba")
RNG = np.random.default_rng(8)
X = RNG.uniform(0.4, 0.9, 12)


def recurrence(x: Any, a: Any, steps: int) -> Any:
    total = 0.0
    for _ in range(steps):
        x = x * x + a if x < 1.0 else 0.5 * x - 0.1 * a
        total += x * x
    return total


def filtered(x: Any, c: Any) -> Any:
    y = np.zeros_like(x)
    before = 0.0
    for k in range(len(x)):
        y[k] = c * c * before + 3.0 * x[k] * x[k] * before + x[k]
        before = y[k]
    return np.sum(y * y)


def twice(x: Any, c: Any) -> Any:
    """Literals on both factors of a product, and a factor that occurs twice."""
    s = 1.0
    for k in range(len(x)):
        s = (s * s) * (3.0 * x[k] + c) ** 2 * 0.01 + 2.0 * (s * c) * (2.0 * x[k])
    return s


CASES = [
    (recurrence, (0.3, 0.9, 50)),
    (filtered, (X, 0.7)),
    (twice, (X, 0.2)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_the_numbers_are_those_of_python(f: Any, args: tuple[Any, ...]) -> None:
    value, bars = value_and_grad(f, wrt=(0, 1))(*args)
    found, found_bars = value_and_grad(f, wrt=(0, 1), compile="numba")(*args)
    assert found == pytest.approx(value, rel=1e-14) and value == f(*args)
    for a, b in zip(found_bars, bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients_are_differences_of_the_primal(f: Any, args: tuple[Any, ...]) -> None:
    h = 1e-6
    slope = (f(args[0], args[1] + h, *args[2:]) - f(args[0], args[1] - h, *args[2:])) / (2 * h)
    assert grad(f, wrt=1, compile="numba")(*args) == pytest.approx(slope, rel=1e-6)


def test_what_waits_is_multiplied_last() -> None:
    made = value_and_grad(recurrence, wrt="x,a", compile="numba")
    made(0.3, 0.9, 50)
    assert " * (2.0 * x)\n" in made.source
    off = value_and_grad(recurrence, wrt="x,a", compile="numba", disable=("scalar-replacement",))
    off(0.3, 0.9, 50)
    assert " * (2.0 * x)\n" not in off.source


def scaled(x: Any, c: Any, d: Any) -> Any:
    for _ in range(2):
        x = x * c * d * 2.0
    return x


def test_no_other_factor_changes_places() -> None:
    """The square of `c` is more than a number can be; in another order it is not needed."""
    assert grad(scaled, compile="numba")(1.0, 1e200, 1e-200) == pytest.approx(4.0)


def magnified(x: Any, c: Any, d: Any) -> Any:
    for _ in range(2):
        x = 1e300 * (c * x)
        x = x * d
    return x


def test_a_large_literal_stays() -> None:
    """`1e300 * c` is more than a number can be; times `x_bar * d` it is not."""
    made = grad(magnified, compile="numba", disable=("simplify",))
    assert made(1e-200, 1e20, 1e-300) == pytest.approx(1e40)

"""What the user adds in place is added in place, where nothing else needs what stood there."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent

X = np.linspace(-1.0, 1.5, 12).reshape(4, 3)


def sums(x: Any) -> Any:
    total = np.zeros(x.shape[1], x.dtype)
    for row in x:
        total += np.sin(row)
    total -= x[0]
    return np.sum(total * total)


def written_out(x: Any) -> Any:
    total = np.zeros(x.shape[1], x.dtype)
    for row in x:
        total = total + np.sin(row)
    return np.sum(total * total)


def looked_at(x: Any) -> Any:
    """A view of the array sees what is added, a copy does not, another name does."""
    total = np.zeros(x.shape[1], x.dtype)
    view, other = total[1:], total
    for row in x:
        before = total.copy()
        total += row * view[0]
        total += other * before + row
    return np.sum(total * view[-1])


def needed(x: Any) -> Any:
    """The reverse sweep needs what was there before each sum."""
    total = x[0] * 1.0
    for row in x:
        total += np.exp(0.1 * total) * row
    return np.sum(total)


def given(x: Any) -> Any:
    """The array is the argument, which stays as it was."""
    for k in range(3):
        x += 0.1 * x[k] * x
    return np.sum(x)


@pytest.mark.parametrize("f", [sums, written_out, looked_at, needed, given])
def test_the_numbers_are_those_of_the_complex_step(f: Any) -> None:
    x = X.copy()
    gradient = grad(f)(x)
    assert np.array_equal(x, X)
    dot = np.cos(np.arange(12.0)).reshape(X.shape)
    slope = f(X + 1e-30j * dot).imag / 1e-30
    assert np.sum(gradient * dot) == pytest.approx(slope, rel=1e-12)
    assert tangent(f)(X.copy(), dot)[1] == pytest.approx(slope, rel=1e-12)


def test_a_sum_in_place_stays_in_place() -> None:
    made = tangent(sums)
    made(X, X)
    assert "total += np.sin(row)" in made.source and "total -= x[0]" in made.source


def test_a_sum_that_is_written_out_stays_so() -> None:
    made = tangent(written_out)
    made(X, X)
    assert "total = total + np.sin(row)" in made.source

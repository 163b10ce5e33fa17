"""Elements that a loop leaves alone are read before it, and only those."""

import re
from typing import Any

import numpy as np
import pytest

from adjointgen import grad

RNG = np.random.default_rng(31)
A = RNG.uniform(0.5, 1.5, (5, 5)) + 6.0 * np.eye(5)


def factored(a: Any) -> Any:
    """Each element is divided, then subtracted along what was done before."""
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    return np.sum(a * a)


def looked_through(a: Any) -> Any:
    """Another row is written between the element and the loop."""
    a = a.copy()
    for i in range(1, 5):
        for k in range(i):
            a[i, i] -= a[i, k] * a[k, i]
        a[i, i] /= a[0, 0]
        a[i - 1, 0] = a[i - 1, 0] * 0.5
        a[i, i] *= a[i, i]
    return np.sum(a * a)


def met(a: Any) -> Any:
    """The loop comes to the element that it reads."""
    a = a.copy()
    for i in range(5):
        for k in range(i + 1):
            a[i, i] -= 0.1 * a[i, k] * a[k, i]
        a[i, i] /= 2.0
    return np.sum(a * a)


def behind(a: Any) -> Any:
    """An index from the end is that of the element."""
    a = a.copy()
    for i in range(5):
        for k in range(i):
            a[i, i] -= 0.1 * a[i, k - 5] * a[k, i]
        a[i, i] /= 2.0
    return np.sum(a * a)


def swapped(a: Any, n: int) -> Any:
    """The arrays take turns, so that what is read is of the one or of the other."""
    x, y = a[0].copy(), a[1].copy()
    for _ in range(n):
        for k in range(4):
            x[4] -= 0.1 * x[k] * y[k]
            x, y = y, x
        x[4] /= 2.0
    return np.sum(x * y * y)


def chosen(a: Any) -> Any:
    """A branch in the loop writes the element, or one beside it."""
    a = a.copy()
    for i in range(1, 5):
        for k in range(i):
            if a[k, k] > 6.8:
                a[i, i] -= 0.1 * a[i, k] * a[k, i]
            else:
                a[i, k] -= 0.1 * a[i, i] * a[k, i]
        a[i, i] *= a[0, 0]
    return np.sum(a * a)


CASES = [
    (factored, (A,)),
    (looked_through, (A,)),
    (met, (A,)),
    (behind, (A,)),
    (swapped, (A, 3)),
    (chosen, (A,)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
@pytest.mark.parametrize("disable", [(), ("licm",)], ids=["on", "off"])
def test_the_numbers_are_those_of_differences(f: Any, args: Any, disable: Any) -> None:
    d, step = RNG.standard_normal(A.shape), 1e-6
    slope = (f(A + step * d, *args[1:]) - f(A - step * d, *args[1:])) / (2.0 * step)
    gradient = grad(f, disable=disable)
    assert np.sum(gradient(A.copy(), *args[1:]) * d) == pytest.approx(slope, rel=1e-6)


def innermost(f: Any, *args: Any, disable: Any = ()) -> str:
    gradient = grad(f, disable=["vectorize-loops", *disable])
    gradient(*args)
    return str(gradient.source).partition("# Reverse sweep.")[2].rpartition("for k in")[2]


def test_what_was_stored_before_is_read_no_more() -> None:
    assert "= -a_bar[i, j]" in innermost(factored, A, disable=["licm"])
    assert "a_bar[i, j]" not in innermost(factored, A)
    assert "a_bar[i, i]" not in innermost(looked_through, A)


@pytest.mark.parametrize("f", [met, behind], ids=lambda f: f.__name__)
def test_what_the_loop_may_write_is_read_in_it(f: Any) -> None:
    assert re.search(r"\w+_bar = a_bar\[i, i\]\n", innermost(f, A))


def test_a_loop_that_does_not_run_reads_nothing() -> None:
    def f(a: Any, n: int) -> Any:
        a = a.copy()
        for k in range(n):
            a[7] -= a[k] * a[k]
        return np.sum(a)

    assert np.array_equal(grad(f, wrt="a")(np.ones(3), 0), np.ones(3))
    assert grad(f, wrt="a")(np.ones(8), 2)[:3] == pytest.approx([-1.0, -1.0, 1.0])

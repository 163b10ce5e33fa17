"""Reverse loops whose iterations are independent are statements on slices, and no others are."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad

RNG = np.random.default_rng(12)
N = 12
A = RNG.uniform(0.5, 1.5, (N, N)) + N * np.eye(N)
X = RNG.uniform(0.5, 1.5, N)


def factors(a: Any, x: Any) -> Any:
    """Rows, columns, and an element that stays while they are added to."""
    a = a.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(a * a) + np.sum(x)


def backwards(a: Any, x: Any) -> Any:
    """Indices that run against each other."""
    y = np.zeros_like(x)
    for i in range(1, len(x)):
        total = a[i, 0]
        for j in range(i):
            total += x[i - j - 1] * a[i, j] * x[j]
        y[i] = np.sin(total)
    return np.sum(y * x)


def moved(a: Any, x: Any) -> Any:
    """Neighbours: an entry gets what those on both sides give."""
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] * x[i + 1] - 2.0 * x[i] * a[i, 0]
    for i in range(len(x) - 2, 0, -1):
        y[i] = y[i] * x[i]
    return np.sum(y * y)


def diagonal(a: Any, x: Any) -> Any:
    """Two indices that both go on."""
    total = 0.0
    for i in range(len(x)):
        total += a[i, i] * x[i] * x[i]
    return total


def recurrence(a: Any, x: Any) -> Any:
    y = np.zeros_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] + x[i] * a[0, i]
    return np.sum(y * y)


def overlapping(a: Any, x: Any) -> Any:
    """What an iteration writes, the next one reads."""
    y = x.copy()
    for i in range(1, len(x) - 1):
        y[i] = (y[i - 1] + y[i] + y[i + 1]) * 0.3 * a[i, 0]
    return np.sum(y * y)


def every_other(a: Any, x: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(len(x) // 2):
        y[2 * i] = x[i] * x[2 * i] * a[0, i]
    return np.sum(y * y)


def chosen(a: Any, x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 1.0:
            total += x[i] * x[i] * a[i, 0]
    return total


def picked(a: Any, x: Any) -> Any:
    """Places that are looked up."""
    where = np.argsort(a[0])
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[where[i]] = x[i] * x[i]
    return np.sum(y * a[:, 1])


def counted(a: Any, x: Any) -> Any:
    """The index is a number, too."""
    total = 0.0
    for i in range(len(x)):
        total += i * x[i] * x[i] + a[i, 1]
    return total


def turning(a: Any, x: Any) -> Any:
    z = np.zeros(len(x), dtype=np.complex128)
    for i in range(len(x)):
        total = 0.0j
        for j in range(i + 1):
            total += (x[j] + 0.5j) * a[i, j] * (x[i] - 1.0j)
        z[i] = total
    return np.sum(np.abs(z) ** 2)


def of_functions(a: Any, x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += np.sin(x[j]) * np.exp(-a[i, j] / 9.0)
    return total * total


SLICED = factors, backwards, moved, turning
LOOPS = diagonal, recurrence, overlapping, every_other, chosen, picked, counted, of_functions
EACH = pytest.mark.parametrize("f", (*SLICED, *LOOPS), ids=lambda f: f.__name__)


@EACH
@pytest.mark.parametrize(
    "disable", [(), ("vectorize-loops",), ("licm",)], ids=["on", "off", "in loops"]
)
def test_the_numbers_are_those_of_differences(f: Callable[..., Any], disable: Any) -> None:
    da, dx = RNG.standard_normal(A.shape), RNG.standard_normal(X.shape)
    ahead, behind = (f(A + s * da, X + s * dx) for s in (1e-6, -1e-6))
    a_bar, x_bar = grad(f, wrt=("a", "x"), disable=disable)(A.copy(), X.copy())
    found = np.sum(a_bar * da) + np.sum(x_bar * dx)
    assert found == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)


@EACH
def test_the_numbers_are_those_of_the_loops(f: Callable[..., Any]) -> None:
    """Also where loops do not run, and next to that."""
    for n in range(5):
        args = A[:n, :n], X[:n]
        on, off = (adjoint(f, ("a", "x"), disable=d) for d in ((), ("vectorize-loops",)))
        try:
            expected: Any = off(*(v.copy() for v in args), 1.0)
        except IndexError:
            with pytest.raises(IndexError):
                on(*(v.copy() for v in args), 1.0)
            continue
        for p, q in zip(on(*(v.copy() for v in args), 1.0), expected, strict=True):
            np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-14)


def reverse_of(f: Callable[..., Any], **how: Any) -> str:
    gradient = grad(f, wrt=("a", "x"), **how)
    gradient(A.copy(), X.copy())
    source: str = gradient.source
    return source.partition("# Reverse sweep.")[2]


def test_innermost_loops_are_slices() -> None:
    for f in SLICED:
        on, off = (reverse_of(f, disable=d) for d in ((), ("vectorize-loops",)))
        assert on.count("for ") < off.count("for "), on
    text = reverse_of(factors)
    assert re.search(r"a_bar\[:i, j\] \+= \w+ \* a\[i, :i\]\n", text)
    assert re.search(r"a_bar\[i, :j\] \+= \w+ \* a\[:j, j\]\n", text)
    text = reverse_of(backwards)
    assert "[:i][::-1]" in text
    text = reverse_of(moved)
    assert "x_bar[:-2] +=" in text or "x_bar[: len(x) - 2] +=" in text


@pytest.mark.parametrize("f", LOOPS[:-1], ids=lambda f: f.__name__)
def test_other_loops_stay(f: Callable[..., Any]) -> None:
    on, off = (reverse_of(f, disable=d) for d in ((), ("vectorize-loops",)))
    assert on == off


def summed(a: Any, x: Any, n: int) -> Any:
    total = 0.0
    for i in range(n):
        for j in range(1, 9):
            total += a[i, j] * x[j] * x[j - 1]
    return total


def test_indices_out_of_bounds_still_raise() -> None:
    """A slice would be short, or of nothing, where an index raises."""
    for d in ((), ("vectorize-loops",)):
        gradient = grad(summed, wrt=("a", "x"), disable=d)
        gradient(A.copy(), X.copy(), 3)
        for a, x in ((A[:, :5], X), (A, X[:6]), (A[:2], X), (A[:, :1], X), (A[:, :0], X[:0])):
            with pytest.raises((IndexError, ValueError)):
                gradient(a.copy(), x.copy(), 3)
        none = gradient(A[:0].copy(), X[:0].copy(), 0)
        assert [v.shape for v in none] == [(0, N), (0,)]


def linear(a: Any, x: Any) -> Any:
    """Nothing of the primal is left in the gradient for `x`."""
    total = 0.0
    for j in range(len(a)):
        total += a[j, 0] * x[j]
    return total


def test_what_the_program_does_not_read_is_not_taken_for_read() -> None:
    gradient = grad(linear, wrt="x")
    assert gradient(A.copy(), X.copy()) == pytest.approx(A[:, 0])
    with pytest.raises(IndexError):
        gradient(A.copy(), X[:5].copy())


def test_negative_numbers_of_iterations_are_none() -> None:
    def powers(a: Any, x: Any, n: int) -> Any:
        total = 0.0
        for j in range(n):
            total += a[j, 0] * x[j] * x[j]
        return total

    for disable in ((), ("vectorize-loops",)):
        gradient = grad(powers, wrt=("a", "x"), disable=disable)
        for n in (-3, 0, 2, N):
            a_bar, x_bar = gradient(A.copy(), X.copy(), n)
            k = max(n, 0)
            assert a_bar[:k, 0] == pytest.approx(X[:k] ** 2) and not a_bar[k:].any()
            assert x_bar[:k] == pytest.approx(2.0 * X[:k] * A[:k, 0]) and not x_bar[k:].any()

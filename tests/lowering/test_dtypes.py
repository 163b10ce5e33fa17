"""Entries have the dtype of their array: a number that stands for one is no other number."""

from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from tests.lowering.loops import judged

X = np.linspace(0.4, 1.6, 6)


def filled_with_whole_numbers(x: Any) -> Any:
    return np.full(len(x), 2.7, dtype=int) * x * x


def filled_like_whole_numbers(x: Any) -> Any:
    k = np.full_like(np.arange(len(x)), 2.7)
    k[1:-1] = 3.9
    return k * x * x


def filled_with_what_is_computed(x: Any, scale: float) -> Any:
    return np.full(len(x), 3.3 * scale, dtype=int) * x


def filled_with_complex_numbers(x: Any) -> Any:
    w = np.full(len(x), 2.0, dtype=complex)
    w[1:-1] = x[1:-1]
    w = w * (1.0 + 2.0j)
    return np.real(w) * np.imag(w)


def no_truth(x: Any) -> Any:
    mask = np.zeros(len(x), dtype=bool)
    mask[1:3] = True
    return np.where(~mask, x * x, x)


def all_truth(x: Any) -> Any:
    mask = np.ones(len(x), dtype=bool)
    return np.where(~mask, x * x, np.exp(x))


def small_indices(x: Any) -> Any:
    at = np.zeros(len(x), dtype=np.int32)
    at[1:] = 2
    return x[at] * x


ARRAYS = [
    filled_with_whole_numbers,
    filled_like_whole_numbers,
    filled_with_complex_numbers,
    no_truth,
    all_truth,
    small_indices,
]


@pytest.mark.parametrize("f", ARRAYS, ids=lambda f: f.__name__)
def test_entries(f: Any) -> None:
    found = judged(f, X)
    assert found.sort == "right", found.detail


def test_a_number_that_is_rounded() -> None:
    found = judged(filled_with_what_is_computed, X, 0.9)
    assert found.sort == "right", found.detail


def either(x: Any) -> Any:
    """Of truth values, a sum is true once."""
    return np.sum(((x > 0.5) + (x < 1.2)) * x * x)


def wrapped(x: Any) -> Any:
    """A hundred and a hundred is not two hundred in eight bits."""
    k = np.full(len(x), 100, dtype=np.int8)
    return np.sum((k + k) * x)


def negated(x: Any) -> Any:
    k = np.arange(len(x)).astype(np.uint8)
    return np.sum((k - k[::-1]) * x * x)


def with_literals(x: Any) -> Any:
    k = np.arange(len(x)).astype(np.uint8)
    return np.sum((k - 3) * x + (1 - k) * x * x + (k + 14) ** 2 * x**3 + ((k + 100) << 1))


def signs(x: Any) -> Any:
    k = (np.arange(len(x)) * 40).astype(np.uint8)
    return np.sum(np.sign(k) * x * x) + np.sign(k[5]) * x[0] ** 3


def entry_by_entry(x: Any) -> Any:
    k, total = np.arange(len(x)).astype(np.uint8), 0.0
    for i in range(1, len(x)):
        total += (k[i - 1] - k[i]) * x[i]
    return total


@pytest.mark.slow
@pytest.mark.parametrize(
    "f", [either, wrapped, negated, with_literals, signs, entry_by_entry], ids=lambda f: f.__name__
)
def test_compilers_compute_with_as_many_bits(f: Any) -> None:
    plain, fast = (value_and_grad(f, compile=c)(X) for c in ("python", "numba"))
    assert plain[0] == pytest.approx(f(X), rel=1e-13)
    assert fast[0] == pytest.approx(f(X), rel=1e-13)
    np.testing.assert_allclose(fast[1], plain[1], rtol=1e-12)

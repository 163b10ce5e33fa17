"""Entries that a loop touches at one place are numbers while it runs, where that is certain."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent, value_and_grad
from tests.lowering.loops import agree, text_of, uncompiled

RNG = np.random.default_rng(23)
A = RNG.uniform(0.5, 1.5, (5, 5))
X = RNG.uniform(0.5, 1.5, 6)


@pytest.fixture(autouse=True)
def _uncompiled() -> Iterator[None]:
    with uncompiled():
        yield


def product(a: Any) -> Any:
    c = np.zeros_like(a)
    for i in range(len(a)):
        for j in range(len(a)):
            for k in range(len(a)):
                c[i, j] += a[i, k] * a[k, j]
    return np.sum(c * c)


def triangular(a: Any) -> Any:
    for i in range(len(a)):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
    return np.sum(a)


def itself(x: Any) -> Any:
    for k in range(len(x)):
        x[2] += x[k] * x[1]
    return np.sum(x)


def before_and_after(x: Any) -> Any:
    for k in range(len(x) - 1):
        t = x[5]
        x[5] = 0.5 * t + x[k] * x[5]
        x[5] *= t
    return x[5] * x[0]


def from_the_end(x: Any) -> Any:
    for k in range(len(x)):
        x[-1] += x[k] * 0.5
    return x[-1] * x[5]


def no_time(x: Any, n: int) -> Any:
    y = np.ones(3)
    for k in range(n):
        y[7] += x[k]
    return np.sum(y) * x[0]


def never(x: Any) -> Any:
    y = np.ones(3)
    for k in range(5, 5):
        y[7] += x[k] * x[7]
    return np.sum(y) * x[0]


def integers(x: Any) -> Any:
    counts = np.zeros(3, dtype=np.int64)
    for k in range(len(x)):
        counts[1] += 1.9 * k
        x[k] *= counts[1]
    return np.sum(x)


def two_rows(a: Any) -> Any:
    for j in range(len(a)):
        for k in range(len(a)):
            a[j, k] += a[0, k] * a[j, 0]
            a[0, k] += 0.1 * a[j, j]
    return np.sum(a * a)


CASES = [
    (product, (A,)), (triangular, (A,)), (itself, (X,)), (before_and_after, (X,)),
    (from_the_end, (X,)), (no_time, (X, 0)), (never, (X,)), (integers, (X,)), (two_rows, (A,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("disable", [(), ("scalar-replacement",)], ids=["on", "off"])
def test_the_numbers_are_those_of_differences(
    f: Any, args: tuple[Any, ...], disable: tuple[str, ...]
) -> None:
    x, rest = args[0], args[1:]
    d = RNG.standard_normal(x.shape)

    def at(h: float) -> Any:
        return f(x + h * d, *rest)

    slope = (at(1e-6) - at(-1e-6)) / 2e-6
    how: dict[str, Any] = {"compile": "numba", "disable": disable}
    found = grad(f, wrt=(0,), **how)(x.copy(), *rest)
    assert np.sum(found * d) == pytest.approx(slope, rel=1e-6, abs=1e-9)
    assert tangent(f, (0,), **how)(x.copy(), *rest, d)[1] == pytest.approx(
        slope, rel=1e-6, abs=1e-9
    )


def test_a_sum_into_one_entry_is_a_number() -> None:
    made = value_and_grad(product, compile="numba")
    agree(made(A.copy()), value_and_grad(product)(A.copy()))
    text = text_of(made)
    assert "c_1 += a[i, k] * a[k, j]" in text and "c[i, j] = c_1" in text


def test_entries_of_other_iterations_are_read_where_they_are() -> None:
    made = value_and_grad(triangular, compile="numba")
    agree(made(A.copy()), value_and_grad(triangular)(A.copy()))
    assert "a_1 -= a[i, k] * a[k, j]" in text_of(made)
    other = value_and_grad(itself, compile="numba")
    agree(other(X.copy()), value_and_grad(itself)(X.copy()))
    assert "x[2] +=" in text_of(other)


def test_a_loop_that_may_not_run_reads_nothing() -> None:
    made = value_and_grad(no_time, wrt=(0,), compile="numba")
    agree(made(X.copy(), 0), value_and_grad(no_time, wrt=(0,))(copy.deepcopy(X), 0))

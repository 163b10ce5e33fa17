"""Entries of lists that mix integers and floats: nothing tells which of them are integers."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, jvp, value_and_grad
from adjointgen.errors import AdjointgenError


def appended(x, n):
    ks = []
    for k in range(n):
        ks.append(k)
    ks.append(0.5)
    return sum(x * isinstance(k, int) for k in ks)


def on_one_path(x, n):
    ks = []
    for k in range(n):
        if k % 2:
            ks.append(k)
        else:
            ks.append(x)
    total = 0.0
    for k in ks:
        total += x * x if isinstance(k, int) else k
    return total


def begun(x, n):
    ks = [1, x]
    for k in range(n):
        ks.append(x * k)
    return sum(x * x if type(k) is int else k for k in ks)


def written(x, n):
    ks = [x] * n
    ks[0] = 1
    return sum(x * x if isinstance(k, int) else k for k in ks)


def truth_values(x, n):
    ks = []
    for k in range(n):
        if k == 2:
            ks.append(True)
        else:
            ks.append(x)
    return sum(x if isinstance(k, bool) else k for k in ks)


@pytest.mark.parametrize("f", [appended, on_one_path, begun, written, truth_values])
def test_the_class_of_an_entry_is_not_guessed(f: Any) -> None:
    for n in (3, 50):
        try:
            value, bar = value_and_grad(f, wrt="x")(0.7, n)
        except AdjointgenError as error:
            assert error.code == "AG106"
            continue
        assert value == pytest.approx(f(0.7, n))
        assert bar == pytest.approx((f(0.7 + 1e-6, n) - f(0.7 - 1e-6, n)) / 2e-6, rel=1e-6)


def test_numbers_of_one_kind_are_told() -> None:
    def f(x: float, n: int) -> float:
        ks = []
        for k in range(n):
            ks.append(x * k)
        return sum(k * k for k in ks if isinstance(k, float))

    assert grad(f, "x")(0.5, 4) == pytest.approx(14.0)


def test_a_class_of_all_numbers_is_told() -> None:
    def f(x: float, n: int) -> float:
        ks = [1, x]
        for k in range(n):
            ks.append(x * k)
        return sum(k * k for k in ks if isinstance(k, int | float))

    assert grad(f, "x")(0.5, 4) == pytest.approx(15.0)


def test_arrays_that_do_not_depend_beside_one_that_does() -> None:
    def f(x, n):
        rows = [x * np.ones(2), np.arange(2.0)]
        for _ in range(n):
            rows.append(1.0 * rows[0])
        return sum([row @ row for row in rows])

    for n in (0, 2):
        value, slope = jvp(f, (0.5, n), (1.0, None))
        assert value == pytest.approx(f(0.5, n))
        assert slope == pytest.approx(2.0 * (1 + n))
        assert grad(f)(0.5, n) == pytest.approx(2.0 * (1 + n))

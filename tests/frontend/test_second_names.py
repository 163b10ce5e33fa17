"""An array that gets a second name on some iterations, and is written on later ones."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.errors import AdjointgenError

X = np.array([0.5, 0.7])


def in_a_loop(x: Any, n: int) -> Any:
    a, v = x * 1.0, x * 2.0
    for j in range(n):
        a[j] = a[j] + v[0]
        if j < 1:
            v = a
    return v[1]


def in_an_inner_loop(x: Any, n: int) -> Any:
    a, v = x * 1.0, x * 2.0
    for _ in range(n):
        for j in range(n):
            a[j] = a[j] + v[0]
            if j < 1:
                v = a
    return v[1]


def a_view(x: Any, n: int) -> Any:
    a, v = x * 1.0, x * 2.0
    for _ in range(n):
        for j in range(n):
            a[j] = a[j] + v[0]
            if j < 1:
                v = a[1:]
    return v[0]


def by_value(x: Any, n: int) -> Any:
    a, v = x * 1.0, x * 2.0
    while n > 0:
        n -= 1
        a[n] = a[n] + v[0]
        if a[0] > 0.1:
            v = a
    return v[1]


def before_the_inner_loop(x: Any, n: int) -> Any:
    a, v = x * 1.0, x * 2.0
    for _ in range(n):
        a[1] = a[1] + v[0]
        for j in range(n):
            if j < 1:
                v = a
    return v[1]


@pytest.mark.parametrize(
    "f", [in_a_loop, in_an_inner_loop, a_view, by_value, before_the_inner_loop]
)
def test_it_is_one_array_or_refused(f: Callable[..., Any]) -> None:
    try:
        value, found = value_and_grad(f)(X, 2)
    except AdjointgenError as error:
        assert error.code in ("AG110", "AG112"), error
        return
    assert value == f(X.copy(), 2)
    for k in range(2):
        step = 1e-3 * np.eye(2)[k]
        # The programs are linear.
        slope = (f(X + step, 2) - f(X - step, 2)) / 2e-3
        np.testing.assert_allclose(found[k], slope, rtol=1e-10, atol=1e-10)


def suppressed(x: float, v: float) -> float:
    a = x
    with contextlib.suppress(ValueError):
        x: float = 1.0  # type: ignore[no-redef]
    return a * v


def tried(x: float, v: float) -> float:
    b = x + 1.0
    try:  # noqa: SIM105
        x = 3.0
    except ValueError:
        pass
    return b * v


@pytest.mark.parametrize("f", [suppressed, tried])
def test_copied_code_binds_no_name_that_another_value_has(f: Callable[..., float]) -> None:
    value, slope = value_and_grad(f, wrt="v")(0.5, 1.3)
    assert value == f(0.5, 1.3)
    assert slope == f(0.5, 1.0)

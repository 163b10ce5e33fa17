"""Arrays that a loop writes in place and returns: the loop stays a loop, and aliases are Python's.

The oracle is Python, and differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, tangent
from adjointgen.api.calls.modes import primal
from adjointgen.errors import AdjointgenError


def once(u: float, n: int) -> Any:
    act = np.ones(3)
    for _ in range(n):
        act[0] += u
        if act[0] > 4.0:
            return act
    return act


def before_a_write(u: float, n: int) -> Any:
    act = np.ones(3) * u
    k = 0
    while k < n:
        if act[1] > 6.0:
            return act
        act[1] *= 1.5
        k += 1
    act[2] = -1.0
    return act


def with_another(u: float, n: int) -> Any:
    act = np.zeros(3)
    x = np.ones(3)
    for k in range(n):
        x = act + u * k
        act[k % 3] += u
        if x[0] > 5.0:
            return x, act
        act[1] += x[2]
    act[0] = x[1]
    return x, act


def one_of_two(u: float, n: int) -> Any:
    a, b = np.zeros(2), np.ones(2)
    for _ in range(n):
        a[0] += u
        if a[0] > 4.0:
            return a
        b[1] += a[0]
        if b[1] > 3.0 * u:
            return b
    a[1] = b[1]
    return a


def swapped(u: float, n: int) -> Any:
    a, b = np.zeros(2), np.ones(2)
    for k in range(n):
        a[0] = b[0] * u + k
        if a[0] > 20.0:
            return a
        a, b = b, a
    return b


def in_an_inner_loop(u: float, n: int) -> Any:
    a = np.zeros(3)
    for i in range(n):
        for j in range(3):
            a[j] += u * (i + 1)
            if a[j] > 7.0:
                return a
        a[0] *= 0.5
    a[2] += 1.0
    return a


def handed(a: Any, n: int) -> Any:
    for _ in range(n):
        a[0] += 1.0
        if a[0] > 3.0:
            return a
    return a


def read_of_what_was_given(u: float, n: int) -> Any:
    a = np.array([u, u])
    b = handed(a, n)
    return a[0] * b[1] + b[0] * a[1]


def written_in_what_was_returned(u: float, n: int) -> Any:
    a = np.array([u, u])
    b = handed(a, n)
    b[1] = 7.0 * u
    return a[1] * a[0]


def with_an_else(u: float, n: int) -> Any:
    a = np.array([u, 1.0])
    for _ in range(n):
        a[1] *= u
        if a[1] > 9.0:
            return a
    else:
        a[0] = 3.0
    return a * u


def a_row(u: float, n: int) -> Any:
    grid = np.zeros((4, 2))
    for k in range(1, n):
        grid[k % 4, 0] = grid[(k - 1) % 4, 0] + u
        row = grid[k % 4]
        if row[0] > 4.0:
            return row
        row[1] += u
    return grid[0]


CASES = [
    once,
    before_a_write,
    with_another,
    in_an_inner_loop,
    read_of_what_was_given,
    written_in_what_was_returned,
    with_an_else,
    a_row,
]


def numbers(value: Any) -> Any:
    return np.concatenate([np.ravel(v) for v in (value if isinstance(value, tuple) else (value,))])


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("n", [0, 2, 40])
def test_values_and_derivatives(f: Callable[..., Any], n: int) -> None:
    u, h = 1.3, 1e-6
    assert np.array_equal(numbers(primal(f, "u")(u, n)), numbers(f(u, n)))
    slope = (numbers(f(u + h, n)) - numbers(f(u - h, n))) / (2 * h)
    assert numbers(tangent(f, "u")(u, n, 1.0)[1]) == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("f", [once, before_a_write, in_an_inner_loop, with_an_else])
@pytest.mark.parametrize("n", [1, 3, 40])
def test_gradients(f: Callable[..., Any], n: int) -> None:
    u, h = 1.3, 1e-6
    total = TOTALS[f.__name__]
    slope = (total(u + h, n) - total(u - h, n)) / (2 * h)
    assert grad(total, "u")(u, n) == pytest.approx(slope, rel=1e-6, abs=1e-6)


def total_once(u: float, n: int) -> Any:
    return np.sum(once(u, n) ** 2)


def total_before_a_write(u: float, n: int) -> Any:
    return np.sum(before_a_write(u, n) ** 2)


def total_in_an_inner_loop(u: float, n: int) -> Any:
    return np.sum(in_an_inner_loop(u, n) ** 2)


def total_with_an_else(u: float, n: int) -> Any:
    return np.sum(with_an_else(u, n) ** 2)


TOTALS = {
    "once": total_once,
    "before_a_write": total_before_a_write,
    "in_an_inner_loop": total_in_an_inner_loop,
    "with_an_else": total_with_an_else,
}


@pytest.mark.parametrize("f", [once, before_a_write, with_another, in_an_inner_loop, with_an_else])
def test_the_loop_stays_a_loop(f: Callable[..., Any]) -> None:
    program = primal(f, "u")
    program(1.3, 40)
    lines = program.source.splitlines()
    assert len(lines) < 45
    assert any(line.lstrip().startswith(("for ", "while ")) for line in lines)


@pytest.mark.parametrize("f", [one_of_two, swapped])
def test_one_array_or_another_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(AdjointgenError) as refusal:
        primal(f, "u")(1.3, 40)
    assert refusal.value.code == "AG110"

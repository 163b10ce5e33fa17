"""What is reached through decisions alone is told, and what is written as a choice is not."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import DecidedWarning, custom, grad, tangent


def bisection(x):
    a, b = 0.0, 10.0
    while b - a > 1e-10:
        c = 0.5 * (a + b)
        if c * c > x:
            b = c
        else:
            a = c
    return 0.5 * (a + b)


def counted_bisection(x):
    a, b = 0.0, 10.0
    for _ in range(50):
        c = 0.5 * (a + b)
        if c * c > x:
            b = c
        else:
            a = c
    return x * c


def in_a_helper(x):
    return x + 3.0 * bisection(2.0 * x)


def golden_section(x):
    g, a, b = (math.sqrt(5.0) - 1.0) / 2.0, 0.0, 4.0
    for _ in range(60):
        c, d = b - g * (b - a), a + g * (b - a)
        if (c - x) ** 2 < (d - x) ** 2:
            b = d
        else:
            a = c
    return 0.5 * (a + b)


def steps(x):
    n = 0.0
    while x > 1.0:
        x, n = 0.5 * x, n + 1.0
    return n


DECIDED = [
    (bisection, "a, b"),
    (counted_bisection, "c"),
    (in_a_helper, "a, b"),
    (golden_section, "a, b"),
    (steps, "n"),
]


@pytest.mark.parametrize("of", [grad, tangent])
@pytest.mark.parametrize(("f", "names"), DECIDED)
def test_what_is_told(f: Callable[[Any], Any], names: str, of: Callable[..., Any]) -> None:
    made = of(f)
    with pytest.warns(DecidedWarning, match=f"AG303.*: {names}: decided") as told:
        made(2.0) if of is grad else made(2.0, 1.0)
    assert len(told) == 1
    assert f"Decided by tests alone, with derivative zero: {names}." in made.source


def moduli(x):
    total = 0.0
    for i in range(3):
        total += abs(x[i]) if x[i] > 0.0 else x[i] ** 2
    return total


def newton(x):
    y = 1.0
    while abs(y * y - x[0]) > 1e-12:
        y = 0.5 * (y + x[0] / y)
    return y


def greatest(x):
    best = x[0]
    for v in x:
        if v > best:
            best = v
    return best


def signs(x):
    total = 0.0
    for v in x:
        sign = 1.0 if v > 0.0 else -1.0
        total += sign * v
    return total


def damped(x):
    h, y = 1.0, x[0]
    for _ in range(5):
        if abs(y) > 1.0:
            h *= 0.5
        y -= h * y
    return y


def table(x):
    low, high, places = 0, 4, np.arange(5.0)
    while high - low > 1:
        middle = (low + high) // 2
        if places[middle] <= x[0]:
            low = middle
        else:
            high = middle
    return places[low] + 2.0 * (x[0] - places[low])


def step(x):
    return 1.0 if x[0] > 0.0 else -1.0


def by_length(x):
    weight, total = 1.0, 0.0
    for v in x:
        weight *= 0.5
        total += weight * v
    return total * weight


@custom(residual=lambda y, x: y * y - x)
def stated(x):
    return bisection(x)


def stated_root(x):
    return stated(x[0]) * x[1]


@pytest.mark.parametrize(
    "f", [moduli, newton, greatest, signs, damped, table, step, by_length, stated_root]
)
def test_what_is_not_told(f: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DecidedWarning)
        grad(f)(np.array([1.5, -2.0, 0.5]))

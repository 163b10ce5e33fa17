"""What is reached through decisions alone is told, and what is written as a choice is not."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import DecidedWarning, check, custom, grad, tangent


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


def bracket_of_the_argument(x):
    low, high = 0.0, x + 1.0
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def chosen_by_expressions(x):
    low, high = 0.0 * x, x + 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = middle**3 > 2.0 * x
        low, high = (low, middle) if above else (middle, high)
    return low + x


def bracket_in_a_helper(x):
    return 3.0 * bracket_of_the_argument(2.0 * x)


STARTED = [
    (bracket_of_the_argument, "high, low"),
    (chosen_by_expressions, "low"),
    (bracket_in_a_helper, "high, low"),
]


@pytest.mark.parametrize("of", [grad, tangent])
@pytest.mark.parametrize(("f", "names"), STARTED)
def test_brackets_that_start_from_an_argument(
    f: Callable[[Any], Any], names: str, of: Callable[..., Any]
) -> None:
    made = of(f)
    with pytest.warns(DecidedWarning, match=f"AG303.*: {names}: moved") as told:
        made(2.0) if of is grad else made(2.0, 1.0)
    assert len(told) == 1
    assert f"Moved by tests alone, with the derivative of where the loop starts: {names}" in (
        " ".join(made.source.split())
    )


@pytest.mark.parametrize(("f", "names"), [*DECIDED, *STARTED])
@pytest.mark.filterwarnings("ignore::adjointgen.DecidedWarning")
def test_check_has_a_line(f: Callable[[Any], Any], names: str) -> None:
    report = check(f, [2.0])
    assert [note.rpartition(": ")[2] for note in report.notes] == [f"{names}."]
    assert report.notes[0] in str(report).splitlines()
    assert report.as_json()["notes"] == list(report.notes)


def secant(x):
    a, b = 1.0, x
    for _ in range(20):
        fa, fb = a * a - x, b * b - x
        if abs(fb - fa) > 1e-14:
            a, b = b, b - fb * (b - a) / (fb - fa)
    return b


def false_position(x):
    low, high = 0.0, x + 1.0
    for _ in range(200):
        below, above = low * low - x, high * high - x
        middle = low - below * (high - low) / (above - below)
        if middle * middle > x:
            high = middle
        else:
            low = middle
    return low


def doubled(x):
    y, limit = x, 10.0 * x
    for k in range(5):
        if k > 2.0 * limit:
            y = 2.0 * y
    return y


def extremes(x):
    low, high = x, x
    for k in range(5):
        v = x * math.sin(k)
        low, high = (v, high) if v < low else (low, v if v > high else high)
    return high - low


@pytest.mark.parametrize("f", [secant, false_position, doubled, extremes])
def test_what_has_a_part_in_the_numbers_is_not_told(f: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DecidedWarning)
        assert check(f, [2.0]).ok


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

"""`with` and its managers, and attempts that are half done when they fail."""

from __future__ import annotations

import contextlib
import math
import warnings
from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])


class Failed(Exception):
    pass


@at(V)
def states_and_warnings(x: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = x / (1.0 + x * x)
        z = np.where(x > 0, y, 0.0)
    return np.sum(z * y)


class Timer:
    """Any passive manager."""

    running = 0

    def __enter__(self) -> Timer:
        Timer.running += 1
        return self

    def __exit__(self, *error: object) -> None:
        Timer.running -= 1


@at(V)
def managers(x: Any) -> Any:
    total = 0.0
    for v in x:
        with Timer() as timer, contextlib.nullcontext(v * v) as square:
            assert timer.running == 1
            if v < 0:
                return total * v
            total += square * v
    return total


@at(V)
def suppressed(x: Any) -> Any:
    total = 1.0
    for k in range(5):
        with contextlib.suppress(IndexError, ValueError):
            total *= x[k] * math.sqrt(x[k] + 0.3)
            total += x[k]
    return total


@at(2.0)
@at(-2.0)
def raised_by_numpy(x: float) -> float:
    try:
        with np.errstate(invalid="raise"):
            y = np.sqrt(x) * x
    except FloatingPointError:
        y = x**3
    return y


ERRORS = (ValueError, ZeroDivisionError)


@at(-2.0)
@at(2.0)
def several_at_once(x: float) -> float:
    a = b = x
    try:
        a, b = x * x, math.sqrt(x) / (x + 1.0)
    except ERRORS:
        b = b * x
    return a * b


def tripled(a: Any, k: int) -> None:
    a[0] = a[0] * 2
    if k > 1:
        raise Failed(k)
    a[1] = a[1] * 3


@at(V, 2)
@at(V, 0)
def half_done(x: Any, k: int) -> Any:
    y = x * x
    try:
        tripled(y, k)
    except Failed:
        y[2] = y[2] * 5
    return np.sum(y * y)


@at(0.3)
def again_and_again(x: float) -> float:
    k = 0
    while True:
        try:
            return math.sqrt(x - 1.0 + k) * x
        except ValueError:
            k += 1


@at(V)
def loops_within(x: Any) -> Any:
    total = 1.0
    for i in range(3):
        try:
            for j in range(4):
                total += x[i] * x[j]
                if total > 2.0:
                    raise StopIteration
        except IndexError:
            total *= x[i]
        except StopIteration:
            total = total * 0.5
            continue
        total += 1.0
    return total

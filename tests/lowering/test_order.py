"""Loops that are not one, or have an order: what each iteration does is seen by a later one."""

import math
from typing import Any

import numpy as np
import pytest

from tests.lowering.loops import judged

X = np.linspace(0.4, 1.6, 6)


def wraps_round(x: Any) -> Any:
    """Two indices name one entry, which the first loop writes twice."""
    a, total = np.zeros(len(x)), 0.0
    for i in range(-1, len(x)):
        a[i] = x[i] * (i + 2.0)
    for i in range(-1, len(x)):
        total += a[i] * a[i]
    return total


def wraps_in_place(x: Any) -> Any:
    """The reverse sweep takes the second time first."""
    a = np.ones(len(x))
    for i in range(-2, len(x)):
        a[i] = a[i] * a[i] * x[i]
    return a


def wraps_below(x: Any) -> Any:
    """A loop that counts down below zero."""
    a, total = np.ones(len(x)), 0.0
    for i in range(len(x) - 1, -3, -1):
        a[i] = math.sin(a[i] * x[i]) + i
    for i in range(len(x) - 1, -3, -1):
        total += a[i] * x[i]
    return total


def exchanged(x: Any) -> Any:
    """What the second loop reads is one array, what the first writes two in turn."""
    a, b, total = x * 1.0, x * 2.0, 0.0
    for i in range(len(x)):
        a[i] = x[i] * x[i]
        a, b = b, a
    for i in range(len(x)):
        total += a[i] * a[i] * (i + 1) + b[i]
    return total


def exchanged_after(x: Any) -> Any:
    """The second loop changes what the first has made, and another array in turn."""
    a, b = x * 1.0, x * 2.0
    for i in range(len(x)):
        a[i] = x[i] * x[i]
    for i in range(len(x)):
        a[i] = a[i] * 3.0
        a, b = b, a
    return a * a + b


def made_anew(x: Any) -> Any:
    """Every iteration has an array of its own, of which the last one is left."""
    a, total = np.zeros(len(x)), 0.0
    for i in range(len(x)):
        a = np.zeros(len(x))
        a[i] = x[i] * x[i]
    for i in range(len(x)):
        total += a[i] * (i + 1)
    return total


def left_by_the_last(x: Any) -> Any:
    """The reverse sweep hands to its first iteration what is returned."""
    u = np.zeros(len(x))
    for i in range(len(x)):
        u = np.zeros(len(x))
        u[i] = x[i] * x[i]
    return u


def taken_over(x: Any) -> Any:
    """An iteration goes on with another array."""
    a, b, total = np.zeros(len(x)), np.ones(len(x)), 0.0
    for i in range(len(x)):
        a[i] = x[i] * x[i]
        if i == 2:
            a = b.copy()
    for i in range(len(x)):
        total += a[i] * x[i]
    return total


def counted_by_a_path(x: Any) -> Any:
    """How often the inner loop runs is known where it begins only."""
    s = 1.0
    for i in range(4):
        m = 3 if i > 1 else 5
        for j in range(m):
            s = s * math.sin(x[j] + s)
    return s


def counted_by_a_sum(x: Any) -> Any:
    """The inner loop runs longer every time."""
    m, s = 1, 1.0
    for _ in range(4):
        for j in range(m):
            s = s * math.sin(x[j] + s)
        m = m + 1
    return s


def counted_by_a_search(x: Any) -> Any:
    """A loop finds how often the inner loop runs."""
    s = 1.0
    for i in range(4):
        k = 0
        while k * k < i:
            k += 1
        for j in range(k):
            s = s * math.sin(x[j] + s)
    return s


ORDERED = [
    wraps_round,
    wraps_in_place,
    wraps_below,
    exchanged,
    exchanged_after,
    made_anew,
    left_by_the_last,
    taken_over,
    counted_by_a_path,
    counted_by_a_sum,
    counted_by_a_search,
]


@pytest.mark.parametrize("f", ORDERED, ids=lambda f: f.__name__)
def test_what_an_iteration_leaves(f: Any) -> None:
    found = judged(f, X)
    assert found.sort == "right", found.detail

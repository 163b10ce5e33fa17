"""A loop inside of one that is written out, over what has another structure each time."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

from adjointgen import jvp, value_and_grad


def swapped(x: Any) -> Any:
    values = [x[0], x[1]]
    for v in x[2:]:
        values.append(v)
        for _ in range(1):
            values[0], values[-1] = values[-1], values[0]
    return values[0] * values[1]


def rotate(values: Any) -> None:
    for _ in range(1):
        values.insert(0, values.pop())


def rotated(x: Any) -> Any:
    values = [x[0], x[1]]
    for v in x[2:]:
        values.append(v)
        rotate(values)
    return values[0] * values[-1]


def rotated_while(x: Any) -> Any:
    values = [x[0], x[1]]
    for v in x[2:]:
        values.append(v)
        k = 0
        while k < 2:
            values.append(values.pop(0))
            k += 1
    return values[0] * values[-1]


def in_a_queue(x: Any) -> Any:
    d = collections.deque([x[0], x[1]])
    for v in x[2:]:
        d.append(v)
        d.rotate(1)
    return d[0] * d[-1]


def shortened(x: Any) -> Any:
    values = [x[0], x[1], x[2], x[3]]
    for _ in range(2):
        values.pop()
        for _ in range(1):
            values[0], values[-1] = values[-1], values[0]
    return values[0] * values[1] ** 2


def in_a_dict(x: Any) -> Any:
    d = {"a": x[0]}
    for i in range(2):
        d[i] = x[i + 1]
        for _ in range(2):
            d["a"] = d["a"] * d[i]
    return d["a"] * d[0]


class Thing:
    pass


def in_an_object(x: Any) -> Any:
    o: Any = Thing()
    o.a = x[0]
    for n in range(2):
        if n == 1:
            o.b = x[1]
        for _ in range(2):
            o.a = o.a * x[2]
    return o.a * o.b


def arrays(x: Any) -> Any:
    a = [x * 1.0]
    for i in range(3):
        a.append(a[-1] * x[i])
        for _ in range(1):
            a.append(a.pop(0))
    return (a[0] * a[-1]).sum()


FUNCTIONS = [
    *(swapped, rotated, rotated_while, in_a_queue, shortened, in_a_dict, in_an_object, arrays),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_has_grown_is_what_the_inner_loop_changes(function: Any) -> None:
    x = np.array([0.7, -1.3, 2.1, 0.4])
    slopes = [(function(x + h) - function(x - h)) / 2e-6 for h in 1e-6 * np.eye(4)]
    value, gradient = value_and_grad(function)(x)
    assert value == pytest.approx(function(x), rel=1e-14)
    np.testing.assert_allclose(gradient, slopes, atol=1e-7)
    value, tangent = jvp(function, (x,), (np.arange(4.0),))
    assert value == pytest.approx(function(x), rel=1e-14)
    assert tangent == pytest.approx(np.dot(slopes, np.arange(4.0)), abs=1e-7)

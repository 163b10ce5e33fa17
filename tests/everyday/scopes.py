"""Names of the module and of functions around, and what statements do to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])
FACTOR = 1.5
CALLS = 0
SCALE = 2.0


@at(2.0)
def global_read(x: float) -> float:
    global FACTOR
    return x * x * FACTOR


@at(2.0)
def global_counter(x: float) -> float:
    global CALLS
    CALLS += 1
    return x * x


def bump() -> None:
    global SCALE
    SCALE = SCALE + 1.0


@at(2.0)
def global_changes(x: float) -> float:
    global SCALE
    SCALE = 2.0
    y = x * SCALE
    for _ in range(3):
        bump()
    y = y * SCALE * x
    SCALE += 1.0
    return y * SCALE


@at(2.0)
def nonlocal_sum(x: float) -> float:
    total = 0.0

    def add(v: float) -> None:
        nonlocal total
        total += v * v

    add(x)
    add(2 * x * total)
    return total


@at(2.0)
def counters(x: float) -> float:
    def make() -> Callable[[float], float]:
        n = 0

        def step(y: float) -> float:
            nonlocal n
            n += 1
            return y**2 * n

        return step

    first, second = make(), make()
    return first(x) + first(x) * x + second(x)


@at(V)
def nonlocal_in_a_loop(x: Any) -> Any:
    total, n = 0.0, 0

    def add(v: Any) -> None:
        nonlocal total, n
        total = total + v * v
        n += 1
        if v > 1.0:
            total *= 2.0

    for v in x:
        add(v)
        add(total)
    return total * n


@at(V)
def nonlocal_array(x: Any) -> Any:
    buffer = np.zeros(3)

    def step(k: int) -> None:
        nonlocal buffer
        buffer = buffer * x[k] + x

    for k in range(3):
        step(k)
    return np.sum(buffer * x)


@at(V)
def read_when_called(x: Any) -> Any:
    a = 0.0

    def square() -> Any:
        return a * a

    for k in range(3):
        a = a + x[k] * k
    return square()


@at(V)
def nonlocal_two_levels_up(x: Any) -> Any:
    total = 0.0

    def outer(v: Any) -> None:
        def inner(w: Any) -> None:
            nonlocal total
            total = total * x[0] + w

        inner(v)
        inner(v * v)

    while total < 2.0:
        outer(x[1])
    return total


@at(V)
def rebound(x: Any) -> Any:
    a = b = c = x * x
    a += 1.0
    (d, e), f = (a, b), c
    x = x[0]
    del b
    return x * np.sum(a * d * e * f)


@at(1.5)
def swapped(x: float) -> float:
    a, b = x, x * x
    a, b = b, a
    return a * 3 + b * b


@at(2.0)
def messages(x: float) -> float:
    """A docstring."""
    name = f"x={x!r} {x:.3f}"
    print(name, x, end="")
    assert x > 0, f"bad {x}"
    if x > 100:
        raise ValueError(f"too big {x:.3f}")
    y: float = x * x
    z: int  # noqa: F842
    return y * x


@at(2.0)
def imports_inside(x: float) -> float:
    import math as m
    from math import cos as c
    from math import sin

    return m.exp(x) * sin(x) + c(x)


@at(V)
def stars(x: Any) -> Any:
    a, *b = x[0], x[1], x[2]
    c = [*b, a]
    return c[0] * c[1] + c[2] ** 2

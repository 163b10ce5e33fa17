"""What an iteration leaves and the next one begins with is recorded once."""

from collections.abc import Callable

import pytest

from adjointgen import grad


def summed(x: float, n: int) -> float:
    y, total = x, 0.0
    for _ in range(n):
        y = y / 2.0 if y > 1.0 else y * y + 0.3
        total = total + y * y
    return total * y


def left(x: float, n: int) -> float:
    y, total = x, 0.0
    for k in range(n):
        y = y * y + 0.2
        total += y**3
        if total > 3.0:
            break
        total += k * y
    return total


def until(x: float, n: int) -> float:
    y, total = x, 0.0
    while total < n:
        y = y * y * 0.5 + 0.7
        total += y * y
    return total * y


def nested(x: float, n: int) -> float:
    total, z = 0.0, x
    for i in range(n):
        y = z * 0.9
        for _ in range(i):
            y = y * y * 0.3 + 0.4
            total += y * y * z
        z = 0.5 * z * y + 0.1
        total += z * z
    return total


def exchanged(x: float, n: int) -> float:
    a, b, total = x, 0.5 * x, 0.0
    for _ in range(n):
        a, b = b * b + 0.3, a * b
        total += a * a * b
    return total


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize("f", [summed, left, until, nested, exchanged])
def test_gradients_are_central_differences(f: Callable[..., float], n: int) -> None:
    for x in (0.4, 0.8, 1.3):
        h = 1e-6
        wanted = (f(x + h, n) - f(x - h, n)) / (2.0 * h)
        assert grad(f)(x, n) == pytest.approx(wanted, rel=1e-7, abs=1e-8)
        assert grad(f, disable=["recompute-or-record"])(x, n) == pytest.approx(
            wanted, rel=1e-7, abs=1e-8
        )


def test_one_tape_holds_both() -> None:
    made = grad(summed)
    made(0.7, 3)
    assert made.source.count(".append(") == 1
    apart = grad(summed, disable=["recompute-or-record"])
    apart(0.7, 3)
    assert apart.source.count(".append(") > 1

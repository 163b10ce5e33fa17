"""Names that are None on some paths: against differences, and where the function itself fails."""

from typing import Any

import numpy as np
import pytest

from adjointgen import check, grad, jvp
from adjointgen.errors import TypeMismatch

X = np.array([0.5, 1.5, 0.3, 2.0, 0.7])


def smallest(x: Any, n: int) -> Any:
    best = None
    for i in range(n):
        v = x[i] * x[i]
        if best is None or v < best:
            best = v
    return best


def steps(x: Any, n: int) -> Any:
    last = None
    total = 0.0
    for v in x[:n]:
        if last is not None:
            total += (v - last) ** 2
        last = v
    return total


def heron(x: Any, n: int) -> Any:
    old = None
    y = x[1]
    while True:
        new = 0.5 * (y + x[n] / y)
        if old is not None and abs(new - old) < 1e-9:
            break
        old = new
        y = new
    return y


def both_ends(x: Any, n: int) -> Any:
    low = high = None
    for i in range(n):
        if low is None or x[i] < low:
            low = x[i]
        if None is high or x[i] > high:
            high = x[i]
    return high**2 - low


def rows(x: Any, n: int) -> Any:
    last = None
    total = 0.0
    for i in range(n):
        row = x[i] * np.array([1.0, 2.0])
        if last is not None:
            total += np.sum(row * last)
        last = row
    return total


def place(x: Any, n: int) -> Any:
    found, where = None, -1
    for i, v in enumerate(x[:n]):
        if found is None or v < found:
            found, where = v, i
    return found * (where + 1)


def moved_on(x: Any, n: int) -> Any:
    old = current = None
    total = 0.0
    for i in range(n):
        old, current = current, x[i]
        if old is None:
            continue
        total += old * current
    return total


def reset(x: Any, n: int) -> Any:
    held = None
    total = 0.0
    for i in range(n):
        if held is None:
            held = x[i] ** 2
        else:
            total += held * x[i]
            held = None
    return total


def nearest(x: Any, n: int) -> Any:
    best = None
    for i in range(n):
        inner = None
        for j in range(n):
            v = (x[i] - x[j]) ** 2
            if i != j and (inner is None or v < inner):
                inner = v
        if best is None or inner > best:
            best = inner
    return best


def above(x: Any, n: int, limit: float) -> Any:
    for i in range(n):
        if x[i] > limit:
            return x[i] ** 3
    return None


def asked_for(x: Any, n: int) -> Any:
    y = above(x, n, 1.0)
    if y is None:
        return 0.0
    return y * x[0]


def never(x: Any, n: int) -> Any:
    y = above(x, n, 10.0)
    return x[0] ** 2 if y is None else y * x[0]


def within(x: Any, n: int) -> Any:
    def first(limit: float) -> Any:
        for i in range(n):
            if x[i] > limit:
                return x[i] ** 2
        return None

    a, b = first(1.0), first(5.0)
    return (0.0 if a is None else a * x[0]) + (x[2] if b is None else b)


def truthy(x: Any, n: int) -> Any:
    held = None
    total = 0.0
    for i in range(n):
        if held:
            total += held * x[i]
        held = x[i] if not held else None
    return total


def negative(x: Any, n: int) -> Any:
    if x[0] < 0.0:
        return None
    return np.sum(x[:n] ** 2)


CASES = [
    *(smallest, steps, heron, both_ends, rows, place, moved_on, reset, nearest),
    *(asked_for, never, within, truthy, negative),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_both_modes_agree_with_differences(f: Any) -> None:
    check(f, (X, 4), wrt=(0,)).raise_on_failure()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_second_order_agrees_with_differences_of_gradients(f: Any) -> None:
    v, step = np.linspace(1.0, 2.0, 5), 1e-5
    gradient = grad(f)
    _, turned = jvp(gradient, (X, 4), (v,))
    expected = (gradient(X + step * v, 4) - gradient(X - step * v, 4)) / (2 * step)
    np.testing.assert_allclose(turned, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", [smallest, both_ends, place, nearest])
def test_none_fails_where_the_function_takes_it_for_a_number(f: Any) -> None:
    gradient = grad(f)
    gradient(X, 4)
    with pytest.raises(TypeError, match="None"):
        gradient(X, 0)


def test_nothing_returned_has_no_gradient() -> None:
    gradient = grad(negative)
    np.testing.assert_allclose(gradient(X, 2), [1.0, 3.0, 0.0, 0.0, 0.0])
    with pytest.raises(TypeError, match="None"):
        gradient(-X, 2)


def told(x: Any, n: int) -> Any:
    held = None
    for i in range(n):
        held = f"{held}" if held is not None else x[i]
    return held


def either(x: Any, n: int) -> Any:
    held = None
    for i in range(n):
        y = held or x[i]
        held = y * x[i]
    return held


@pytest.mark.parametrize("f", [told, either])
def test_what_may_be_none_is_refused_where_it_is_not_asked_for(f: Any) -> None:
    with pytest.raises(TypeMismatch, match="None"):
        grad(f)(X, 4)


def test_flags_are_used_only_where_paths_cannot_be_kept_apart() -> None:
    def apart(x: Any, scale: Any = None) -> Any:
        if x > 1.0:
            scale = x
        return x if scale is None else x * scale

    gradient = grad(apart)
    assert gradient(1.5) == 3.0
    assert "has_" not in gradient.source

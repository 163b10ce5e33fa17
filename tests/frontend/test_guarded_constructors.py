"""Structures that are changed on one side of a branch, of which the other side raises."""

from collections.abc import Callable
from typing import Any

import pytest

from adjointgen import grad, hvp, jvp


class Guarded:
    def __init__(self, f: float, k: float) -> None:
        self.k = k
        if k < 0:
            raise ValueError("negative")
        elif k > 10:
            raise KeyError("large")
        self.d = f * k
        if f > 100:
            raise ValueError("f")
        self.e = self.d + f

    def value(self) -> float:
        return self.d * self.e


class GuardedFirst:
    def __init__(self, f: float, k: float) -> None:
        if not k > 0:
            raise ValueError("not positive")
        self.d = f * k


def whole(f: float, k: float) -> float:
    return Guarded(f, k).value() * 2.0


def first(f: float, k: float) -> float:
    return GuardedFirst(f, k).d ** 2


def listed(x: float, k: float) -> float:
    a = [x]
    if k < 0:
        a.append(3.0)
        raise ValueError(str(a))
    a.append(x * x)
    return a[0] * a[1] + len(a)


def outcome(f: Callable[..., Any], *args: float) -> Any:
    try:
        return f(*args)
    except (ValueError, KeyError) as error:
        return repr(error)


@pytest.mark.parametrize("f", [whole, first, listed])
def test_the_path_that_goes_on_has_the_structure(f: Callable[..., Any]) -> None:
    h = 1e-4
    slope = (f(0.5 + h, 3.0) - f(0.5 - h, 3.0)) / (2 * h)
    assert grad(f)(0.5, 3.0) == pytest.approx(slope, rel=1e-6)
    assert jvp(f, (0.5, 3.0), (1.0, 0.0)) == pytest.approx((f(0.5, 3.0), slope), rel=1e-6)
    second = (f(0.5 + h, 3.0) - 2 * f(0.5, 3.0) + f(0.5 - h, 3.0)) / h**2
    assert hvp(f, (0.5, 3.0), (1.0, 0.0))[0] == pytest.approx(second, rel=1e-4)


@pytest.mark.parametrize("f", [whole, first, listed])
@pytest.mark.parametrize("k", [-1.0, 11.0])
def test_the_exception_is_that_of_the_function(f: Callable[..., Any], k: float) -> None:
    found = outcome(grad(f), 0.5, k)
    expected = outcome(f, 0.5, k)
    assert found == expected or not isinstance(expected, str)

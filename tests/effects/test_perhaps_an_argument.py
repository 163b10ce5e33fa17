"""Helpers that return an argument on one path and another array on the other: writes reach both.

The oracle is Python, and differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import tangent, value_and_grad
from adjointgen.api.calls.modes import primal
from adjointgen.errors import AdjointgenError

X = np.array([0.5, 0.25, 0.75, 1.0])


def _kept(a: Any, u: float) -> Any:
    if u > 0.3:
        return a
    return a + 1.0


def _first(a: Any, x: Any) -> Any:
    for v in x:
        if v > 0.3:
            return a
    return a + 1.0


def _one(a: Any, b: Any, x: Any) -> Any:
    for v in x:
        if v > 0.3:
            return b
    return a


def _swapped(a: Any, x: Any) -> Any:
    b = a
    for v in x:
        b, a = a, b
        if v > 0.3:
            break
    return a


def written_through_the_result(u: float, x: Any) -> Any:
    a = x * u
    r = _kept(a, u)
    r *= 2.0
    return np.sum(a)


def read_through_the_result(u: float, x: Any) -> Any:
    a = x * u
    r = _kept(a, u)
    a *= 2.0
    return np.sum(r)


def out_of_a_loop(u: float, x: Any) -> Any:
    a = x * u
    r = _first(a, x)
    r *= 2.0
    return np.sum(a)


def in_a_loop(u: float, x: Any) -> Any:
    a = x * u
    for _ in range(2):
        r = _first(a, x)
        r += 1.0
    return np.sum(a)


def one_of_two(u: float, x: Any) -> Any:
    a = x * u
    b = x + 1.0
    r = _one(a, b, x)
    r[:] = 0.0
    return np.sum(a) + np.sum(b)


def swapped(u: float, x: Any) -> Any:
    a = x * u
    r = _swapped(a, x)
    r *= 2.0
    return np.sum(a)


CASES = [
    written_through_the_result,
    read_through_the_result,
    out_of_a_loop,
    in_a_loop,
    one_of_two,
    swapped,
]


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("u", [0.7, 0.2])
def test_right_or_refused(f: Callable[[float, Any], Any], u: float) -> None:
    h = 1e-6
    slope = (f(u + h, X.copy()) - f(u - h, X.copy())) / (2 * h)
    try:
        value, slopes = value_and_grad(f, "u")(u, X.copy())
    except AdjointgenError as error:
        assert error.code == "AG110"
        return
    assert value == f(u, X.copy())
    assert slopes == pytest.approx(slope, rel=1e-7)
    assert tangent(f, "u")(u, X.copy(), 1.0) == pytest.approx((value, slope), rel=1e-7)


def given(u: float, x: Any) -> Any:
    r = _kept(x, u)
    r *= 2.0
    return np.sum(x), r is x


@pytest.mark.parametrize("u", [0.7, 0.2])
def test_the_argument_of_the_caller_is_written(u: float) -> None:
    mine, theirs = X.copy(), X.copy()
    expected = given(u, theirs)
    try:
        found = primal(given, "u")(u, mine)
    except AdjointgenError as error:
        assert error.code == "AG110"
        assert np.array_equal(mine, X)
    else:
        assert found == expected
        assert np.array_equal(mine, theirs)

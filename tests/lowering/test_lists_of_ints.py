"""Lists of Python's ints and truth values that are read or written at a computed index.

Their entries have any size, `True + True` is 2, and what a compiler makes of the list holds floats
where it is given some. The oracle is Python.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.api.calls.modes import primal

TABLE = (3, 4, 10**17)


def large_powers(u: float) -> float:
    h = [5, 2, 3]
    return u * 10 ** (h[int(u * 2)] * 10)


def of_the_module(u: float) -> float:
    return u * (TABLE[int(u * 2) + 1] * 1000 // 10**18)


def truth_values(u: float) -> float:
    f = [True, False, True]
    return u * (f[int(u * 0.5)] + f[int(u * 0.25)]) - u * -f[0 if u < 0 else int(u)]


def negative_powers(u: float) -> float:
    h = [-5, -2, -3]
    return float(u * 10 ** h[int(u * 2)])


def shifted(u: float) -> float:
    return u * (1 << [50, 70, 80][int(u * 2)])


def written(u: float) -> float:
    h = [1, 1, 1]
    for i in range(20):
        j = int(u + i) % 3
        h[j] = h[j] * 12345 + i
    return u * math.log(abs(h[0]) + 1)


@pytest.mark.parametrize(
    "f", [large_powers, of_the_module, truth_values, negative_powers, shifted, written]
)
def test_the_ints_are_those_of_python(f: Callable[[float], float]) -> None:
    assert primal(f)(0.7) == f(0.7)
    value, slope = value_and_grad(f)(0.7)
    assert value == f(0.7)
    assert slope == pytest.approx(f(0.7) / 0.7, rel=1e-12)


def by_zero(u: float) -> float:
    return u * (5 // [0, 0, 1][int(u * 2)])


def outside(u: float) -> float:
    return u * [1, 2, 3][int(u * 9)]


@pytest.mark.parametrize(("f", "kind"), [(by_zero, ZeroDivisionError), (outside, IndexError)])
def test_the_exceptions_are_those_of_python(
    f: Callable[[float], float], kind: type[Exception]
) -> None:
    for run in (f, primal(f), value_and_grad(f)):
        with pytest.raises(kind):
            run(0.7)


def shown(u: float) -> Any:
    h = [0, 0, 0]
    h[int(u * 2)] += 1
    f = [True, True, True]
    return u, type(h[int(u * 2)]).__name__, f[int(u * 2)] is True, str(h)


def test_they_are_shown_as_ints() -> None:
    assert primal(shown)(0.7) == shown(0.7)


def sums(u: float, x: Any) -> Any:
    s = [0, 0, 0]
    for i in range(len(x)):
        s[i % 3] += x[i] * u
    return s[0] * s[1] + s[2]


def repeated(u: float, x: Any) -> Any:
    s = [0] * len(x)
    for i in range(len(x)):
        s[i] = x[i] * u
    return sum(s)


def rows(u: float, x: Any) -> Any:
    s = [[0, 1], [1, 0]]
    for i in range(len(x)):
        s[i % 2][i % 2] += x[i] * u
    return s[0][0] * s[1][1] + s[0][1]


@pytest.mark.parametrize("f", [sums, repeated, rows])
def test_compiled_lists_hold_the_floats_that_they_are_given(f: Callable[..., Any]) -> None:
    x, h = np.array([0.5, 0.25, 0.75, 1.0]), 1e-6
    value, slope = value_and_grad(f, "u", compile="numba")(0.7, x)
    assert value == pytest.approx(f(0.7, x), rel=1e-14)
    assert slope == pytest.approx((f(0.7 + h, x) - f(0.7 - h, x)) / (2 * h), rel=1e-7)


def set_where_nothing_is(u: float, n: int) -> Any:
    a: list[float] = []
    for i in range(n):
        a[i] = u
    a.append(u)
    return a


def test_an_empty_list_stays_a_list() -> None:
    assert primal(set_where_nothing_is, "u")(0.7, 0) == [0.7]
    with pytest.raises(IndexError, match="list assignment index out of range"):
        primal(set_where_nothing_is, "u")(0.7, 2)

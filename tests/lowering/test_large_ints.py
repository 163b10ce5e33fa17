"""Ints that count as floats elsewhere stay ints in programs: Python's have any size.

The oracle is Python: the function itself at the same arguments.
"""

from collections.abc import Callable

import pytest

from adjointgen.api.calls.modes import primal


def constant(x: float, n: int) -> float:
    s = 2**70 + 1
    y = x
    for _ in range(n):
        y = y + (s - 2**70)
        s = s + 0.5
    return y


def argument(x: float, n: int) -> float:
    s = n
    z = x
    for _ in range(2):
        z = z + s % 10
        s = s + x * 0.25
    return z


def one_path(x: float, n: int) -> float:
    s = n if n > 2**60 else x
    return x * (s - 2**70)


@pytest.mark.parametrize("f", [constant, argument, one_path])
@pytest.mark.parametrize("n", [0, 2, 10**17 + 1, 2**70 + 3])
def test_an_int_that_becomes_a_float_is_exact_until_then(
    f: Callable[[float, int], float], n: int
) -> None:
    n = min(n, 3) if f is constant else n
    assert primal(f)(1.5, n) == f(1.5, n)


def summed(x: float, n: int) -> float:
    s = 0
    for i in range(n):
        s = s + x * i
    return s


def chosen(x: float, n: int) -> float:
    return 3 if n > 2 else x


@pytest.mark.parametrize("f", [summed, chosen])
@pytest.mark.parametrize("n", [0, 3])
def test_a_result_is_an_int_where_it_is_one(f: Callable[[float, int], float], n: int) -> None:
    assert repr(primal(f)(1.5, n)) == repr(f(1.5, n))

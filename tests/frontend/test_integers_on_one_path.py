"""A number that is an integer on one path and a float on another: Python takes the integer for a
place, a count and a length, and refuses the float."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjointgen as ag


def entry_of_list(x: float) -> float:
    k: Any = 1 if x < 1.0 else x
    return [x, x * x, x**3][k]  # type: ignore[no-any-return]


def entry_of_array(x: float) -> float:
    k: Any = 1 if x < 1.0 else x
    return np.array([x, x * x, x**3])[k]  # type: ignore[no-any-return]


def part_of_array(x: float) -> float:
    k: Any = 1 if x < 1.0 else x
    return np.sum(np.array([x, x * x, x**3])[k:])  # type: ignore[no-any-return]


def count(x: float) -> float:
    k: Any = 3 if x < 1.0 else x
    s = 0.0
    for i in range(k):
        s += x * x * (i + 2)
    return s


def length(x: float) -> float:
    k: Any = 3 if x < 1.0 else x
    return np.sum(np.ones(k) * x * x)  # type: ignore[no-any-return]


@pytest.mark.parametrize("f", [entry_of_list, entry_of_array, part_of_array, count, length])
def test_such_a_number_is_refused_as_an_integer(f: Callable[..., Any]) -> None:
    assert np.isfinite(f(0.7))
    with pytest.raises((TypeError, IndexError)):
        f(1.5)
    with pytest.raises(ag.AdjointgenError, match=r"AG106.*may be of int64 here, or of float64"):
        ag.tangent(f, wrt="x")(0.7, 1.0)


LOG: list[int] = []


class Half:
    def __init__(self, u: float) -> None:
        self.u = u

    @property
    def half(self) -> float:
        LOG.append(1)
        return self.u / 2.0


class Silent:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> bool:
        return False


def in_a_manager(x: float, v: list[float]) -> float:
    with Silent():
        v[0] += Half(x).half
    return v[0] * x


def test_a_property_of_what_a_call_gives_is_called_once() -> None:
    assert "Half(x).half" in inspect.getsource(in_a_manager)
    LOG.clear()
    value, dot = ag.tangent(in_a_manager, wrt="x")(2.0, [3.0], 1.0)
    assert LOG == [1]
    assert (value, dot) == (8.0, 4.0 + 1.0)

"""`dataclasses.astuple` and `asdict` copy what they take out, however deep it lies."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad

X = np.array([0.7, -1.3, 2.1])


@dataclasses.dataclass
class Inner:
    v: Any


@dataclasses.dataclass
class State:
    u: Any
    k: float
    inner: Inner
    rows: list[Any]


def made(x: Any) -> State:
    return State(x * 1.0, x[0], Inner(x * 2.0), [x * 3.0])


def left(s: State) -> Any:
    return np.sum(s.u**2) + np.sum(s.inner.v**2) + np.sum(s.rows[0] ** 2)


def tuples(x: Any) -> Any:
    s = made(x)
    u, k, (v,), (row,) = dataclasses.astuple(s)
    u[0], v[1], row[2] = 100.0, 7.0, 9.0
    return left(s) + k * np.sum(u * v * row)


def dicts(x: Any) -> Any:
    s = made(x)
    d = dataclasses.asdict(s)
    d["u"][0], d["inner"]["v"][1] = 100.0, 7.0
    s.rows[0][2] = 9.0
    return left(s) + d["k"] * np.sum(d["u"] * d["inner"]["v"] * d["rows"][0])


@pytest.mark.parametrize("f", [tuples, dicts], ids=lambda f: f.__name__)
def test_what_is_taken_out_is_a_copy(f: Callable[..., Any]) -> None:
    value, gradient = value_and_grad(f)(X)
    assert value == pytest.approx(f(X), rel=1e-13)
    step = 1e-5
    slopes = [(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-7)

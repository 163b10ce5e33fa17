"""States of several parts, and parts without names of their own, have adjoints of their own."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from adjointgen import grad, tangent
from adjointgen.errors import Unsupported


@dataclass
class State:
    x: float
    v: float


class Pair(NamedTuple):
    x: float
    v: float


def of_tuple(u: Any, n: int) -> Any:
    q = (u[0], u[1])
    for _ in range(n):
        q = (q[0] + 0.1 * q[1] * q[0], math.sin(q[0]))
    return q[0] * q[1]


def of_list(u: Any, n: int) -> Any:
    q = [u[0], u[1]]
    for _ in range(n):
        q[0] = q[0] + 0.1 * q[1] * q[0]
        q[1] = math.sin(q[0])
    return q[0] * q[1]


def of_dict(u: Any, n: int) -> Any:
    q = {"x": u[0], "v": u[1]}
    for _ in range(n):
        q = {"x": q["x"] + 0.1 * q["v"] * q["x"], "v": math.sin(q["x"])}
    return q["x"] * q["v"]


def of_instance(u: Any, n: int) -> Any:
    q = State(u[0], u[1])
    for _ in range(n):
        q = State(q.x + 0.1 * q.v * q.x, math.sin(q.x))
    return q.x * q.v


def of_named(u: Any, n: int) -> Any:
    q = Pair(u[0], u[1])
    for _ in range(n):
        q = Pair(q.x + 0.1 * q.v * q.x, math.sin(q.x))
    return q.x * q.v


def stepped(s: Any, k: float) -> Any:
    return (s[0] + 0.1 * s[1] * s[0] * k, math.sin(s[0]))


def of_helper(u: Any, n: int) -> Any:
    s = (u[0], u[1])
    for i in range(n):
        s = stepped(s, 1.0 + 0.1 * i)
    return s[0] * s[1]


def of_arrays(u: Any, n: int) -> Any:
    q = (u, u * 2.0)
    for _ in range(n):
        q = (q[0] + 0.1 * q[1] * q[0], np.sin(q[0]))
    return np.sum(q[0] * q[1])


def of_versions(u: Any, n: int) -> Any:
    """The loop reads what a variable was before, and what it is."""
    w = u * 2.0
    old = w
    w = w + 1.0
    for _ in range(n):
        w = np.sin(w) * old + u
    return np.sum(w * old)


def of_hoisted(u: Any, n: int) -> Any:
    """Several products that do not vary come into the step, and have no names."""
    w, c = 0.1 * u, u[::-1]
    for _ in range(n):
        w = 0.1 * np.sin(w) * c + 0.1 * u + u * u
    return np.sum(w)


def of_numbers(u: Any, n: int) -> Any:
    """A list of numbers whose length is that of an argument."""
    values = [k * k for k in u]
    for _ in range(n):
        for j in range(len(values) - 1):
            values[j] = values[j] + 0.1 * math.sin(values[j + 1])
    return values[0] * values[-1]


PROGRAMS = (
    of_tuple,
    of_list,
    of_dict,
    of_instance,
    of_named,
    of_helper,
    of_arrays,
    of_versions,
    of_hoisted,
    of_numbers,
)
U, V = np.array([1.0, 0.5]), np.array([0.3, -1.0])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("schedule", ["log", "binomial, snapshots=2"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_and_products(f: Callable[..., Any], schedule: str) -> None:
    kept, plain = grad(f, 0, checkpoint=schedule), grad(f, 0)
    for n in (0, 5):
        np.testing.assert_allclose(kept(U, n), plain(U, n), rtol=1e-12)
        ahead, back = (f(U + h * V, n) for h in (1e-6, -1e-6))
        np.testing.assert_allclose(kept(U, n) @ V, (ahead - back) / 2e-6, rtol=1e-6, atol=1e-9)
        products = (tangent(one)(U, n, V)[1] for one in (kept, plain))
        np.testing.assert_allclose(*products, rtol=1e-11)
    if f is not of_numbers:
        assert "_keeps(at" in kept.source


def test_lists_that_are_arguments() -> None:
    def shifted(values: list[float], n: int) -> float:
        own = list(values)
        for _ in range(n):
            own[0] = own[0] + 0.1 * math.sin(own[1])
        return own[0] * own[1]

    found = grad(shifted, 0, checkpoint="log")([1.0, 0.5], 4)
    assert isinstance(found, list)
    np.testing.assert_allclose(found, grad(shifted, 0)([1.0, 0.5], 4), rtol=1e-14)


def test_an_array_that_the_loop_makes_first() -> None:
    def last(u: Any, n: int) -> Any:
        v = u.copy()
        # adjointgen: checkpoint(log)
        for _ in range(n):
            v = v * np.sin(v)
            made = v * 2.0
        return np.sum(made**2)

    with pytest.raises(Unsupported, match=r"AG122.*made.*no value before it"):
        grad(last)(U, 4)

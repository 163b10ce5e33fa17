"""Reverse sweeps run forwards where that changes nothing, and join the forward sweep then."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from tests.lowering.loops import uncompiled, without_quotes

pytestmark = pytest.mark.slow

X = np.linspace(0.4, 1.6, 7)
W = np.linspace(-0.5, 0.8, 7)


def misfit(x: Any, w: Any, a: float) -> float:
    """Iterations that have only sums in common."""
    total = 0.0
    for i in range(len(x)):
        y = math.sin(a * x[i])
        total += w[i] * y * math.exp(y)
    return total


def rows(x: Any, w: Any, a: float) -> Any:
    """Every iteration writes a row of its own, after which a sum reads all of them."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        t = math.cos(x[i]) * a
        out[i] = t * t * w[i]
    total = 0.0
    for i in range(len(x)):
        total += out[i] * out[len(x) - 1 - i]
    return total


def chain(x: Any, w: Any, a: float) -> float:
    """Every iteration goes on with what the last one left."""
    y = a
    total = 0.0
    for i in range(len(x)):
        y = math.sin(y) * x[i] + w[i]
        total += y * y
    return total


def shifted(x: Any, w: Any, a: float) -> float:
    """Iterations write where others read."""
    u = x * a
    for i in range(1, len(x)):
        u[i] = u[i - 1] * w[i] + math.sin(u[i])
    return float(u[len(x) - 1] * u[2])


def perhaps(x: Any, w: Any, a: float) -> float:
    """What is written under a condition is read by the next iteration."""
    u = x * a
    for i in range(len(x) - 1):
        if w[i] > 0.0:
            u[i] = u[i] * x[i]
        u[i + 1] = u[i + 1] * u[i]
    return float(u[3] + u[len(x) - 1])


def gathered(x: Any, w: Any, a: float) -> float:
    """Entries that several iterations add to."""
    u = np.zeros(3)
    for i in range(len(x)):
        u[i % 3] += math.sin(x[i] * a) * w[i]
    return float(u[0] * u[1] + u[2])


FUNCTIONS = (misfit, rows, chain, shifted, perhaps, gathered)


def text_of(function: Callable[..., Any], **how: Any) -> str:
    made = value_and_grad(function, wrt=("x", "w", "a"), compile="numba", **how)
    made(X, W, 0.7)
    return without_quotes(str(made.source))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "disable", [(), ("loop-reversal",), ("loop-fusion",), ("loop-reversal", "loop-fusion")], ids=str
)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_numbers(function: Callable[..., Any], disable: tuple[str, ...]) -> None:
    how: Any = {"compile": "numba", "disable": disable}
    # A compiler sees the text of all passes; the others are as right as CPython says.
    with uncompiled() if disable else nullcontext():
        value, slopes = value_and_grad(function, wrt=("x", "w", "a"), **how)(X, W, 0.7)
    assert value == pytest.approx(function(X, W, 0.7), rel=1e-13)
    arguments = X, W, np.array([0.7])
    for k, slope in enumerate(slopes):
        for j, one in enumerate(np.ravel(slope)):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [a.copy() for a in arguments]
                moved[k][j] += step
                ends.append(function(moved[0], moved[1], moved[2][0]))
            assert one == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("function", [misfit], ids=lambda f: f.__name__)
def test_independent_iterations_are_one_loop(function: Callable[..., Any]) -> None:
    text = text_of(function)
    assert text.count("for i in") == 1 and text.count("math.exp(") == 1
    assert not runs_backwards(text)
    apart = text_of(function, disable=("loop-reversal",))
    assert apart.count("for i in") == 2 and runs_backwards(apart)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("function", [chain, shifted, perhaps], ids=lambda f: f.__name__)
def test_iterations_in_order_stay_in_order(function: Callable[..., Any]) -> None:
    assert runs_backwards(text_of(function))


def runs_backwards(text: str) -> bool:
    """Whether an innermost loop says of its index where it is from the end."""
    return any(
        line.strip().startswith("i = ") and line.endswith(" - i") for line in text.split("\n")
    )

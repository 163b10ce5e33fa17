"""Slices whose lengths follow from the bounds of loops are not measured; those of others are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjointgen
from adjointgen import grad
from tests.lowering.loops import Loops, judged, text_of, uncompiled

X = np.linspace(-0.7, 1.4, 7)


def shifted(x: Any) -> Any:
    out = x * 0.0
    for w in range(3):
        out[w:] += np.sin(x[: len(x) - w]) * x[w:]
    return np.sum(out * x)


def backwards(x: Any) -> Any:
    out = x * 1.0
    for i in range(len(x) - 2, -1, -1):
        out[i + 1 :] += x[i] * out[: len(x) - 1 - i] * x[i + 1 :]
    return np.sum(out)


def windows(x: Any) -> Any:
    total = 0.0
    for i in range(len(x) - 3):
        total += np.sum(np.cos(x[i : i + 4]) * x[:4])
    return total


def beyond_the_end(x: Any) -> Any:
    """The last windows are shorter than the others."""
    total = 0.0
    for i in range(len(x)):
        part = x[i : i + 3]
        total += np.sum(part * part) * (i + 1.0)
    return total


def before_the_start(x: Any) -> Any:
    """The first bound is -1, which is the end; then 0 and 1."""
    total = 0.0
    for i in range(3):
        total += np.sum(np.exp(x[i - 1 :])) * (i + 1.0)
        total += np.sum(x[: 2 * i - 2] * x[: 2 * i - 2])
    return total


def the_wrong_way_round(x: Any) -> Any:
    """Slices that end before they begin are empty."""
    total = np.sum(x)
    for i in range(5):
        total += np.sum(np.cos(x[i : 4 - i]))
    return total


def left_early(x: Any) -> Any:
    """A bound that is no index of a loop."""
    n, total = len(x), 0.0
    while n > 2:
        total += np.sum(x[:n] * x[:n]) * n
        n -= 2
    return total


PROVED: list[Callable[..., Any]] = [shifted, windows]
MEASURED: list[Callable[..., Any]] = [
    backwards,
    beyond_the_end,
    before_the_start,
    the_wrong_way_round,
    left_early,
]


@pytest.mark.parametrize("f", [*PROVED, *MEASURED], ids=lambda f: f.__name__)
def test_derivatives_are_those_of_differences(f: Callable[..., Any]) -> None:
    found = judged(f, X)
    assert found.sort == "right", found.detail


@pytest.mark.parametrize("f", PROVED, ids=lambda f: f.__name__)
def test_lengths_that_are_proved_are_not_measured(f: Callable[..., Any]) -> None:
    made = grad(f, compile="numba")
    with uncompiled():
        made(X.copy())
    text = text_of(made)
    assert "_same" not in text
    assert ":" not in "".join(
        line.partition("[")[2] for line in text.splitlines() if ".shape" in line
    )


def test_slices_of_unequal_lengths_are_found_out() -> None:
    def unequal(x: Any, m: int) -> Any:
        total = 0.0
        for i in range(3):
            total += np.sum(x[i : i + 2] * x[:m])
        return total

    made = grad(unequal, compile="numba")
    with uncompiled():
        assert made(X.copy(), 2).shape == X.shape
        with pytest.raises(ValueError, match="equal lengths"):
            made(X.copy(), 3)


def carried(x: Any) -> Any:
    """What loops carry has one length, which no type tells."""
    total = 0.0
    for w in range(3):
        part = x[w:] * 2.0
        other = np.cos(part)
        for _ in range(2):
            part, other = other + x[w:], part * x[w:]
        total += np.sum(part * other)
    return total


def shrinking(x: Any) -> Any:
    """What loops carry is as long as before it in the first iteration alone."""
    part = x * 2.0
    other = x[1:]
    for _ in range(3):
        part, other = part[1:] * other, part[2:] + other[1:]
    return np.sum(part) + np.sum(other)


def exchanged(x: Any) -> Any:
    """Two that are not as long as each other."""
    a, b = np.sin(x[1:]), np.cos(x)
    for k in range(3):
        a, b = b * x[k], a * 2.0
    return np.sum(a * a) + np.sum(b)


@pytest.mark.parametrize("engine", [adjointgen, Loops], ids=["arrays", "loops"])
@pytest.mark.parametrize("f", [carried, shrinking, exchanged], ids=lambda f: f.__name__)
def test_lengths_that_loops_carry(f: Callable[..., Any], engine: Any) -> None:
    found = judged(f, X, engine=engine)
    assert found.sort == "right", found.detail


def test_lengths_that_loops_carry_are_not_measured() -> None:
    made = grad(carried, compile="numba")
    with uncompiled():
        made(X.copy())
    forward = text_of(made).partition("# Reverse sweep.")[0]
    assert forward.count("len(x[w:])") == 1
    assert "_same" not in forward

"""Branches that write one entry are choices of what is written, where nothing else can differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad
from tests.lowering.loops import judged, text_of, uncompiled

X = np.array([0.7, -0.4, 1.2, 0.3, -0.9, 0.8, 1.1, -0.2, 0.6])


def shortest(x: Any) -> Any:
    """The row and the column of `k` are among those that are written."""
    p = np.reshape(x, (3, 3)).copy()
    for k in range(3):
        for i in range(3):
            for j in range(3):
                through = p[i, k] + p[k, j]
                if through < p[i, j]:
                    p[i, j] = through
    return np.sum(p * p)


def the_other_arm(x: Any) -> Any:
    y = x * 1.0
    for i in range(len(x)):
        if y[i] > 0.0:
            pass
        else:
            y[i] = 0.25 - 3.0 * y[i]
    return np.sum(y * y)


def counted(x: Any) -> Any:
    """A number besides."""
    y, n = x * 1.0, 0
    for i in range(1, len(x)):
        if y[i] < x[i - 1]:
            y[i] = x[i - 1] * 2.0
            n = n + 1
    return np.sum(y * y) * n


def in_turn(x: Any) -> Any:
    """What is written is read by the next iteration."""
    y = x * 1.0
    for i in range(1, len(x)):
        if y[i] < y[i - 1]:
            y[i] = y[i - 1]
    return np.sum(np.sin(y))


def elsewhere(x: Any) -> Any:
    """The entry that is written is not the one that is read, and need not exist."""
    y = x * 1.0
    for i in range(len(x)):
        if y[i] > 0.0 and i < len(x) - 1:
            y[i + 1] = 2.0 * y[i]
    return np.sum(y * y)


def overwritten(x: Any) -> Any:
    """The entry has been written since it was read."""
    y = x * 1.0
    for i in range(len(x)):
        old = y[i]
        y[i] = 2.0 * old
        if old > 0.0:
            y[i] = old * old
    return np.sum(y * y)


def out_of_reach(x: Any) -> Any:
    """What one path reads need not exist on the other."""
    y = x * 1.0
    for i in range(len(x)):
        if y[i] > 0.0 and i > 2:
            y[i] = 2.0 * x[i - 3] + x[i]
    return np.sum(y * y)


def with_roots(x: Any) -> Any:
    """What only one path may compute."""
    y = x * 1.0
    for i in range(len(x)):
        if y[i] > 0.0:
            y[i] = y[i] ** 0.5
    return np.sum(y * y * y)


CHOSEN: list[Callable[..., Any]] = [shortest, the_other_arm, counted, in_turn]
KEPT: list[Callable[..., Any]] = [elsewhere, overwritten, out_of_reach, with_roots]


@pytest.mark.parametrize("f", [*CHOSEN, *KEPT], ids=lambda f: f.__name__)
def test_derivatives_are_those_of_differences(f: Callable[..., Any]) -> None:
    found = judged(f, X)
    assert found.sort == "right", found.detail


@pytest.mark.parametrize("f", CHOSEN, ids=lambda f: f.__name__)
def test_a_branch_is_a_choice(f: Callable[..., Any]) -> None:
    assert "] = " in "".join(line for line in forward(f) if " else " in line)
    assert not any(line.strip().startswith("if ") for line in forward(f))


@pytest.mark.parametrize("f", KEPT, ids=lambda f: f.__name__)
def test_what_may_not_be_done_always_is_not(f: Callable[..., Any]) -> None:
    assert any(line.strip().startswith("if ") for line in forward(f))


def forward(f: Callable[..., Any]) -> list[str]:
    """The lines of the forward sweep of a compiled gradient."""
    made = grad(f, compile="numba")
    with uncompiled():
        made(X.copy())
    return text_of(made).partition("# Reverse sweep.")[0].splitlines()


def test_what_is_not_written_stays_as_it_is() -> None:
    def clipped(x: Any) -> Any:
        for i in range(len(x)):
            if x[i] > 1.0:
                x[i] = 1.0
        return x

    x = np.array([-0.0, 0.0, np.nan, np.inf, -np.inf, 2.0, 5e-324])
    made = adjoint(clipped, compile="numba")
    with uncompiled():
        result, x_bar = made(x.copy(), np.arange(1.0, 8.0))
    np.testing.assert_array_equal(result, [-0.0, 0.0, np.nan, 1.0, -np.inf, 1.0, 5e-324])
    np.testing.assert_array_equal(np.signbit(result), np.signbit(np.where(x > 1.0, 1.0, x)))
    np.testing.assert_array_equal(x_bar, [1.0, 2.0, 3.0, 0.0, 5.0, 0.0, 7.0])

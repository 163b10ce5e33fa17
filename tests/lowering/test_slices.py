"""Slices whose lengths follow from the bounds of loops are not measured; those of others are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.lowering.loops import judged, text_of, uncompiled

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

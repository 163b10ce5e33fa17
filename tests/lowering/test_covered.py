"""Zeros are left unwritten where a loop nest stores to every place first, and nowhere else.

New arrays hold NaN here, so that a place that is read before it is written shows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from tests.lowering.loops import agree, judged, text_of, uncompiled

RNG = np.random.default_rng(31)
X = RNG.uniform(0.5, 1.5, (6, 3))
Y = RNG.uniform(0.5, 1.5, (6, 6))
V = RNG.uniform(0.5, 1.5, 6)


def rows(x: Any, v: Any) -> Any:
    """Every number of a row is read once, and the last one twice."""
    total = 0.0
    for i in range(len(v)):
        total += x[i, 0] * x[i, 1] * v[i] + x[i, 2] ** 2
        total += x[i, 2] * v[i]
    return total


def filled(x: Any, v: Any) -> Any:
    out = np.zeros((len(v), 3))
    for i in range(len(v)):
        for k in range(3):
            out[i, k] = x[i, k] * v[i]
        for k in range(3):
            out[i, k] *= 2.0
    return np.sum(out**2)


def summed(x: Any, v: Any) -> Any:
    out = np.zeros(len(v))
    for i in range(len(v)):
        for k in range(3):
            out[i] += x[i, k] * v[i]
    return np.sum(out**2)


def inner_places(x: Any, v: Any) -> Any:
    total = 0.0
    for i in range(1, len(v)):
        total += x[i, 0] * x[i, 1] * x[i, 2] * v[i]
    return total


def some_places(x: Any, v: Any) -> Any:
    total = 0.0
    for i in range(len(v)):
        if v[i] > 1.0:
            total += x[i, 0] * x[i, 1] * x[i, 2] * v[i]
    return total


def two_columns(x: Any, v: Any) -> Any:
    total = 0.0
    for i in range(len(v)):
        total += x[i, 0] * x[i, 1] * v[i]
    return total


def turned(y: Any) -> Any:
    total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            total += y[i, j] * y[j, i] ** 2
    return total


def neighbours(y: Any) -> Any:
    total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            total += y[i, j] * y[i, j - 1] ** 2
    return total


def diagonal(y: Any) -> Any:
    total = 0.0
    for i in range(len(y)):
        total += y[i, i] ** 2
    return total


def read_along(y: Any) -> Any:
    out = np.zeros((len(y), len(y)))
    total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            for k in range(len(y)):
                total += out[i, k] * y[k, j]
            out[i, j] = y[i, j] ** 2
    return total


def columns_and_rows(x: Any, v: Any) -> Any:
    total = 0.0
    for i in range(len(v)):
        total += x[i, 0] * v[i]
        for k in range(3):
            total += x[i, k] ** 2
    return total


def left(x: Any, v: Any) -> Any:
    out = np.zeros(len(v))
    for i in range(len(v)):
        out[i] = x[i, 0] * v[i]
        if i * out[i] > 2.0:
            break
    return np.sum(out**2)


@pytest.mark.parametrize(
    ("f", "args"),
    [(rows, (X, V)), (filled, (X, V)), (summed, (X, V))],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_nothing_is_zeroed(f: Any, args: Any) -> None:
    made = value_and_grad(f, wrt="x,v", compile="numba")
    with uncompiled():
        agree(made(*args), value_and_grad(f, wrt="x,v")(*args))
        assert "np.zeros" not in text_of(made)
    assert judged(f, *args).sort == "right"


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (inner_places, (X, V)),
        (some_places, (X, V)),
        (two_columns, (X, V)),
        (turned, (Y,)),
        (neighbours, (Y,)),
        (diagonal, (Y,)),
        (read_along, (Y,)),
        (left, (X, V)),
        (columns_and_rows, (X, V)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_what_is_not_stored_to_first_is_zero(f: Any, args: Any) -> None:
    made = value_and_grad(f, wrt=..., compile="numba")
    with uncompiled():
        agree(made(*args), value_and_grad(f, wrt=...)(*args))
        assert "np.zeros" in text_of(made)
    assert judged(f, *args).sort == "right"


def test_lengths_that_are_equal_are_found() -> None:
    """Another number of rows is another length; another number of columns is another program."""
    made = value_and_grad(rows, wrt="x,v", compile="numba")
    with uncompiled():
        for n, m in ((6, 3), (4, 3), (6, 4)):
            x, v = RNG.uniform(0.5, 1.5, (n, m)), RNG.uniform(0.5, 1.5, n)
            agree(made(x, v), value_and_grad(rows, wrt="x,v")(x, v))
            assert ("np.zeros" in text_of(made)) == (m == 4)


def test_the_pass_can_be_switched_off() -> None:
    made = value_and_grad(filled, wrt="x,v", compile="numba", disable=["dead-initialisation"])
    with uncompiled():
        agree(made(X, V), value_and_grad(filled, wrt="x,v")(X, V))
        assert "np.zeros" in text_of(made)

"""Compiled programs find an index that is out of range, as Python does."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, tangent, value_and_grad
from adjointgen.api.backends.index_checks import CHECKED, checked_in

X = np.array([0.5, -1.25, 2.0])
A = np.arange(1.0, 7.0).reshape(2, 3)


def ahead(x: Any) -> float:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i + 1]
    return total


def linear(x: Any) -> float:
    """Of which the gradient reads no entry of `x`."""
    total = 0.0
    for i in range(len(x) + 1):
        total += 2.0 * x[i]
    return total


def written(x: Any) -> float:
    y = np.zeros(2)
    for i in range(len(x)):
        y[i] = x[i] * x[i]
    return float(np.sum(y))


def counted(x: Any) -> float:
    total = 0.0
    for i in range(4):
        total += x[i] * x[i]
    return total


def gathered(x: Any) -> float:
    places = np.array([0, 2, 3])
    return float(np.sum(x[places] ** 2))


def while_loop(x: Any) -> float:
    total, i = 0.0, 0
    while i <= len(x):
        total += x[i] * x[i]
        i += 1
    return total


def of_rows(x: Any) -> float:
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += A[i, j + 2 * i] * x[i] * x[j]
    return total


def called(x: Any) -> float:
    def square(v: Any, k: int) -> float:
        return float(v[k] * v[k])

    return square(x, len(x)) + square(x, 0)


def unread(x: Any) -> float:
    last = 0.0
    for i in range(len(x) + 1):
        last = x[i]  # noqa: F841
    return float(x[0] * x[1])


OUTSIDE = (unread, ahead, linear, written, counted, gathered, while_loop, of_rows, called)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("f", OUTSIDE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("derivative", [value_and_grad, lambda f, **how: tangent(f, 0, **how)])
def test_an_index_out_of_range_is_an_error(f: Callable[..., Any], derivative: Any) -> None:
    args = (X,) if derivative is value_and_grad else (X, X)
    for how in ({}, {"compile": "numba"}, {"compile": "numba-parallel"}):
        with pytest.raises(IndexError):
            derivative(f, **how)(*args)


def inside(x: Any) -> float:
    total = 0.0
    for i in range(1, len(x) - 1):
        total += x[i - 1] * x[i + 1] + x[-i] * 0.0
    return total


def stencil(u: Any, v: Any) -> float:
    for i in range(1, u.shape[0] - 1):
        for j in range(u.shape[1]):
            u[i, j] = u[i - 1, j] + u[i + 1, j] * v[i]
    return float(np.sum(u))


def of_arrays(x: Any) -> float:
    return float(np.sum(x[1:] * x[:-1]) + np.sum(np.outer(x, x)))


def shown(f: Callable[..., Any], *args: Any) -> str:
    made = value_and_grad(f, compile="numba")
    made(*args)
    return str(made.source)


def test_what_is_sure_to_be_inside_is_not_compared() -> None:
    assert CHECKED not in shown(of_arrays, X)
    assert CHECKED in shown(inside, X)
    assert CHECKED in shown(stencil, A.copy(), np.ones(2))

    def rows(u: Any) -> float:
        total = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(u.shape[1]):
                total += u[i - 1, j] * u[i + 1, j]
        return total

    assert CHECKED not in shown(rows, A)


def test_modules(tmp_path: Path) -> None:
    text = generate(ahead, modes="adjoint", example=(X,), compile="numba").source
    assert '@njit(cache=True, error_model="numpy", boundscheck=True)\ndef ahead_adjoint(' in text
    (tmp_path / "ahead_ad.py").write_text(text)
    with pytest.raises(IndexError):
        runpy.run_path(str(tmp_path / "ahead_ad.py"))["ahead_adjoint"](X)


def test_the_text_names_the_functions() -> None:
    lines = [f"{CHECKED}\n", "def f(x):\n", "    return x\n", "def g(x):\n"]
    assert checked_in(lines) == {"f"}

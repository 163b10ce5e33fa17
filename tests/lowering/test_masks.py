"""What masks pick is a choice in a loop, where only sums of it and its own places need it."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.lowering.loops import text_of, uncompiled

A = np.linspace(0.5, 1.6, 30).reshape(6, 5)
C = np.array([0.0, 1.0, 2.0, 0.0, 3.0, 0.5, 2.5, 1.5])


def rings(x: Any, y: Any) -> Any:
    total = 0.0
    for k in range(4):
        inside = (x >= 0.7 * k) & (x < 0.7 * (k + 1))
        total += np.mean(y[inside]) * np.sum(inside)
    return total


def divided(x: Any, y: Any) -> Any:
    """Where the mask does not hold there is no quotient, and none is asked for."""
    out = y * y
    there = x != 0.0
    out[there] = out[there] / x[there]
    out[there] += np.sqrt(x[there])
    return np.sum(out * out)


def matrices(x: Any, y: Any) -> Any:
    b = x * y
    b[x > 1.4] = b[x > 1.4] * y[x > 1.4]
    b[x < 0.8] *= 3.0
    return np.sum(b * b)


def kept(x: Any, y: Any) -> Any:
    """What is picked has an order: it has to be an array."""
    few = y[x > 0.7]
    return np.sum(few * few[::-1])


def another(x: Any, y: Any) -> Any:
    """What one mask picks is put where another one holds, as often."""
    out = y * 1.0
    out[::-1][x > 1.2] = y[x > 1.2] * 2.0
    out[x > 0.7] = y[x[::-1] > 0.7]
    return np.sum(out * out * y)


CASES = [(rings, (C, C + 1.0)), (divided, (C, C + 1.0)), (matrices, (A, A + 0.1))]
ALL = [*CASES, (kept, (C, C + 1.0)), (another, (C, C + 1.0))]


@pytest.mark.parametrize(("f", "args"), ALL, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_numbers_are_those_of_differences(f: Any, args: tuple[Any, Any]) -> None:
    x, y = args
    with uncompiled():
        bar = grad(f, wrt="y", compile="numba")(x, y.copy())
    dot = np.cos(np.arange(y.size)).reshape(y.shape)
    slope = (f(x, y + 1e-6 * dot) - f(x, y - 1e-6 * dot)) / 2e-6
    assert np.sum(bar * dot) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nothing_is_picked(f: Any, args: tuple[Any, Any]) -> None:
    made = grad(f, wrt="y", compile="numba")
    with uncompiled():
        made(*args)
    text = text_of(made)
    assert not any(part in text for part in ("[inside]", "[there]", "> 1.4]")), text


@pytest.mark.slow
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_compilers_take_it(f: Any, args: tuple[Any, Any]) -> None:
    fast, plain = (grad(f, wrt="y", compile=c)(*args) for c in ("numba", "python"))
    np.testing.assert_allclose(fast, plain, rtol=1e-13)

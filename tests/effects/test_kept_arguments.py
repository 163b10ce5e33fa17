"""Arrays of the caller's that an object keeps: what the function stores into them stays in them.

The reverse sweep needs what they were before, and leaves them as the function does.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad

LOG: list[Any] = []


class Part:
    array: Any


PART = Part()


def as_an_attribute(x: Any) -> Any:
    PART.array = x
    PART.array[0] = x[1] * x[2]
    y = np.sin(PART.array).sum()
    PART.array[1] = PART.array[0] ** 2
    return y + PART.array.prod()


def in_a_list(x: Any) -> Any:
    LOG.append(x)
    y = np.sin(x).sum()
    x[1] = 5.0
    return y + x.prod()


def in_a_loop(x: Any) -> Any:
    LOG.append(x)
    total = 0.0
    for i in range(len(x)):
        total = total + np.sin(x).sum() * x[i]
        x[i] = x[i - 1] ** 2
    return total + x.prod()


def on_a_path(x: Any) -> Any:
    LOG.append(x)
    y = np.cos(x).sum()
    if x[0] > 0.0:
        x[2] = x[0] * x[1]
    return y * x.prod()


def read_only(x: Any) -> Any:
    PART.array = x
    return np.sin(PART.array).sum()


def of_its_own(x: Any) -> Any:
    a = np.zeros(3)
    LOG.append(a)
    a[0] = x[0]
    y = np.sin(a).sum()
    a[1] = a[0] ** 2 * x[1]
    y = y + np.exp(a).sum()
    a[:] = a * x
    return y + a.sum()


ALL = [as_an_attribute, in_a_list, in_a_loop, on_a_path, read_only, of_its_own]


def left(f: Callable[..., Any], call: Callable[..., Any], x: Any) -> tuple[Any, Any]:
    """What a call gives, and what it leaves in the objects, which is the argument or is not."""
    LOG.clear()
    PART.array = None
    found = call(x)
    held = [*LOG, *([PART.array] if PART.array is not None else [])]
    return found, [(one is x, one.tolist()) for one in held]


@pytest.mark.parametrize("f", ALL)
def test_an_array_that_is_kept_stays_as_the_function_leaves_it(f: Callable[..., Any]) -> None:
    at = np.array([0.3, 0.7, 1.1])
    one, other = at.copy(), at.copy()
    value, wanted = left(f, f, one)
    (found, gradient), there = left(f, value_and_grad(f), other)
    assert np.isclose(found, value, rtol=1e-14)
    assert np.allclose(np.array([row[1] for row in there]), [row[1] for row in wanted])
    assert [row[0] for row in there] == [row[0] for row in wanted]
    step = 1e-6
    for k, unit in enumerate(np.eye(3)):
        slope = (f(at + step * unit) - f(at - step * unit)) / (2.0 * step)
        assert np.isclose(gradient[k], slope, rtol=1e-6, atol=1e-8)


def test_a_gradient_is_no_array_that_is_kept() -> None:
    kept = SimpleNamespace(rows=LOG)

    def scaled(x: Any) -> Any:
        a = np.arange(3.0)
        kept.rows.append(a)
        a[1] = 4.0
        return x @ a

    gradient = value_and_grad(scaled)(np.ones(3))[1]
    assert gradient.tolist() == [0.0, 4.0, 2.0]
    assert not np.shares_memory(gradient, LOG[-1])

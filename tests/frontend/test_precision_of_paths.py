"""A number of float32 on one path and of float64 on another keeps its precision on either.

The oracle is the function itself: equal to the last bit, and of the same class.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import generate, value_and_grad

X = np.array([1.1, -2.3, 0.7])


def carried(x: Any) -> Any:
    s = x.astype(np.float32)[0]
    t = 0.0
    for v in x:
        t = t + s * 1.7
        s = s if v > 0 else v
    return t


def branch(x: Any) -> Any:
    y = x.astype(np.float32)
    s = y[0]
    if x[1] > 0:
        s = x[0]
    return s * y[1]


def started(x: Any) -> Any:
    s = np.float32(0.1)
    for v in x:
        s = s * 3.3 if v < 0 else s + v
    return s


@pytest.mark.parametrize("x", [X, -X, abs(X)], ids=["mixed", "opposite", "positive"])
@pytest.mark.parametrize("function", [carried, branch, started])
def test_value_is_that_of_the_function(function: Callable[..., Any], x: Any) -> None:
    value, gradient = value_and_grad(function)(x)
    wanted = function(x)
    assert type(value) is type(wanted) and value == wanted
    step = 0.05 * np.eye(3)
    slopes = [(function(x + h) - function(x - h)) / 0.1 for h in step]
    assert np.allclose(gradient, slopes, rtol=0.05, atol=0.02)


def test_nothing_is_converted() -> None:
    text = generate(carried, example=(X,), modes="adjoint").body
    assert "float(" not in text and ".astype(np.float64)" not in text.partition("# Reverse")[0]

"""Adjoints are not set to zero where nobody reads them again."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, jacfwd

X = np.array([0.7, -1.2, 0.4, 1.9])


def slopes(y: Any) -> Any:
    """A right side, entry by entry."""
    out = np.zeros(3)
    out[0] = 10.0 * (y[1] - y[0])
    out[1] = y[0] * (28.0 - y[2]) - y[1]
    out[2] = y[0] * y[1] - 8.0 * y[2] / 3.0
    return out


def columns(y: Any) -> Any:
    out = np.zeros((4, 3))
    out[:, 0] = np.sin(y)
    out[:, 1] = y * y
    out[:, 2] = y[0] * y
    return out


def overlapping(y: Any) -> Any:
    """The last writes overwrite a part of what the first have written."""
    out = np.zeros(4)
    out[:3] = y[1:] * y[0]
    out[1] = y[0] * y[3]
    out[2:] = out[2:] * y[1]
    return out


def read_as_a_whole(y: Any) -> Any:
    out = np.zeros(4)
    out[1] = y[0] * y[1]
    out = out * y
    out[0] = y[2] * y[3]
    return out


def in_a_loop(y: Any) -> Any:
    out = np.zeros(4)
    for i in range(3):
        out[i] = y[i] * y[i + 1]
    out[3] = y[0] ** 3
    return out


def index_of_a_variable(y: Any) -> Any:
    """What is not a literal may be any element."""
    k = len(y) - 2
    out = np.zeros(4)
    out[1] = y[0] * y[1]
    out[k] = y[2] * y[3]
    out[0] = out[k] * y[1]
    return out


ALL = slopes, columns, overlapping, read_as_a_whole, in_a_loop, index_of_a_variable


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("disable", [(), ("simplify",)], ids=["on", "off"])
@pytest.mark.parametrize("compile", ["python", "numba"])
def test_the_numbers_are_those_of_differences(
    f: Callable[..., Any], disable: Any, compile: Any
) -> None:
    d = np.array([0.3, -0.8, 0.5, 1.1])
    slope = (f(X + 1e-6 * d) - f(X - 1e-6 * d)) / 2e-6
    seed = np.random.default_rng(1).standard_normal(slope.shape)
    kept = seed.copy()
    value, y_bar = adjoint(f, ("y",), disable=disable, compile=compile)(X.copy(), seed)
    assert np.array_equal(value, f(X)) and np.array_equal(seed, kept)
    assert y_bar @ d == pytest.approx(np.sum(seed * slope), rel=1e-8)


def reverse_of(f: Callable[..., Any], *args: Any, **how: Any) -> str:
    made = adjoint(f, ("y",), **how)
    made(*args)
    source: str = made.source
    return source.partition("# Reverse sweep.")[2]


@pytest.mark.parametrize("f", [slopes, columns])
def test_a_seed_that_is_read_by_parts_is_not_copied(f: Callable[..., Any]) -> None:
    text = reverse_of(f, X.copy(), np.ones_like(f(X)))
    assert "out_bar.copy()" not in text and "out_bar[" in text
    assert "] = 0.0" not in text


def test_what_overlaps_is_set_to_zero() -> None:
    text = reverse_of(overlapping, X.copy(), np.ones(4))
    assert "out_bar[2:]" in text and "out_bar[1] = 0.0" in text


def summed(y: Any) -> Any:
    return np.sum(slopes(slopes(y[:3])))


def test_derivatives_of_functions_that_are_called() -> None:
    gradient = grad(summed)
    found = gradient(X.copy())
    jacobian = jacfwd(slopes)
    expected = np.ones(3) @ jacobian(slopes(X[:3])) @ jacobian(X[:3].copy())
    assert found[:3] == pytest.approx(expected, rel=1e-12) and found[3] == 0.0
    assert "= 0.0\n" not in gradient.source.partition("def slopes_reverse")[2]

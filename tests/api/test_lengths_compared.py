"""Lengths that do not fit raise in every derivative, as they do in the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import custom, grad, value_and_grad

Function = Callable[[Any, Any], Any]
LENGTHS = ((4, 2), (4, 1), (1, 4), (4, 4))


def chosen(x: Any, y: Any) -> Any:
    return np.where(y > 0, x, 0.0).sum()


def divided(x: Any, y: Any) -> Any:
    return (x * y).sum() / y[0]


def product(x: Any, y: Any) -> Any:
    return x @ y


def dotted(x: Any, y: Any) -> Any:
    return np.dot(x, y)


def in_place(x: Any, y: Any) -> Any:
    u = x.copy()
    u += y
    return u.sum()


def stored(x: Any, y: Any) -> Any:
    u = x.copy()
    u[...] = y
    return np.sum(u**2)


def masked(x: Any, y: Any) -> Any:
    return np.sum(x[y > 0])


def unread(x: Any, y: Any) -> Any:
    return np.sum(x) * 2 + 0 * np.sum(x * y)


def ahead(x: Any, y: Any) -> Any:
    t = np.exp(x)
    return np.sum(t) + 0.0 * np.sum(t * y)


FUNCTIONS = (chosen, divided, product, dotted, in_place, stored, masked, unread, ahead)


def outcome(function: Callable[..., Any], n: int, m: int) -> str:
    """How a call ends: the name of the exception, or nothing."""
    try:
        function(np.arange(1.0, n + 1), np.arange(1.5, m + 1))
    except Exception as error:
        return type(error).__name__
    return ""


@pytest.mark.parametrize("derive", [grad, value_and_grad])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_derivative_raises_where_the_function_does(function: Function, derive: Any) -> None:
    derivative = derive(function, wrt=(0, 1))
    for n, m in LENGTHS:
        assert outcome(derivative, n, m) == outcome(function, n, m), (n, m)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("function", [chosen, product, in_place, masked])
def test_a_compiled_derivative_raises_where_the_function_does(function: Function) -> None:
    derivative = grad(function, wrt=(0, 1), compile="numba")
    for n, m in LENGTHS:
        assert outcome(derivative, n, m) == outcome(function, n, m), (n, m)


def weighted(x: Any, y: Any) -> Any:
    return np.sum(x) * np.sum(y)


def of_a_rule(x: Any, y: Any) -> Any:
    return np.sum(weighted(x, y) * x)


def in_a_list(x: Any, y: Any) -> Any:
    held = [x[0], x[1]]
    held[0:1] = [y[0], x[2], x[3]]
    return held[1] * held[2] * len(held)


@pytest.mark.parametrize("f", [weighted, of_a_rule, in_a_list])
def test_lengths_that_need_not_be_equal_are_not_compared(f: Function) -> None:
    custom(
        adjoint=lambda y, a, b, y_bar: (
            y_bar * np.sum(b) * np.ones_like(a),
            y_bar * np.sum(a) * np.ones_like(b),
        ),
        infer=lambda types, options: (types[0].with_shape(()),),
    )(weighted)
    x, y = np.arange(1.0, 5.0), np.arange(1.5, 4.0)
    x_bar, y_bar = grad(f, wrt=(0, 1))(x, y)
    assert x_bar.shape == x.shape
    assert y_bar.shape == y.shape

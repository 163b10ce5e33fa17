"""A rule of a user's has no values: what it asks of one is refused, never answered by chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, custom, grad, jvp


def _arm(y: Any, x: Any, y_bar: Any) -> Any:
    if abs(x) < 1:
        return y_bar * x
    return y_bar * math.copysign(1.0, x)


def arms(x: Any) -> Any:
    return 0.5 * x * x if abs(x) < 1 else abs(x) - 0.5


def negated(x: Any) -> Any:
    return x * x / 2 if x >= 0 else 7 * x


def greatest(x: Any) -> Any:
    return x


def number(x: Any) -> Any:
    return math.sin(x)


def whole(x: Any) -> Any:
    return x


def unknown(x: Any) -> Any:
    return x


def array_of_its_own(x: Any) -> Any:
    return x


def by_class(x: Any) -> Any:
    return x * (2.0 if isinstance(x, np.ndarray) else 3.0)


def squared(x: Any) -> Any:
    return x * x / 2.0


RULES: dict[Callable[..., Any], Callable[..., Any]] = {
    arms: _arm,
    negated: lambda y, x, y_bar: y_bar * x if not (x < 0) else 7 * y_bar,
    greatest: lambda y, x, y_bar: y_bar * max(x, 1.0),
    number: lambda y, x, y_bar: y_bar * math.cos(x),
    whole: lambda y, x, y_bar: y_bar * int(x),
    unknown: lambda y, x, y_bar: y_bar * x.nothing(),
    array_of_its_own: lambda y, x, y_bar: y_bar * np.ones(3),
    by_class: lambda y, x, y_bar: y_bar * (2.0 if isinstance(x, np.ndarray) else 3.0),
    squared: lambda y, x, y_bar: y_bar.copy() * x.T.reshape(x.shape) * x.sum() / x.sum() * x.ndim,
}


@pytest.fixture(autouse=True)
def _declared() -> None:
    for function, rule in RULES.items():
        custom(adjoint=rule)(function)


@pytest.mark.parametrize("f", [arms, negated, greatest, number, whole, unknown, array_of_its_own])
def test_a_rule_that_asks_for_a_value_is_refused(f: Any) -> None:
    for derivative in (grad(f), lambda x: jvp(f, (x,), (1.0,))):
        with pytest.raises(AdjointgenError, match="AG201"):
            derivative(2.0)


def test_isinstance_sees_arrays_and_numbers() -> None:
    assert grad(by_class)(2.0) == 3.0
    assert list(grad(lambda x: np.sum(by_class(x)))(np.ones(2))) == [2.0, 2.0]


def test_attributes_and_methods_of_arrays() -> None:
    x = np.array([1.0, 2.0, 4.0])
    assert np.allclose(grad(lambda x: np.sum(squared(x)))(x), x)


def test_several_results_need_their_types() -> None:
    with pytest.raises(AdjointgenError, match="AG415"):

        @custom(adjoint=lambda y, x, y_bar: y_bar[0] * 2.0)
        def pair(x: Any) -> Any:
            return x * 2.0, x

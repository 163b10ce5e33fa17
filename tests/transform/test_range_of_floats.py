"""Constants that leave the range of floats together: each is multiplied where it stands."""

import math
from collections.abc import Callable
from typing import Any

import pytest

import adjointgen as ag


def overflows(x: Any) -> Any:
    return (x * 1e200) * 1e200


def overflows_in_between(x: Any) -> Any:
    return x * 1e308 * 10 / 1e308


def underflows(x: Any) -> Any:
    return (x * 1e-200) * 1e-200


def divided(x: Any) -> Any:
    return (x / 1e200) / 1e200


def powers_of_two(x: Any) -> Any:
    return (x * 2.0**600) * 2.0**600


@pytest.mark.parametrize("x", [1.3, 1e-300, 1e300])
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (overflows, math.inf),
        (overflows_in_between, 10.0),
        (underflows, 0.0),
        (divided, 0.0),
        (powers_of_two, math.inf),
    ],
)
def test_value_is_pythons(f: Callable[[Any], Any], slope: float, x: float) -> None:
    value, tangent = ag.jvp(f, (x,), (1.0,))
    assert value == f(x)
    # The derivative of what overflows on the way is either of these, by the order of its factors.
    assert tangent in (slope, math.inf)
    value, gradient = ag.value_and_grad(f)(x)
    assert value == f(x)
    assert gradient in (slope, math.inf)

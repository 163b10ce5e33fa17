"""Defaults have the value that they had where the function was defined."""

from __future__ import annotations

from typing import Any

from adjointgen import value_and_grad

SCALE = 2.0


def grown(x: Any) -> Any:
    global SCALE
    SCALE = SCALE + 1.0
    return x * x * SCALE


def scaled(x: Any, k: float = SCALE, n: int = max(2, 3)) -> Any:
    return x * k * n


def test_a_default_is_a_variable_that_a_function_assigns() -> None:
    derivative = value_and_grad(scaled)
    assert derivative(1.5) == (9.0, 6.0)
    grown(1.0)
    assert SCALE == 3.0
    assert derivative(1.5) == (9.0, 6.0)

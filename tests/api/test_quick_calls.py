"""Calls that follow others: each has the program for its own arguments, whatever came before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.api.arguments.argument_binding import guard
from adjointgen.api.arguments.argument_tests import asked_of
from adjointgen.api.specialize.validity_check import standing_for

SCALE = 2.0


class Word(str):
    """A string of another class."""


def scaled(x: Any, p: Any) -> Any:
    """What its arguments are decides what is computed."""
    if isinstance(p, str):
        return np.sum(x) * len(p)
    if p is None or isinstance(p, bool):
        return np.sum(x * x) if p else np.sum(x)
    if isinstance(p, dict):
        return np.sum(x) * p["a"] * len(p)
    if isinstance(p, tuple | list):
        return np.sum(x) * p[0] * p[1]
    return np.sum(x * p + np.ones((2, 2))) * SCALE


ONE = np.array([1.5])
FIRSTS = (0.5, np.float64(0.5), np.array([0.5, 2.0]), ONE, np.array([[0.5], [1.0]]))
SECONDS = (
    1.5,
    3,
    np.float32(2.0),
    np.array([1.0, 4.0]),
    np.array([2.0]),
    np.array([[1.0, 4.0], [2.0, 3.0]]),
    np.array([2, 5]),
    np.array([[1.0, 4.0]]),
    np.array([1.0, 4.0], np.float32),
    np.array(3.0),
    "a",
    "ab",
    None,
    True,
    False,
    {"a": 1.5, "b": 2.0},
    {"b": 1.5, "a": 2.0},
    {"a": 1.5, "b": 3},
    {"a": 1.5},
    {"a": np.float64(1.5), "b": 2.0},
    (1.5, 2.0),
    (1, 2.0),
    (2, 2.0),
    (True, 2.0),
    [1.5, 2.0],
    [1.5, 2],
    [1.5, 2.0, 3.0],
)


@pytest.mark.parametrize("first", range(len(FIRSTS)))
def test_calls_one_after_another(first: int) -> None:
    program = value_and_grad(scaled, "x")
    x = FIRSTS[first]
    for _ in range(2):
        for p in (*SECONDS, *reversed(SECONDS)):
            value, found = program(x, p)
            assert np.isclose(value, scaled(x, p)), p
            step = 1e-6 * np.ones_like(x)
            slope = (scaled(x + step, p) - scaled(x - step, p)) / 2e-6
            assert np.isclose(np.sum(found), slope), p
            assert np.shape(found) == np.shape(x)


@pytest.mark.parametrize("own", range(len(SECONDS)))
def test_what_passes_has_the_guard(own: int) -> None:
    tests = asked_of((SECONDS[own],))
    if tests is None:
        return
    fits = standing_for(scaled, (), tests.tests, tests.held)
    assert fits((SECONDS[own],)) and not fits(()) and not fits((SECONDS[own], 1.0))
    for other in (*SECONDS, np.ones(2, ">f8"), Word("ab"), {Word("a"): 1.5, "b": 2.0}):
        assert not fits((other,)) or guard(other) == guard(SECONDS[own])


@pytest.mark.parametrize("p", [1.5, np.array([1.0, 2.0])], ids=["number", "array"])
def test_a_name_outside_may_change(p: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    program: Callable[..., Any] = value_and_grad(scaled, "x")
    for scale in (2.0, 2.0, 5.0, 7.0, 2.0):
        monkeypatch.setitem(scaled.__globals__, "SCALE", scale)
        value, found = program(0.5, p)
        assert np.isclose(value, scaled(0.5, p))
        assert np.isclose(found, 4.0 * np.sum(p) * scale * (1.0 if np.ndim(p) == 0 else 0.5))


def test_an_array_that_is_written_is_the_callers() -> None:
    def written(x: Any, y: Any) -> Any:
        y[0] = x[0] * x[1]
        return np.sum(x * y)

    program = value_and_grad(written, "x")
    x, y = np.array([0.5, 2.0]), np.array([1.0, 3.0])
    for _ in range(3):
        value, _ = program(x, y)
        assert value == 6.5 and y.tolist() == [1.0, 3.0]
    with pytest.raises(Exception, match="AG113"):
        program(x, x)

"""Loops of exponentials stay apart where one would touch too many arrays."""

import re
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad

pytest.importorskip("numba", reason="the compiled target needs Numba")
RNG = np.random.default_rng(3)


def gated(weights: Any, biases: Any, x: Any) -> Any:
    """A recurrent cell, of which every value is recorded."""
    cell = np.zeros(x.shape[1])
    total = 0.0
    for t in range(x.shape[0]):
        forget = 1.0 / (1.0 + np.exp(-(x[t] * weights[0] + biases[0])))
        enter = 1.0 / (1.0 + np.exp(-(x[t] * weights[1] + biases[1])))
        change = np.tanh(x[t] * weights[2] + biases[2])
        cell = cell * forget + enter * change
        total += np.sum(cell * np.tanh(cell))
    return total


def smooth(x: Any) -> Any:
    """Exponentials of few arrays."""
    e = np.exp(x - 1.0)
    return np.sum(e / (1.0 + e))


ARGS = (*RNG.standard_normal((2, 3, 9)), RNG.standard_normal((5, 9)))


def _loops(source: str) -> list[str]:
    """The bodies of the innermost loops that compute exponentials."""
    bodies = re.findall(r"(?=^( +)for \w+ in range\(.*\n((?:\1    .*\n)+))", source, re.MULTILINE)
    return [b for _, b in bodies if " for " not in b and "_vector_" in b]


def test_the_numbers_are_those_of_numpy() -> None:
    value, bars = value_and_grad(gated, wrt="weights,biases,x")(*ARGS)
    found, found_bars = value_and_grad(gated, wrt="weights,biases,x", compile="numba")(*ARGS)
    assert found == pytest.approx(value, rel=1e-13)
    for a, b in zip(found_bars, bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def test_a_crowded_loop_is_several() -> None:
    made = value_and_grad(gated, wrt="weights,biases,x", compile="numba")
    made(*ARGS)
    forward = made.source[: made.source.index("# Reverse")]
    loops = _loops(forward)
    assert len(loops) > 1
    assert all(len(set(re.findall(r"^ +(\w+)\[.*\] = ", b, re.MULTILINE))) < 5 for b in loops)


def test_few_arrays_are_one_loop() -> None:
    made = value_and_grad(smooth, compile="numba")
    made(ARGS[0][0])
    assert len(_loops(made.source)) == 1

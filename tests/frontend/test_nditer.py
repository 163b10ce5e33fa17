"""`np.nditer` in functions: values as NumPy gives them, derivatives as differences do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, check, tangent, value_and_grad

ROW = np.array([0.7, -1.3, 2.1])
GRID = np.array([[1.0, 2.0, 0.5], [0.3, -0.7, 1.1]])


def squares(x: Any) -> Any:
    y = np.zeros(x.size)
    for i, v in enumerate(np.nditer(x)):
        y[i] = v * v
    return y


def two_operands(x: Any) -> Any:
    y = np.empty_like(x)
    for a, b in np.nditer([x, y], op_flags=[["readonly"], ["writeonly"]]):
        b[...] = a * 2 + np.sin(a)
    return y


def by_hand(x: Any) -> Any:
    s = 0.0
    it = np.nditer(x, flags=["multi_index"])
    while not it.finished:
        s += it[0] * sum(it.multi_index) + x[it.multi_index]
        it.iternext()
    return s


def in_fortrans_order(x: Any) -> Any:
    out = np.zeros(x.size)
    with np.nditer(x, flags=["f_index"]) as it:
        for v in it:
            out[it.index] = v * it.iterindex
    return out


def in_place(x: Any) -> Any:
    y = x * 1.0
    for v in np.nditer(y, op_flags=["readwrite"]):
        v[...] = v * v
    for v in np.nditer(y, op_flags=["readwrite"]):
        v *= 2.0
    return y


def allocated(x: Any) -> Any:
    it = np.nditer([x, None])
    with it:
        for a, b in it:
            b[...] = a * a
        return it.operands[1]


def spread(x: Any) -> Any:
    return np.array([a * b + c for a, b, c in np.nditer([x, x[:1], 2.0 * x[0]])])


def set_by_hand(x: Any) -> Any:
    y = np.zeros_like(x)
    it = np.nditer(y, ["c_index"], ["writeonly"])
    while not it.finished:
        it[0] = x.flat[it.index] * it.index
        it.iternext()
    return y


FUNCTIONS = [
    *(squares, two_operands, by_hand, in_fortrans_order, in_place, allocated, spread),
    set_by_hand,
]


@pytest.mark.parametrize("x", [ROW, ROW[:1], GRID, GRID[None]], ids=["row", "one", "grid", "deep"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_values_and_derivatives(f: Callable[..., Any], x: Any) -> None:
    check(f, [x]).raise_on_failure()


@pytest.mark.parametrize("x", [ROW[::-1], GRID.T, GRID[:, ::2]])
@pytest.mark.parametrize("f", [squares, by_hand])
def test_an_array_in_another_order_is_refused_when_the_program_runs(
    f: Callable[..., Any], x: Any
) -> None:
    """In which order NumPy takes the entries depends on how they lie in memory."""
    with pytest.raises(NotImplementedError, match="AG104"):
        tangent(f)(x, np.ones_like(x))


def test_no_entries() -> None:
    with pytest.raises(ValueError, match="zero-sized"):
        tangent(squares)(np.zeros(0), np.zeros(0))


def written_though_read_only(x: Any) -> Any:
    y = x * 1.0
    for v in np.nditer(y):
        v[...] = 2.0
    return y.sum()


def resumed(x: Any) -> Any:
    it, s = np.nditer(x), 0.0
    for v in it:
        s += v
        break
    for v in it:
        s += v * v
    return s


def grouped(x: Any) -> Any:
    return sum(v.sum() for v in np.nditer(x, flags=["external_loop"]))


@pytest.mark.parametrize("f", [written_though_read_only, resumed, grouped])
def test_what_has_no_derivative(f: Callable[..., Any]) -> None:
    with pytest.raises(AdjointgenError):
        value_and_grad(f)(ROW)

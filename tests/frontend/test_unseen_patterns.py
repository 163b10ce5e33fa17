"""Patterns of packages around objects: value and slope are those of the function."""

import time
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, value_and_grad

X = np.array([0.3, 0.4, 0.5])
STIFF = np.arange(16.0).reshape(4, 4)
FREE = [0, 2, 3]


class Ply:
    def __init__(self, angle: Any, thickness: Any) -> None:
        self.angle, self.thickness = angle, thickness

    def stiffness(self) -> Any:
        return self.angle * self.thickness


class Stack:
    def __init__(self, plies: Any, offset: str = "mid") -> None:
        self.plies, self.offset = plies, offset

    def total(self) -> Any:
        return sum(p.stiffness() for p in self.plies)


def ply(angle: Any, thickness: Any) -> Ply:
    return Ply(angle, thickness)


def objects_by_a_helper(x: Any) -> Any:
    return Stack(plies=[ply(a, t) for a, t in zip(x, x * 2.0, strict=True)]).total()


def objects_by_an_index(x: Any) -> Any:
    return Stack([ply(x[i], 1.0) for i in range(len(x))]).total()


class Frame:
    def __init__(self, angle: Any, parent: Any = None) -> None:
        self.angle, self.parent = angle, parent

    def child(self, *args: Any, **kwargs: Any) -> Any:
        kwargs.update({"parent": self})
        return Frame(*args, **kwargs)


def angle_between(first: Any, last: Any) -> Any:
    angle, frame = 0.0, last
    while frame:
        if frame == first:
            return angle
        angle = angle * 0.5 + frame.angle
        frame = frame.parent
    return angle


def chain_of_objects(x: Any) -> Any:
    frame = root = Frame(1.0)
    for angle in x:
        frame = frame.child(angle * angle)
    return angle_between(None, frame) + angle_between(root, frame)


def grid_of_indices(x: Any) -> Any:
    k, free = STIFF * x[0] + 10.0 * np.eye(4), [i for i in range(4) if i != 1]
    u = np.zeros(4)
    u[free] = np.linalg.solve(k[np.ix_(free, free)], x)
    return u @ k @ u + np.linalg.det(k[np.ix_(FREE, FREE)])


def grid_of_what_is_left(x: Any) -> Any:
    k, left = STIFF * x[0] + 10.0 * np.eye(4), np.setdiff1d(np.arange(4), [1])
    return np.linalg.solve(k[np.ix_(left, left)], x)[1]


def lengths_of_axes(x: Any) -> Any:
    y = np.ones((2, 3)) * x
    return np.size(y, axis=0) * np.sum(y) + np.size(y, 1) * x[0] + np.size(a=y, axis=-1) * x[1]


class Regime(Enum):
    LAMINAR = "laminar"
    TURBULENT = "turbulent"


class Flow:
    def __init__(self, value: Any, regime: Regime, seconds: Any) -> None:
        self.value, self.regime, self.seconds = value, regime, seconds


def flow(v: Any) -> Flow:
    start = time.perf_counter()
    if v > 0.45:
        return Flow(v * v, Regime.TURBULENT, time.perf_counter() - start)
    return Flow(v, Regime.LAMINAR, 0.0)


def entries_of_an_enumeration(x: Any) -> Any:
    total = 0.0
    for v in x:
        found = flow(v)
        total += found.value * (2.0 if found.regime is Regime.LAMINAR else 3.0)
    return total


class Callable1:
    def __init__(self) -> None:
        self.law = np.poly1d([1.0, 2.0])

    def at(self, x: Any) -> Any:
        return self.law(x)


def object_in_an_attribute(x: Any) -> Any:
    return np.sum(Callable1().at(x))


PROGRAMS = (
    *(objects_by_a_helper, objects_by_an_index, chain_of_objects, grid_of_indices),
    *(grid_of_what_is_left, lengths_of_axes, entries_of_an_enumeration),
    object_in_an_attribute,
)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_slope(f: Callable[[Any], Any]) -> None:
    value, slope = value_and_grad(f)(X)
    steps = 1e-6 * np.eye(3)
    assert value == pytest.approx(f(X), rel=1e-13)
    wanted = [(f(X + h) - f(X - h)) / 2e-6 for h in steps]
    assert slope == pytest.approx(wanted, rel=1e-5, abs=1e-6)


def remaining(amount: Any, **kwargs: Any) -> Any:
    return amount * 0.5 ** (kwargs["t"] / kwargs["half"])


def test_keyword_arguments_are_named_in_wrt() -> None:
    by_name = grad(remaining, wrt=("amount", "half"))(2.0, t=3.0, half=4.0)
    whole = grad(remaining, wrt=("amount", "kwargs"))(2.0, t=3.0, half=4.0)
    assert by_name == (whole[0], whole[1]["half"])
    with pytest.raises(AdjointgenError) as caught:
        grad(remaining, wrt="halv")(2.0, t=3.0, half=4.0)
    assert caught.value.code == "AG402"


def test_an_argument_that_is_not_looked_at_is_refused() -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(lambda x: np.size(x, axis=(0,)) * np.sum(x))(X)
    assert caught.value.code == "AG201"

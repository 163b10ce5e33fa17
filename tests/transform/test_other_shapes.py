"""Names that have arrays of another shape in every iteration."""

import math
from typing import Any

import numpy as np
import pytest

import adjointgen
from tests.lowering.loops import Loops, judged

X = np.linspace(0.4, 1.6, 6)


def made_anew(x: Any) -> Any:
    """Nothing before the loop has a shape to go by."""
    for j in range(3):
        v = x[j:] * x[j]
    return v


def made_before(x: Any) -> Any:
    v = np.outer(x, x)[0]
    for _ in range(1, 4):
        v = x[1:]
    return v


def shorter(x: Any) -> Any:
    v = np.sin(x)
    for j in range(4):
        v = x[j:] * 2.0 if j % 2 == 0 else v[1:] * v[:-1]
    return v


def made_on_one_path(x: Any) -> Any:
    for j in range(4):
        if x[j] > 0.5:
            v = x[j:] * x[j]
    return v


def kept_one_behind(x: Any) -> Any:
    v = u = np.cos(x)
    for j in range(3):
        u = v
        v = x[j:] * x[j]
        if v[0] > 0.6:
            break
    return np.sum(u * u) + np.sum(v)


def with_two_axes(x: Any) -> Any:
    m = np.outer(x, x)
    for j in range(3):
        v = m[j:, 1:] * x[j]
        for k in range(2):
            w = v[:, k:] * math.sin(x[k])
    return v[:2, :2] * w[:1, :2]


def counted(x: Any) -> Any:
    k = 0
    while k < 3:
        v = x[k:] * x[k]
        k += 1
    return v


def written(x: Any) -> Any:
    for j in range(3):
        v = x[j:] * x[j]
        v[0] = v[1] * 2.0
        u = v
    return u + v


FUNCTIONS = [
    made_anew,
    made_before,
    shorter,
    made_on_one_path,
    kept_one_behind,
    with_two_axes,
    counted,
    written,
]


@pytest.mark.parametrize("engine", [adjointgen, Loops], ids=["arrays", "loops"])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_adjoints_have_the_shape_of_their_value(f: Any, engine: Any) -> None:
    found = judged(f, X, engine=engine)
    assert found.sort == "right", found.detail

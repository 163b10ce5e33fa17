"""Tangents that a loop binds anew share no storage with what is written after the loop.

The tangent of `a = y - 1.0` is that of `y`, whose entries are set to zero where `y` is overwritten.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hessian, tangent

X = np.array([0.5, 0.25, 0.75, 1.0])


def bound_anew(u: float, x: Any) -> Any:
    y = x * u
    a = x
    for _ in range(3):
        a = y - 1.0
    y[0] = 3.0
    return np.sum(a * y)


def a_slice_after(u: float, x: Any) -> Any:
    y = x * u
    a = x
    for _ in range(len(x)):
        a = 1.0 + y
    y[::2] = a[::2] * y[::2]
    return np.sum(a * y)


def written_whole(u: float, x: Any) -> Any:
    y = np.sin(x * u)
    a = np.cos(x)
    for _ in range(len(x)):
        a[...] = y
        break
    a[0] = 1.0
    return np.sum(a * y)


def while_loop(u: float, x: Any) -> Any:
    y = x * u
    a = x
    k = 0
    while k < 2:
        a = y + 2.0
        k += 1
    a[1] = 5.0
    return np.sum(a * y)


class Holder:
    p: Any


def an_attribute(u: float, x: Any) -> Any:
    y = x * u
    o = Holder()
    o.p = x
    for _ in range(3):
        o.p = y - 1.0
    y[0:1] = 2.0
    return np.sum(o.p * y)


@pytest.mark.parametrize("f", [bound_anew, a_slice_after, written_whole, while_loop, an_attribute])
def test_tangents_and_seconds(f: Callable[[float, Any], Any]) -> None:
    u, h = 0.7, 1e-5
    slope = (f(u + h, X) - f(u - h, X)) / (2 * h)
    assert tangent(f, "u")(u, X, 1.0)[1] == pytest.approx(slope, rel=1e-8)
    assert grad(f, "u")(u, X) == pytest.approx(slope, rel=1e-8)
    bend = (grad(f, "u")(u + h, X) - grad(f, "u")(u - h, X)) / (2 * h)
    assert hessian(f, "u")(u, X) == pytest.approx(bend, rel=1e-7, abs=1e-7)

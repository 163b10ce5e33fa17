"""Objects of the caller's whose arrays are written in place, while other attributes are set."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjointgen as ag


class Field:
    """Values on a grid, and the time."""

    def __init__(self, u: Any) -> None:
        self.u = u
        self.t = 0.0

    def step(self, k: float) -> None:
        self.u[1:-1] += k * (self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2])
        self.t += 0.1

    def scale(self, k: float) -> None:
        self.u = self.u * k

    def __setitem__(self, i: int, v: Any) -> None:
        self.u[i] = v

    def __getitem__(self, i: int) -> Any:
        return self.u[i]


def field() -> Field:
    return Field(np.arange(5.0) ** 2)


def steps(k: float, s: Field) -> Any:
    for _ in range(3):
        s.step(k)
    return np.sum(s.u**2) * s.t


def until(k: float, s: Field) -> Any:
    while s.t < 0.25:
        s.step(k)
    return np.sum(s.u**2) * s.t


def entries(k: float, s: Field) -> Any:
    for i in range(3):
        s[i] += k
    s.t = k * k
    return np.sum(s.u**2) + s.t


def one_or_other(k: float, s: Field) -> Any:
    if k > 0.1:
        s.step(k)
    else:
        s.scale(k)
    return np.sum(s.u**2)


def both(k: float, s: Field) -> Any:
    s.scale(k)
    s.step(k)
    return np.sum(s.u**2)


def several(k: float, s: Field) -> Any:
    total = 0.0
    for one in (s, Field(np.ones(4) * k)):
        one.step(k)
        total += np.sum(one.u**2)
    return total


@pytest.mark.parametrize("f", [steps, until, entries, one_or_other, both, several])
def test_derivatives_and_what_is_left(f: Callable[..., Any]) -> None:
    k, h = 0.23, 1e-6
    left, kept = field(), field()
    value = f(k, left)
    wanted = (f(k + h, field()) - f(k - h, field())) / (2.0 * h)
    found = ag.tangent(f, wrt="k")(k, kept, 1.0)
    assert found == (pytest.approx(value, rel=1e-13), pytest.approx(wanted, rel=1e-7))
    assert kept.t == pytest.approx(left.t, rel=1e-13)
    assert ag.grad(f, wrt="k")(k, field()) == pytest.approx(wanted, rel=1e-7)
    second = (ag.grad(f, wrt="k")(k + h, field()) - ag.grad(f, wrt="k")(k - h, field())) / (2 * h)
    assert ag.hessian(f, wrt="k")(k, field()) == pytest.approx(second, rel=1e-6)


def test_the_gradient_by_what_the_object_holds() -> None:
    h = 1e-6
    bar = ag.grad(steps, wrt="s")(0.23, field())
    for j in range(5):
        step = h * np.eye(5)[j]
        ends = [steps(0.23, Field(np.arange(5.0) ** 2 + sign * step)) for sign in (1.0, -1.0)]
        assert bar.u[j] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6, abs=1e-6)


def test_what_a_foreign_call_may_have_kept_is_refused() -> None:
    def f(k: float, s: Field) -> Any:
        seen = vars(s)
        s.u[0] = k
        s.t = k
        return np.sum(seen["u"]) * k

    with pytest.raises(ag.AdjointgenError):
        ag.grad(f, wrt="k")(0.23, field())

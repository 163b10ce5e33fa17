"""A function with a rule that does more than compute is called once for each call, in its place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjointgen import custom, grad, jvp, value_and_grad, vjp
from adjointgen.rules.declared_source import only_computes

LOG: list[Any] = []
X = np.array([1.0, 2.0, 3.0, 4.0])


def noted(a: Any, b: Any) -> Any:
    LOG.append(float(a))
    return a * b


def times(a: Any, b: Any) -> Any:
    c = np.maximum(a, -1e9).copy()
    return math.fabs(c) * abs(b) if c > 1e12 else c * b


def shown(a: Any) -> Any:
    print(a)
    return a


def drawn(a: Any) -> Any:
    return a * np.random.rand()


def filled(a: Any) -> Any:
    a[0] = 1.0
    return a


def by_another(a: Any) -> Any:
    return shown(a)


def products(x: Any) -> Any:
    return noted(noted(x[0], x[1]), noted(x[2], x[3]))


def test_each_call_happens_once() -> None:
    custom(adjoint=lambda y, a, b, y_bar: (y_bar * b, y_bar * a))(noted)
    for derivative in (
        lambda: grad(products)(X),
        lambda: value_and_grad(products)(X),
        lambda: jvp(products, (X,), (X,)),
        lambda: vjp(products, X)[1](1.0),
    ):
        LOG.clear()
        derivative()
        assert LOG == [1.0, 3.0, 2.0]


@pytest.mark.parametrize("f", [noted, shown, drawn, filled, by_another])
def test_what_may_do_more_than_compute(f: Any) -> None:
    assert not only_computes(f)


def test_what_only_computes() -> None:
    assert only_computes(times)

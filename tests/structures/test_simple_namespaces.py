"""`types.SimpleNamespace`: attributes like those of an instance of a class without methods."""

from __future__ import annotations

from types import SimpleNamespace as Names
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, generate, grad, jvp, value_and_grad


def energy(p: Any, x: float) -> Any:
    p.a = p.a * x
    return p.a * np.sum(p.b) + p.inner.c**2


def given() -> Names:
    return Names(a=2.0, b=np.ones(3), n=3, inner=Names(c=1.5))


def test_an_argument() -> None:
    here, there = given(), given()
    value, slope = value_and_grad(energy)(here, 3.0)
    assert value == energy(there, 3.0)
    assert here.a == there.a == 6.0
    assert (type(slope), slope.a, slope.inner.c) == (Names, 9.0, 3.0)
    np.testing.assert_array_equal(slope.b, np.full(3, 6.0))
    assert grad(energy, wrt="p.inner.c")(given(), 3.0) == 3.0
    direction = Names(a=1.0, b=np.zeros(3), n=0, inner=Names(c=1.0))
    assert jvp(energy, (given(), 3.0), (direction, 0.0))[1] == 12.0


def test_one_that_is_made() -> None:
    def loop(x: float) -> float:
        s = Names(v=0.0, n=0)
        for i in range(3):
            s.v = s.v + x * i
            s.n += 1
        s.last = s.v
        return s.last * s.n

    assert value_and_grad(loop)(2.0) == (18.0, 9.0)
    result, slope = jvp(lambda x: Names(y=x * x, z=3.0), (2.0,), (1.0,))
    assert (result, slope.y, slope.z) == (Names(y=4.0, z=3.0), 4.0, 0.0)


def test_equal_ones_are_not_told_by_identity() -> None:
    def same(x: float, p: Any, q: Any) -> float:
        return x * (2.0 if p == q else 3.0)

    for q, expected in ((Names(a=1.0), 2.0), (Names(a=2.0), 3.0)):
        assert grad(same)(0.5, Names(a=1.0), q) == expected

    def made(x: float) -> float:
        return x * (2.0 if Names(a=x) == Names(a=x) else 3.0)

    with pytest.raises(AdjointgenError):
        grad(made)(2.0)


def test_a_written_program() -> None:
    names: dict[str, Any] = {}
    made = generate(energy, wrt="p", modes=("tangent",), example=(given(), 3.0))
    exec(made.body, names)
    direction = Names(a=1.0, b=np.zeros(3), inner=Names(c=1.0))
    assert names["energy_tangent"](given(), 3.0, direction)[1] == 12.0

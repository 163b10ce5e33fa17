"""Methods of ufuncs, logarithms to a base, parts of real numbers: against closed forms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import adjoint, grad, jvp

A = np.array([[0.5, 2.0, 1.5], [1.0, 0.25, 3.0]])
ROWS = A.sum(axis=1, keepdims=True)
COLUMNS = A.sum(axis=0)


def total(a: Any) -> Any:
    return np.add.reduce(a, axis=None)


def of_columns(a: Any) -> Any:
    return np.add.reduce(np.add.reduce(a) ** 2)


def of_rows(a: Any) -> Any:
    return np.sum(np.add.reduce(a, 1, keepdims=True) ** 2)


def product(a: Any) -> Any:
    return np.multiply.reduce(a[0])


def largest(a: Any) -> Any:
    return np.sum(np.maximum.reduce(a) - np.minimum.reduce(a))


def running(a: Any) -> Any:
    return np.sum(np.add.accumulate(a, axis=1))


def parts(a: Any) -> Any:
    return np.sum(a.real * a + a.imag)


CASES = [
    (total, np.ones((2, 3))),
    (of_columns, np.broadcast_to(2.0 * COLUMNS, (2, 3))),
    (of_rows, np.broadcast_to(2.0 * ROWS, (2, 3))),
    (product, np.array([[3.0, 0.75, 1.0], [0.0, 0.0, 0.0]])),
    (largest, np.where(A.max(axis=0) == A, 1.0, -1.0)),
    (running, np.array([[3.0, 2.0, 1.0]] * 2)),
    (parts, 2.0 * A),
]


@pytest.mark.parametrize(("f", "slope"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_of_arrays(f: Callable[..., Any], slope: Any) -> None:
    np.testing.assert_allclose(grad(f)(A), slope, rtol=1e-14)
    assert adjoint(f)(A, 1.0)[0] == f(A)
    direction = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(jvp(f, (A,), (direction,))[1], np.sum(slope * direction), rtol=1e-14)


def logarithm(x: float, base: float) -> float:
    return math.log(x, base)


def test_a_logarithm_to_a_base() -> None:
    """The slopes of ln x / ln b are 1 / (x ln b) and -ln x / (b ln² b)."""
    x, base = 2.5, 3.0
    wanted = 1 / (x * math.log(base)), -math.log(x) / (base * math.log(base) ** 2)
    assert adjoint(logarithm, ("x", "base"))(x, base, 1.0) == pytest.approx(
        (math.log(x, base), *wanted), rel=1e-15
    )
    for k in range(2):
        unit = [float(k == 0), float(k == 1)]
        assert jvp(logarithm, (x, base), tuple(unit))[1] == pytest.approx(wanted[k], rel=1e-15)


def part_of_a_number(x: float) -> float:
    return x.real * x + x.imag


def test_the_parts_of_a_number() -> None:
    assert grad(part_of_a_number)(1.5) == 3.0
    assert jvp(part_of_a_number, (1.5,), (1.0,)) == (2.25, 3.0)

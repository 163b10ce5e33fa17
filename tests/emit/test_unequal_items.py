"""A loop over the entries of two arrays is written with `zip` only where their lengths are one."""

from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad


def indexed(x: float, a: Any, b: Any) -> float:
    s = x
    for k in range(len(b)):
        p = b[k]
        q = a[k]
        s = s * 1.5 + p * q
    return s


def test_an_index_that_is_out_of_range_raises() -> None:
    a, b = np.array([0.5, 1.0]), np.array([0.5, 1.0, 2.0])
    value, slope = value_and_grad(indexed)(1.5, b, a)
    assert value == indexed(1.5, b, a) and slope == 1.5**2
    with pytest.raises(IndexError):
        indexed(1.5, a, b)
    with pytest.raises(IndexError):
        value_and_grad(indexed)(1.5, a, b)

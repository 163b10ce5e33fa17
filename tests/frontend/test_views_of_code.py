"""Views that code gives of which nothing is known, and rows that are chosen by a key.

A write through such a view is the user's, or refused; never left out.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, adjoint, tangent

X = np.array([[0.7, -1.2, 0.4], [1.9, -0.3, 0.8], [0.2, 1.1, -0.6]])


def sorted_updated(x):
    y = x * 1.0
    m = sorted(y, key=np.sum)[0]
    m *= 3.0
    return np.sum(y**2)


def sorted_filled(x):
    y = x * 1.0
    m = sorted(y, key=np.sum)[0]
    m.fill(3.0)
    return np.sum(y**2)


def sorted_written_behind_a_square(x):
    y = x * 1.0
    s = np.sum(y**2)
    m = sorted(y, key=np.sum)[0]
    m[:] = 3.0
    return s


def sorted_updated_behind_a_square(x):
    s = np.sum(x**2)
    m = sorted(x, key=np.sum)[0]
    m *= 3.0
    return s


def memory_written_behind_a_square(x):
    y = x * 1.0
    s = np.sum(y**2)
    memoryview(y)[0, 0] = 5.0
    return s


def row_written(x):
    y = x * 1.0
    m = max(y, key=lambda r: r[0])
    m[:] = 7.0 * y[0]
    return np.sum(y**2)


def row_scaled(x):
    y = x * 1.0
    for _ in range(2):
        m = min(y, key=np.sum)
        m *= 3.0
    return np.sum(y**2)


def row_read(x):
    m = max(x, key=lambda r: (r[0] > 4.0, -r[1]))
    return m @ m + min(x[0], key=lambda v: v * v)


def row_of_equal_keys(x):
    y = x * 1.0
    max(y, key=lambda r: 1.0)[1] = y[2, 2] ** 3
    min(y, key=lambda r: r[0] > 0.0)[2] = y[1, 1]
    return np.sum(y**2)


def row_behind_nan(x):
    y = x * 1.0
    y[0, 0] = np.nan
    return np.sum(max(y, key=lambda r: r[0])[1:] ** 2)


DONE = [row_written, row_scaled, row_read, row_of_equal_keys, row_behind_nan]
REFUSED = [
    sorted_updated, sorted_filled, sorted_written_behind_a_square, sorted_updated_behind_a_square,
    memory_written_behind_a_square,
]  # fmt: skip


def differences(f: Callable[..., Any]) -> Any:
    h, found = 1e-6, np.zeros_like(X)
    for k in np.ndindex(X.shape):
        d = np.zeros_like(X)
        d[k] = h
        found[k] = (f(X + d) - f(X - d)) / (2.0 * h)
    return found


@pytest.mark.parametrize("f", DONE + REFUSED, ids=lambda f: f.__name__)
def test_right_or_refused(f: Callable[..., Any]) -> None:
    wanted = differences(f)
    x, plain = X.copy(), X.copy()
    value = f(plain)
    try:
        y, x_bar = adjoint(f)(x, 1.0)
    except AdjointgenError as error:
        assert f in REFUSED and error.span is not None
        return
    assert y == value and np.array_equal(x, plain)
    assert np.allclose(x_bar, wanted, atol=1e-7)
    d = np.cos(np.arange(X.size)).reshape(X.shape)
    y, y_dot = tangent(f)(X.copy(), d)
    assert y == value and y_dot == pytest.approx(np.sum(wanted * d), abs=1e-7)


def first_of_none(x):
    return max(x[3:], key=lambda r: r[0])[0]


def test_no_rows_are_what_they_are_in_python() -> None:
    with pytest.raises(ValueError) as wanted:
        first_of_none(X)
    with pytest.raises(ValueError) as found:
        adjoint(first_of_none)(X.copy(), 1.0)
    assert str(found.value) == str(wanted.value)

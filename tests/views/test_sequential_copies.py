"""Copies inside of one array: as NumPy does them, or refused where it reads what it has written."""

from __future__ import annotations

import numpy as np
import pytest

from adjointgen import AdjointgenError, value_and_grad

WEIGHTS = np.random.default_rng(0).normal(size=(4, 4))


def rows_and_columns(A):
    A = A.copy()
    A[0, 1:] = A[0, :-1]
    A[:, 0] = A[::-1, 0]
    A[::2, 2] = A[1::2, 1]
    for j in range(3):
        A[j] = A[j + 1]
        A[:, j + 1] = A[:, j]
    return np.sum(A * WEIGHTS)


def mirrored(A):
    A = A.copy()
    for j in range(3):
        A[j + 1 :, j] = A[j, j + 1 :]
    for j in range(4):
        A[:, j] = A[j, :]
    return np.sum(A * WEIGHTS)


def compacted(A):
    u, n = A.copy().ravel().copy(), 8
    u[:n] = u[::2]
    u[1:-1] = u[:-2]
    u[n:] = u[:n]
    u[::-1] = u
    u[::2] += u[:8]
    return np.sum(u * WEIGHTS.ravel())


def itself(A):
    A = A.copy()
    x = A[0]
    x[:] = x
    x[...] = x[:]
    A[1][:] = A[1]
    A[2:4] = A[1:3]
    return np.sum(A * WEIGHTS)


@pytest.mark.parametrize("function", [rows_and_columns, mirrored, compacted, itself])
def test_copies_in_an_order_that_is_safe(function):
    A = np.random.default_rng(1).normal(size=(4, 4))
    value, gradient = value_and_grad(function)(A)
    assert value == function(A)
    steps = 1e-6 * np.eye(16).reshape(16, 4, 4)
    slopes = [(function(A + h) - function(A - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-8)


def spread(x):
    x[::2] = x[:3]


def spread_through_names(x):
    source, target = x[:3], x[::2]
    target[:] = source


def spread_of_a_row(x):
    x[::2] = x[:3][None]


def spread_by_a_call(x):
    np.copyto(x[::2], x[:3])


def steps_from_variables(x):
    for k in range(2, 3):
        x[::k] = x[:3]


def iterated(x):
    x.flat[1:4] = x[:3]


def placed(x):
    np.place(x, np.array([False, True, True, True, True]), x[:4])


def joined_into_its_own(x):
    np.concatenate([x[:2], x[:2]], out=x[1:])


REFUSED = [
    *(spread, spread_through_names, spread_of_a_row, spread_by_a_call, steps_from_variables),
    *(iterated, placed, joined_into_its_own),
]


@pytest.mark.parametrize("write", REFUSED)
def test_copies_that_read_what_they_have_written_are_refused(write):
    def function(x):
        x = x.copy()
        write(x)
        return np.sum(x * WEIGHTS[0, 0])

    with pytest.raises(AdjointgenError, match="AG112"):
        value_and_grad(function)(np.arange(1.0, 6.0))


def test_numpy_reads_what_it_has_written():
    x, apart = np.arange(1.0, 6.0), np.arange(1.0, 6.0)
    spread(x)
    apart[::2] = apart[:3].copy()
    assert not np.array_equal(x, apart)


def test_a_column_from_a_row_is_refused():
    def function(A):
        A = A.copy()
        A[:, 3] = A[1, :]
        return np.sum(A)

    with pytest.raises(AdjointgenError, match="AG112"):
        value_and_grad(function)(np.arange(16.0).reshape(4, 4))

"""What rows contribute is summed in a loop, also where types do not tell the lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.lowering.loops import text_of, uncompiled


def rows_of(x: Any, scales: Any, n: int) -> float:
    """A row that all rows are multiplied by, of a length that types do not tell."""
    return float(np.sum((x * scales[:n]) ** 2))


def test_the_adjoint_of_a_row_needs_no_helper() -> None:
    x, scales = np.arange(12.0).reshape(4, 3) + 0.5, np.linspace(0.3, 1.2, 5)
    expected = np.zeros(5)
    expected[:3] = 2.0 * np.sum(x * x, axis=0) * scales[:3]
    made = grad(rows_of, wrt="scales", compile="numba")
    with uncompiled():
        assert made(x.copy(), scales.copy(), 3) == pytest.approx(expected, rel=1e-13)
        assert "_unbroadcast" not in text_of(made)
        with pytest.raises(ValueError, match="equal lengths"):
            made(x.copy(), scales.copy(), 2)


def scaled_columns(w: Any) -> float:
    """Two of the parameters of each row, times another one of it."""
    return float(np.sum(w[:, 0:2] * w[:, 6:7]))


def columns_of(x: Any, w: Any) -> float:
    """The same, beside an array whose rows are shorter."""
    return float(np.sum(x[:, 0:2] / w[:, 6:7]))


def test_a_column_is_one_column_where_rows_are_long_enough() -> None:
    w, x = np.arange(33.0).reshape(3, 11) + 1.0, np.arange(9.0).reshape(3, 3)
    expected = np.zeros((3, 11))
    expected[:, 0:2] = w[:, 6:7]
    expected[:, 6] = w[:, 0] + w[:, 1]
    made = grad(scaled_columns, compile="numba")
    two = grad(columns_of, wrt="x,w", compile="numba")
    with uncompiled():
        assert made(w) == pytest.approx(expected, rel=1e-13)
        x_bar, w_bar = two(x, w)
        assert x_bar[:, 0:2] == pytest.approx(np.repeat(1.0 / w[:, 6:7], 2, axis=1), rel=1e-13)
        assert w_bar[:, 6] == pytest.approx(-(x[:, 0] + x[:, 1]) / w[:, 6] ** 2, rel=1e-13)
        # Another number of columns is another program.
        assert made(w[:, :9].copy()) == pytest.approx(expected[:, :9], rel=1e-13)

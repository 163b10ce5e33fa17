"""What is chosen or listed by value is not written to where Python would show the write."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad

KEY = ["a"]
TABLE = UserDict({"a": np.array([1.0, 2.0])})


def row_is_written(rows: list[list[float]], x: float, k: int) -> float:
    row = rows[k]
    row[0] = x
    return rows[0][0] * x


def rows_are_written(rows: list[list[float]], x: float, k: int) -> float:
    row = rows[k]
    rows[1][0] = x
    return row[0] * x


@pytest.mark.parametrize("f", [row_is_written, rows_are_written])
def test_a_row_that_was_chosen_at_run_time(f: Callable[..., Any]) -> None:
    with pytest.raises(AdjointgenError) as caught:
        grad(f, wrt="x")([[1.0, 2.0], [3.0, 4.0]], 0.5, 1)
    assert caught.value.code == "AG112"


def listed(a: Any, x: float, k: int, writes: bool) -> Any:
    b = x * a
    parts = [b[..., j] for j in range(b.shape[-1])]
    if writes:
        b[0] = x
    return parts[k] * x


def test_entries_that_were_listed() -> None:
    a = np.array([1.0, 2.0])
    assert grad(listed, wrt="x")(a, 0.5, 1, False) == pytest.approx(2.0 * 2.0 * 0.5)
    # b[1] * x, in which the write to b[0] is not seen.
    assert grad(listed, wrt="x")(a, 0.5, 1, True) == pytest.approx(2.0 * 2.0 * 0.5)
    assert grad(listed, wrt="x")(a, 0.5, 0, True) == pytest.approx(2.0 * 0.5)


def hidden(x: Any) -> Any:
    return np.sum(np.where(x > 0.0, x, TABLE[KEY[0]]))


def test_an_active_value_does_not_hide_in_an_object() -> None:
    """What a choice between an array and an object of unknown kind is, is not known."""
    x = np.array([0.5, -1.0])
    try:
        found = grad(hidden)(x)
    except AdjointgenError as error:
        assert error.code == "AG201"
    else:
        np.testing.assert_array_equal(found, [1.0, 0.0])

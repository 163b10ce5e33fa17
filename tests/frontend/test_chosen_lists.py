"""Lists of which one is chosen when the program runs: what is chosen is a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, tangent

V = np.array([1.0, 3.0])


def doubled(x: float, p: list[float], q: list[float], v: Any) -> Any:
    row = [p, q][np.argmax(v)]
    return row * 2


def joined(x: float, p: list[float], q: list[float], v: Any) -> Any:
    row = [p, q][np.argmax(v)]
    return row + [x]  # noqa: RUF005


def appended(x: float, p: list[float], q: list[float], v: Any) -> Any:
    row = [p, q][np.argmax(v)].copy()
    row.append(x)
    return row


def asked(x: float, p: list[float], q: list[float], v: Any) -> Any:
    row = [p, q][np.argmax(v)]
    return isinstance(row, list) * x


def made(x: float, p: list[float], q: list[float], v: Any) -> Any:
    rows = [[k * x for k in range(len(v))] for _ in v]
    return rows[np.argmax(v)] * 2


@pytest.mark.parametrize("v", [V, V[::-1].copy()])
@pytest.mark.parametrize("f", [doubled, joined, appended, asked, made])
def test_a_chosen_list_is_a_list(f: Callable[..., Any], v: Any) -> None:
    args = (1.5, [1.0, 2.0], [3.0, 4.5], v)
    value, _ = tangent(f, ("x", "p"))(*args, 1.0, [1.0, 0.0])
    assert value == f(*args)


def written(x: float, p: list[float], q: list[float], v: Any) -> Any:
    rows = [[k * x for k in range(len(v))] for _ in v]
    row = rows[np.argmax(v)]
    row[0] = x
    return rows[0][0] + rows[1][0]


def test_a_write_into_a_chosen_list_is_seen_or_refused() -> None:
    args = (1.5, [1.0, 2.0], [3.0, 4.5], V)
    try:
        value, _ = tangent(written, "x")(*args, 1.0)
    except AdjointgenError as error:
        assert error.code in ("AG106", "AG110", "AG112")
    else:
        assert value == written(*args)


HELD = np.ma.array([1.0, 2.0, 4.0])


def with_an_object(x: Any) -> Any:
    y = HELD.filled(0.0)
    return np.cov(x, y)[0, 1]


def test_an_operand_of_which_nothing_is_known_is_no_operand_that_is_left_out() -> None:
    x = np.array([1.0, 3.0, 2.0])
    try:
        value, _ = tangent(with_an_object)(x, np.ones(3))
    except AdjointgenError as error:
        assert error.code == "AG201"
    else:
        assert value == pytest.approx(with_an_object(x))

"""Orders of remainders whose derivatives are known, right and wrong."""

import math
from typing import Any

import numpy as np
import pytest

from adjointgen.verify.taylor import TaylorRow, TaylorTable, taylor_test

X = np.array([0.5, 1.0, -0.7])
V = np.array([1.0, -2.0, 0.5])


def energy(x: Any) -> Any:
    return np.sum(np.exp(x)) * x[0]


def energy_dot(x: Any, v: Any) -> Any:
    return np.sum(np.exp(x) * v) * x[0] + np.sum(np.exp(x)) * v[0]


def energy_dot_dot(x: Any, v: Any) -> Any:
    return np.sum(np.exp(x) * v * v) * x[0] + 2 * np.sum(np.exp(x) * v) * v[0]


def test_every_derivative_gives_one_order() -> None:
    table = taylor_test(energy, (X,), (V,), energy_dot(X, V), energy_dot_dot(X, V))
    assert [table.order(k) for k in range(3)] == pytest.approx([1.0, 2.0, 3.0], abs=0.1)
    assert len(table.rows) == 8 and len(table.orders(1)) == 7


@pytest.mark.parametrize("fault", [0.0, -1.0, 1.001, 2.0])
def test_a_wrong_first_derivative_shows(fault: float) -> None:
    steps = [2.0**-k for k in range(4, 24)]
    table = taylor_test(energy, (X,), (V,), fault * energy_dot(X, V), steps=steps)
    assert table.order(1) < 1.2


def test_a_wrong_second_derivative_shows() -> None:
    wrong = energy_dot_dot(X, V) * 1.1
    table = taylor_test(energy, (X,), (V,), energy_dot(X, V), wrong)
    assert table.order(1) == pytest.approx(2.0, abs=0.1)
    assert table.order(2) == pytest.approx(2.0, abs=0.2)


def test_what_is_all_rounding_has_no_order() -> None:
    table = taylor_test(lambda x: 3.0 * x, (2.0,), (1.5,), 4.5)
    assert table.order(0) == pytest.approx(1.0) and table.order(1) == math.inf


def test_a_kink_has_order_one() -> None:
    table = taylor_test(abs, (0.0,), (1.0,), 0.0)
    assert table.order(1) == pytest.approx(1.0)


def test_each_leaf_is_measured_by_its_own_size() -> None:
    def pair(x: Any) -> Any:
        return 1e12 * np.sin(x), 1e-12 * np.sin(x)

    right = 1e12 * math.cos(1.0), 1e-12 * math.cos(1.0)
    wrong = right[0], -right[1]
    assert taylor_test(pair, (1.0,), (1.0,), right).order(1) == pytest.approx(2.0, abs=0.1)
    assert taylor_test(pair, (1.0,), (1.0,), wrong).order(1) < 1.2


def test_steps_outside_of_the_domain_are_left_out() -> None:
    table = taylor_test(math.sqrt, (0.05,), (-1.0,), -0.5 / math.sqrt(0.05))
    assert table.rows[0].step == 2.0**-5
    assert table.order(1) == pytest.approx(2.0, abs=0.1)


def test_rows_that_show_rounding_have_no_order() -> None:
    rows = (
        TaylorRow(1.0, (1.0, 1e-4), 1e-16),
        TaylorRow(0.1, (0.1, 1e-6), 1e-16),
        TaylorRow(0.01, (0.01, 3e-16), 1e-16),
    )
    table = TaylorTable(rows)
    assert table.orders(0) == pytest.approx((1.0, 1.0))
    assert table.orders(1) == pytest.approx((2.0, math.nan), nan_ok=True)
    assert table.order(1) == pytest.approx(2.0)


def test_the_table_reads_as_text() -> None:
    table = taylor_test(math.exp, (0.0,), (1.0,), 1.0, steps=(0.25, 0.5))
    assert str(table) == (
        "step         remainder 0  order  remainder 1  order\n"
        "5.000e-01      6.487e-01           1.487e-01       \n"
        "2.500e-01      2.840e-01   1.19    3.403e-02   2.13"
    )

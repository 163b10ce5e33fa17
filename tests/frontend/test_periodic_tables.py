"""`np.interp` with a period, by each of its arguments."""

from typing import Any

import numpy as np
import pytest

from adjointgen import grad, jacobian

PLACES = np.array([350.0, 10.0, 90.0, 180.0])
HEIGHTS = np.array([1.0, 2.0, 0.5, 3.0])


def bearing(x: Any) -> Any:
    return np.interp(x, PLACES, HEIGHTS, period=360.0)


@pytest.mark.parametrize("x", [25.0, -3.0, 355.5, 500.0, -720.0 + 100.0])
def test_by_the_place(x: float) -> None:
    slope = (bearing(x + 1e-5) - bearing(x - 1e-5)) / 2e-5
    assert grad(bearing)(x) == pytest.approx(slope, rel=1e-8)


def test_by_knots_and_heights() -> None:
    def table(p: Any) -> Any:
        return np.interp(np.array([20.0, -30.0, 400.0]), p[0], p[1], period=-360.0)

    p = np.array([PLACES, HEIGHTS])
    steps = 1e-5 * np.eye(p.size).reshape(-1, *p.shape)
    columns = [(table(p + h) - table(p - h)) / 2e-5 for h in steps]
    found = jacobian(table)(p)
    assert found.reshape(3, -1) == pytest.approx(np.transpose(columns), abs=1e-8)


def test_without_a_period_it_is_the_table_itself() -> None:
    def either(x: Any, period: Any) -> Any:
        return np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.0, 4.0], period=period)

    of = grad(either, wrt="x")
    assert of(1.5, None) == 3.0 and of(2.5, 3) == -4.0 and of(2.5, None) == 0.0


def test_a_period_of_zero_raises_as_numpy_does() -> None:
    def turned(x: Any, period: Any) -> Any:
        return np.interp(x, PLACES, HEIGHTS, period=period)

    of = grad(turned, wrt="x")
    of(25.0, 360.0)
    for period in (0.0, 0):
        with pytest.raises(ValueError, match="period must be a non-zero value"):
            of(25.0, period)

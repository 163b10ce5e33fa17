"""What a filter adds whatever its signal is, and losses of fits, against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.signal import savgol_filter

from adjointgen import AdjointgenError, grad, jvp


def test_a_filter_with_values_beyond_the_border() -> None:
    def f(x: Any) -> Any:
        return np.sum(savgol_filter(x, 5, 2, mode="constant", cval=1.0) ** 2)

    generator = np.random.default_rng(0)
    x, d, h = generator.normal(size=9), generator.normal(size=9), 1e-5
    slope = (f(x + h * d) - f(x - h * d)) / (2 * h)
    assert jvp(f, (x,), (d,))[1] == pytest.approx(slope, rel=1e-8)
    assert grad(f)(x) @ d == pytest.approx(slope, rel=1e-8)


def test_a_loss_of_least_squares_is_refused() -> None:
    def f(k: float) -> Any:
        return least_squares(lambda p: np.array([p[0] - k, 2 * p[0]]), [0.5], loss="soft_l1").x[0]

    with pytest.raises(AdjointgenError) as refused:
        grad(f)(1.0)
    assert refused.value.code == "AG201"

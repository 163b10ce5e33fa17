"""Elements of arrays that reach no result are not read in the reverse sweep.

The oracle is differences.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad


def stored(e: float, x: Any) -> Any:
    seen = np.zeros(5)
    charge = 6.0
    for t in range(5):
        power = 5.0 * float(x[t])
        seen[t] = power
        charge = charge * e * (1.5 - power)
    return charge


def held(e: float, x: Any) -> Any:
    """The array that is read is held beside one that is not."""
    held = {"power": np.zeros(5), "charge": np.zeros(5)}
    charge = 6.0
    for t in range(5):
        power = 5.0 * float(x[t])
        held["power"][t] = power
        net = 1.5 - power
        charge = charge - net * e if net < 0 else charge * (1.0 - net)
        held["charge"][t] = charge
    return held["charge"] @ x


def carried(e: float, x: Any) -> Any:
    """An array that is overwritten, and of which nothing is read after the loop."""
    steps = np.ones((5, 2))
    level = 1.0
    for t in range(5):
        steps[t, 0] = x[t] * e
        steps[t, 1] = np.sin(steps[t, 0]) * level
        level = level + steps[t, 1] * steps[t, 0]
    return level


@pytest.mark.parametrize("f", [stored, held, carried])
def test_gradients_are_those_of_differences(f: Callable[..., Any]) -> None:
    e, x = 0.9, np.array([0.1, 0.5, 0.6, 0.2, 0.4])
    value, (e_bar, x_bar) = value_and_grad(f, ("e", "x"))(e, x)
    assert value == f(e, x)
    h = 1e-6
    assert e_bar == pytest.approx((f(e + h, x) - f(e - h, x)) / (2 * h), rel=1e-7)
    for k, step in enumerate(np.eye(5) * h):
        assert x_bar[k] == pytest.approx((f(e, x + step) - f(e, x - step)) / (2 * h), rel=1e-6)

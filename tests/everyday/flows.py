"""Ordinary differential equations that a function solves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import odeint, solve_ivp

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.5, 1.2, 0.3])
TIMES = np.linspace(0.0, 1.0, 5)


@at(1.3)
def decay(a: float) -> Any:
    y = odeint(lambda y, t: -a * y, [a, 1.0], TIMES, rtol=1e-12, atol=1e-12)
    return y[-1, 0] * y[2, 1]


def pull(y: Any, t: float, p: Any, damping: float) -> Any:
    x, v = y
    return [v, -p[0] * x - damping * v + p[1] * math.sin(t)]


@at(V, 0.2)
def of_the_module(p: Any, damping: float) -> Any:
    start = np.array([p[2], damping])
    y = odeint(pull, start, TIMES, args=(p, damping), rtol=1e-12, atol=1e-12)
    return np.sum(y**2)


@at(V)
def oscillator(p: Any) -> Any:
    def motion(t: float, y: Any, b: float) -> Any:
        x, v = y
        return [v, -p[0] * x - b * v**3]

    found = solve_ivp(motion, (0.0, 2.0), [p[1], 0.0], args=(p[2],), rtol=1e-12, atol=1e-12)
    return found.y[0, -1] ** 2 if found.success else 0.0


@at(V)
def at_given_times(p: Any) -> Any:
    found = solve_ivp(
        lambda t, y: p * y * (1.0 - y) * np.cos(t),
        (0.0, 1.0),
        0.1 * p,
        method="DOP853",
        t_eval=TIMES,
        rtol=1e-12,
        atol=1e-12,
    )
    return np.sum(found.y**2) + np.sum(found.y[1])

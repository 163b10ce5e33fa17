"""Random numbers: a draw is a constant, its place and scale carry derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, -1.3, 2.1, 0.4])


@at(V)
def constant_draws(x: Any) -> Any:
    rng = np.random.default_rng(3)
    return np.sum(x * rng.standard_normal(4) ** 2) + np.sum(x**2 * rng.random(4))


@at(V)
def normal(x: Any) -> Any:
    rng = np.random.default_rng(3)
    y = rng.normal(x[0], x[1] ** 2, size=4)
    return np.sum(y**2) + rng.normal(x[2]) ** 3 + np.sum(rng.normal(x, np.abs(x)) ** 2)


@at(V)
def uniform(x: Any) -> Any:
    rng = np.random.default_rng(3)
    return np.sum(rng.uniform(x[1], x[2], (2, 3)) ** 2) + rng.uniform(0.0, high=x[0]) ** 2


@at(V)
def scaled(x: Any) -> Any:
    rng = np.random.default_rng(3)
    return np.sum(rng.exponential(x[0], 4) ** 2) + rng.gamma(2.0, x[2]) ** 3


@at(V)
def of_the_module(x: Any) -> Any:
    np.random.seed(3)
    return np.sum(np.random.normal(x, 2.0) ** 2) + np.sum(x**2 * np.random.randn(4))


@at(V)
def of_a_state(x: Any) -> Any:
    rng = np.random.RandomState(3)
    return np.sum(rng.normal(x[0], 2.0, 4) ** 2) + np.sum(x * rng.rand(4))

"""Distributions of SciPy that are given their parameters before they are called."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from scipy import stats
from scipy.stats import norm

from adjointgen import grad, jacobian, tangent

HELD: Any = norm(1.0, scale=2.0)


def named(x: Any) -> Any:
    d = norm(x, 2.0)
    return d.cdf(1.0) * d.logpdf(x * x) + d.ppf(0.3)


def by_keyword(x: Any) -> Any:
    d = stats.gamma(a=2.0 + x, scale=x)
    return d.pdf(0.7) + d.logpdf(0.7)


def at_once(x: Any) -> Any:
    return scipy.stats.uniform(0.0, 2.0 + x).cdf(x)


def of_an_array(x: Any) -> Any:
    d = stats.norm(x, 1.5)
    return np.sum(d.logpdf(np.array([0.1, 0.9, 1.4])))


def of_the_module(x: Any) -> Any:
    return HELD.cdf(x) + HELD.ppf(0.2) * x


class Demand:
    def __init__(self, scale: Any) -> None:
        self.noise = norm(0.5, scale)

    @property
    def made(self) -> Any:
        return stats.expon(scale=1.5)

    def loss(self, x: Any) -> Any:
        return x * self.noise.sf(x) + self.made.cdf(x)


DEMAND = Demand(2.0)


def in_an_object(x: Any) -> Any:
    return Demand(x).loss(0.4)


FUNCTIONS: list[Callable[..., Any]] = [
    *(named, by_keyword, at_once, of_an_array, of_the_module, DEMAND.loss, in_an_object)
]


def slope(f: Callable[..., Any], x: float) -> float:
    near, far = (f(x + k * 1e-3) - f(x - k * 1e-3) for k in (1, 2))
    return float((8.0 * near - far) / 12e-3)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_both_modes_agree_with_differences(f: Callable[..., Any]) -> None:
    assert grad(f)(0.6) == pytest.approx(slope(f, 0.6), rel=1e-7)
    y, y_dot = tangent(f)(0.6, 1.0)
    assert y == f(0.6) and y_dot == pytest.approx(slope(f, 0.6), rel=1e-7)


def test_an_object_that_is_given() -> None:
    def given(x: Any, d: Any) -> Any:
        return d.logpdf(x) * d.isf(0.1)

    of = grad(given, wrt="x")
    for d in (norm(1.0, 2.0), norm(loc=0.5), stats.beta(2.0, 3.0)):
        assert of(0.6, d) == pytest.approx(slope(lambda x, d=d: given(x, d), 0.6), rel=1e-7)


def test_another_distribution_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    of = grad(of_the_module)
    for other in (HELD, norm(0.0, 1.0), norm(loc=0.3, scale=0.7), stats.logistic(0.2)):
        monkeypatch.setitem(globals(), "HELD", other)
        assert of(0.6) == pytest.approx(slope(of_the_module, 0.6), rel=1e-7)


def test_a_jacobian_by_the_parameters() -> None:
    def fitted(p: Any) -> Any:
        d = norm(p[0], p[1])
        return d.pdf(np.array([0.1, 0.5]))

    p = np.array([0.3, 1.2])
    columns = [(fitted(p + h) - fitted(p - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    assert jacobian(fitted)(p) == pytest.approx(np.transpose(columns), abs=1e-8)

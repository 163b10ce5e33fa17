"""What the rows of distributions refuse, and slopes at parameters where a formula cancels."""

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from adjointgen import grad, hessian
from adjointgen.errors import NoRule


def skewed(x, skew):
    return stats.pearson3.logpdf(x, skew)


def landau(x):
    return stats.landau.cdf(x)


def tail(x, c):
    return stats.genpareto.logsf(x, c)


def kolmogorov(x):
    return special.kolmogorov(x)


def test_a_shape_without_a_closed_form_is_refused() -> None:
    with pytest.raises(NoRule, match=r"pearson3\.logpdf by a shape parameter"):
        grad(skewed, wrt="skew")(0.4, 0.7)


def test_the_second_derivative_is_refused() -> None:
    assert grad(landau)(0.4) == pytest.approx(stats.landau.pdf(0.4), rel=1e-14)
    with pytest.raises(NoRule, match=r"landau\.pdf"):
        hessian(landau)(0.4)


@pytest.mark.parametrize("c", [0.0, 1e-9, -1e-5, 5e-4, 2e-3])
def test_the_slope_by_a_small_shape(c: float) -> None:
    with mpmath.workdps(60):
        slope = mpmath.diff(lambda k: -mpmath.log1p(k * mpmath.mpf(0.7)) / k, mpmath.mpf(c) + 1e-40)
    assert grad(tail, wrt="c")(0.7, c) == pytest.approx(float(slope), rel=1e-9)


@pytest.mark.parametrize("x", [-0.5, 0.0, 0.2, 0.8469267232988553, 1.0, 2.5])
def test_the_slope_of_kolmogorovs_series(x: float) -> None:
    """By the sum of Jacobi's theta function, of which the distribution is a value."""
    with mpmath.workdps(60):
        theta = lambda t: -mpmath.jtheta(4, 0, mpmath.exp(-2 * t * t))  # noqa: E731
        expected = float(mpmath.diff(theta, mpmath.mpf(x))) if x > 0.1 else 0.0
    assert grad(kolmogorov)(x) == pytest.approx(expected, rel=1e-13, abs=1e-300)


def test_beyond_the_support_is_constant() -> None:
    assert grad(lambda x: float(np.sum(stats.ksone.cdf(x, 4))))(1.5) == 0.0
    assert grad(lambda x: float(np.sum(stats.rel_breitwigner.cdf(x, 2.0))))(-1.0) == 0.0

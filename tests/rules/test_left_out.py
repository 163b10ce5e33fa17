"""Entries that are NaN and left out have derivative 0, whatever is computed of them before.

The slopes there are NaN, so the product with an adjoint that is zero has to be zero as well.
Expected are differences by the other entries.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, hvp, jvp
from tests.hessians import slope

X = np.array([1.0, np.nan, 3.0])
SEEN = np.isfinite(X)


def stored(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 2 * np.sin(x[i])
    return np.nansum(y)


def centred(x):
    return np.nansum((x - np.nanmean(x)) ** 2)


CASES: list[Callable[[Any], Any]] = [
    stored,
    centred,
    lambda x: np.nansum(x**2),
    lambda x: np.nansum(np.sin(x**2) + x),
    lambda x: np.nanmean(x**2),
    lambda x: np.nanvar(x**2),
    lambda x: np.nanprod(x**2),
    lambda x: np.nanmax(x**2),
    lambda x: np.nansum(np.sqrt(x) * np.log(x)),
    lambda x: np.sum(np.where(np.isnan(x), 0.0, np.sin(x**2) * x)),
    lambda x: np.sum(np.nan_to_num(np.exp(x) * x)),
    lambda x: np.sum((x**2)[~np.isnan(x)]),
    lambda x: np.sum(x * x, where=~np.isnan(x)),
]


def among(entries: Any) -> Any:
    """The point with other entries where it has numbers."""
    x = X.copy()
    x[SEEN] = entries
    return x


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", CASES)
def test_entries_that_are_left_out(f: Callable[[Any], Any]) -> None:
    v = np.array([0.3, 0.7, -0.4])
    expected = np.zeros(3)
    expected[SEEN] = [slope(lambda z: f(among(z)), X[SEEN], unit) for unit in np.eye(2)]
    np.testing.assert_allclose(grad(f)(X.copy()), expected, 1e-7, 1e-7)
    np.testing.assert_allclose(jvp(f, [X.copy()], [v])[1], expected @ v, 1e-7, 1e-7)
    expected[SEEN] = slope(lambda z: grad(f)(among(z))[SEEN], X[SEEN], v[SEEN])
    np.testing.assert_allclose(hvp(f, [X.copy()], [v]), expected, 1e-7, 1e-7)

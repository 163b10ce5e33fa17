"""Functions of SciPy where their formulas have a case of its own: ties, signs, widths of 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, special, stats

from adjointgen import grad

IMAGE = np.arange(12.0).reshape(3, 4) ** 1.5
SAMPLE = np.array([0.0, 5.0])


def distance(x: Any) -> Any:
    return stats.wasserstein_distance(x, SAMPLE)


def energy(x: Any) -> Any:
    return stats.energy_distance(x, SAMPLE)


def imaginary(x: Any) -> Any:
    return special.sph_harm_y(2, 1, x, 0.3).imag


def real(x: Any) -> Any:
    return special.sph_harm_y(3, 0, x, 0.3).real


def along_rows(a: Any) -> Any:
    return np.sum(ndimage.gaussian_filter(a, (1.0, 0)) ** 2)


def unfiltered(a: Any) -> Any:
    return np.sum(ndimage.gaussian_filter(a, 0.0) ** 2)


def differences(f: Callable[[Any], Any], x: Any) -> Any:
    x, found = np.asarray(x, float), np.zeros(np.shape(x))
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-6
        found[place] = (f(x + step) - f(x - step)) / 2e-6
    return found


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (distance, np.array([0.0, -1.0])),
        (energy, np.array([0.3, -1.0, 2.0])),
        *((f, x) for f in (imaginary, real) for x in (-1.0, 0.7, 4.0, -4.0)),
        (along_rows, IMAGE),
        (unfiltered, IMAGE),
    ],
)
def test_gradient(f: Any, x: Any) -> None:
    np.testing.assert_allclose(grad(f)(x), differences(f, x), rtol=1e-6, atol=1e-6)

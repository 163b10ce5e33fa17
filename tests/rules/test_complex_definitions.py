"""Complex numbers in rules that were written for real ones: right, or refused with a code.

The oracle is the difference of the function along a complex direction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.linalg

from adjointgen import AdjointgenError, grad, hvp, jvp

RNG = np.random.default_rng(3)
Z = RNG.normal(size=(3, 3)) + 2.0 * np.eye(3) + 1j * RNG.normal(size=(3, 3))
D = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
KNOTS = np.array([0.0, 1.0 + 1.0j, 2.0j])

DETERMINANTS: dict[str, Callable[..., Any]] = {
    "modulus": lambda z: np.abs(np.linalg.det(z)),
    "real part": lambda z: np.linalg.det(z).real,
    "scipy": lambda z: np.abs(scipy.linalg.det(z)) ** 2,
    "of a pair": lambda z: np.abs(np.linalg.det(z[:2, :2])) + np.abs(z[2, 2]),
}
REAL_ONLY: dict[str, Callable[..., Any]] = {
    "cov": lambda z: np.sum(np.abs(np.cov(z)) ** 2),
    "corrcoef": lambda z: np.sum(np.abs(np.corrcoef(z)) ** 2),
    "correlate": lambda z: np.sum(np.abs(np.correlate(z[0], z[1])) ** 2),
    "nanvar": lambda z: np.sum(np.nanvar(z, axis=1)),
    "nanstd": lambda z: np.nanstd(z),
    "dctn": lambda z: np.sum(np.abs(scipy.fft.dctn(z)) ** 4),
    "solve": lambda z: np.abs(scipy.linalg.solve(z + z.conj().T, z[0], assume_a="pos")[0]),
}


@pytest.mark.parametrize("name", DETERMINANTS)
def test_determinants_of_complex_matrices(name: str) -> None:
    f, h = DETERMINANTS[name], 1e-6
    slope = (f(Z + h * D) - f(Z - h * D)) / (2 * h)
    assert jvp(f, (Z,), (D,))[1] == pytest.approx(slope, rel=1e-6)
    assert np.sum(grad(f)(Z) * D).real == pytest.approx(slope, rel=1e-6)
    second = (grad(f)(Z + h * D) - grad(f)(Z - h * D)) / (2 * h)
    np.testing.assert_allclose(hvp(f, (Z,), (D,)), second, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", REAL_ONLY)
def test_what_is_defined_for_real_numbers_is_refused(name: str) -> None:
    with pytest.raises(AdjointgenError) as refused:
        grad(REAL_ONLY[name])(Z)
    assert refused.value.code in ("AG201", "AG302")


@pytest.mark.parametrize("power", [2, 4, 6])
def test_even_powers_of_complex_roots(power: int) -> None:
    def f(z: Any) -> Any:
        return np.sum((np.sqrt(z) ** power * np.sqrt(z) * np.sqrt(z)).real)

    z, d, h = np.array([1 + 2j, -3 + 0.5j, -1 - 0.2j]), np.array([0.3 - 0.1j, 1j, -1 + 0.4j]), 1e-6
    slope = (f(z + h * d) - f(z - h * d)) / (2 * h)
    assert np.sum(grad(f)(z) * d).real == pytest.approx(slope, rel=1e-6)


def test_complex_heights_of_an_interpolation_are_refused() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.abs(np.interp(x, [-1.0, 0.0, 1.0], KNOTS)) ** 2)

    with pytest.raises(AdjointgenError) as refused:
        grad(f)(np.array([-0.5, 0.2]))
    assert refused.value.code == "AG302"

"""Three peaks on a slope, fitted to a noisy spectrum. The parameters are a data class."""

from dataclasses import dataclass

import numpy as np
from measured import Counted, compare, measured
from scipy.optimize import least_squares

from adjointgen import jacobian, ravel


@dataclass
class Spectrum:
    heights: np.ndarray
    centres: np.ndarray
    widths: np.ndarray
    base: float
    slope: float


def intensity(spectrum, x):
    away = (x[:, None] - spectrum.centres) / spectrum.widths
    return np.exp(-(away**2)) @ spectrum.heights + spectrum.base + spectrum.slope * x


TRUE = Spectrum(
    heights=np.array([1.0, 0.6, 1.4]),
    centres=np.array([2.0, 3.1, 6.0]),
    widths=np.array([0.4, 0.5, 0.8]),
    base=0.2,
    slope=0.03,
)
GUESS = Spectrum(np.ones(3), np.array([1.8, 3.5, 5.5]), np.full(3, 0.6), 0.0, 0.0)
X = np.linspace(0.0, 8.0, 400)
NOISE = 0.01 * np.random.default_rng(0).normal(size=len(X))
DATA = intensity(TRUE, X) + NOISE

vector, unravel = ravel(GUESS)


def residual(x):
    return intensity(unravel(x), X) - DATA


def fitted(fun, jac):
    return least_squares(fun, vector, jac=jac, xtol=1e-12, ftol=1e-12, gtol=1e-12)


def main():
    fun, jac, plain = Counted(residual), Counted(jacobian(residual)), Counted(residual)
    exact = measured("Jacobian", lambda: fitted(fun, jac), fun, jac, twice=True)
    rough = measured("differences", lambda: fitted(plain, "2-point"), plain, twice=True)
    compare(exact, rough)
    apart = np.max(np.abs(exact[0].x - rough[0].x))
    print(f"distance from the other solution {apart:.1e}")
    print(unravel(exact[0].x))


if __name__ == "__main__":
    main()

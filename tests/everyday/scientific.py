"""Functions of SciPy and NumPy that are defined by others, and what only asks for shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.constants
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.stats
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at
ROW = np.array([0.4, 1.7, -0.6, 2.2, 0.9])
POSITIVE = np.abs(ROW) + 0.1
ROWS = np.array([ROW, [1.0, 2.0, 0.5, 0.3, 1.3]])
GRID = np.array([0.0, 0.5, 1.2, 2.0, 2.4])


@at(ROW)
@at(np.ones(4))
def rosenbrock(x: Array) -> Any:
    found = scipy.optimize.rosen(x) + np.sum(scipy.optimize.rosen_der(x) ** 2)
    return found + np.sum(scipy.optimize.rosen_hess(x) @ scipy.optimize.rosen_hess_prod(x, x))


@at(300.0)
def temperatures(x: float) -> Any:
    kelvin = scipy.constants.convert_temperature(x, "Fahrenheit", "K")
    return kelvin * scipy.constants.convert_temperature(x, "C", "Rankine")


@at(ROWS)
def integrals_of_rows(y: Array) -> Any:
    first = scipy.integrate.simpson(y, x=GRID) * scipy.integrate.romb(y, dx=0.3)
    second = scipy.integrate.cumulative_trapezoid(y, GRID, axis=1, initial=0)
    return np.sum(first) + np.sum(second**2) + np.sum(scipy.integrate.simpson(y, axis=0) ** 2)


@at(GRID)
def integral_by_places(x: Array) -> Any:
    return scipy.integrate.simpson(ROW, x=x) + scipy.integrate.simpson(ROW[:4], x=x[:4])


@at(ROW)
def sections(x: Array) -> Any:
    sos = [[0.5, 0.2, 0.1, 1.0, -0.3, 0.1], [0.3, 0.1, 0.0, 1.0, 0.2, 0.0]]
    return np.sum(scipy.signal.sosfilt(sos, x) ** 2)


@at(POSITIVE)
def structured_systems(x: Array) -> Any:
    column = x + np.array([9.0, 0.0, 0.0, 0.0, 0.0])
    found = scipy.linalg.solve_toeplitz((column, x), ROW) @ scipy.linalg.matmul_toeplitz(x, ROW)
    banded = scipy.linalg.solveh_banded(np.stack((x * 0.1, x + 5.0)), ROW)
    return found + np.sum(scipy.linalg.solve_circulant(x, ROW)) + np.sum(banded**2)


@at(ROW, 1.3)
@at(ROW, 2.0)
def through_points(y: Array, x: float) -> Any:
    return scipy.interpolate.barycentric_interpolate([0.0, 1.0, 2.0, 3.0, 4.0], y, x)


@at(1.2)
@at(-1.2)
def beyond_the_real_domain(x: float) -> Any:
    return (np.emath.sqrt(x) * np.emath.log(x)).real + np.emath.arcsin(x).imag


@at(ROW)
def fitted(y: Array) -> Any:
    c = np.polyfit(GRID, y, 2)
    return np.polyval(c, 5.0) + np.polyfit(GRID, y, 1, w=POSITIVE)[0]


@at(ROWS)
def put_along_axes(y: Array) -> Any:
    z = y * y
    np.put_along_axis(z, np.argmax(z, axis=1)[:, None], y[:, 1:2], axis=1)
    np.put_along_axis(z, np.argmin(z, axis=0)[None, :], 2.0, axis=0)
    return np.sum(z * y)


@at(ROW)
def last_of_equal_places(x: Array) -> Any:
    rows, columns = np.array([0, 2, 0, 2, 1]), np.array([1, 0, 1, 2, 1])
    a = np.zeros((3, 3))
    a[rows, columns] = x * x
    a[:, [1, 2]] = a[:, [2, 1]]
    return np.sum(a * np.arange(9.0).reshape(3, 3))


@at(ROW)
def drawn_by_lengths(x: Array) -> Any:
    rng = np.random.default_rng(0)
    mask = rng.random(x.shape) < 0.8
    noise = rng.normal(size=len(x)) + rng.standard_normal(x.size)
    return np.sum(np.where(mask, x * noise, 0.0) ** 2 * x[rng.permutation(len(x))])


@at(ROW)
def divided_where(x: Array) -> Any:
    h = x * x
    return np.sum(np.divide(-x, h, where=h != 0.0))


@at(ROW)
def overwritten(x: Array) -> Any:
    return np.median(np.abs(x), overwrite_input=True) + np.logaddexp.reduce(x)


@at(np.array([-1.0, 0.4, 0.3, 1.1, 7.0]))
def beyond_the_support(x: Array) -> Any:
    found = scipy.stats.expon.cdf(x) + scipy.stats.beta.sf(x, 2, 3)
    found += scipy.stats.gamma.pdf(x, 2.5, scale=1.5) + scipy.stats.uniform.cdf(x)
    return np.sum(found * np.array([1.0, 0.5, 2.0, -1.0, 0.3]))


@at(0.7, ROW)
@at(1.3, np.ones(4))
def smoothed_by_width(sigma: float, x: Array) -> Any:
    return np.sum(scipy.ndimage.gaussian_filter1d(x, sigma, mode="mirror") * x)


@at(ROW)
def filtered(x: Array) -> Any:
    b, a = np.stack((x[0], 0.2)), np.stack((1.0, -0.3 * x[1]))
    return np.sum(scipy.signal.lfilter(b, a, x) * scipy.signal.savgol_filter(x, 3, 1))


@at(ROW)
def orthogonal_transforms(x: Array) -> Any:
    found = scipy.fft.dct(x, norm="ortho") * scipy.fft.idst(x, type=3)
    return np.sum(found * scipy.signal.detrend(x))

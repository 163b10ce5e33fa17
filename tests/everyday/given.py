"""Interpolators and sparse matrices that the module holds, or that are handed in."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import (
    Akima1DInterpolator,
    CubicSpline,
    PchipInterpolator,
    RegularGridInterpolator,
    UnivariateSpline,
    interp1d,
    make_interp_spline,
)
from scipy.linalg import solve_banded
from scipy.sparse import coo_array, csc_matrix, csr_array, csr_matrix
from scipy.sparse.linalg import spsolve

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, 2.1])
T = np.linspace(0.0, 3.0, 7)
U = np.array([0.0, 0.5, 1.5, 2.5])
CUBIC = CubicSpline(T, np.sin(T), bc_type="natural")
SHAPED = PchipInterpolator(T, np.sin(T))
LOCAL = Akima1DInterpolator(T, np.sin(T))
FITTED = UnivariateSpline(T, np.sin(T), s=0.0)
BASIS = make_interp_spline(T, np.cos(T), k=5)
LINES = interp1d(T, np.exp(-T))
BEYOND = interp1d(T, np.exp(-T), bounds_error=False, fill_value="extrapolate")
GRID = RegularGridInterpolator((T, U), np.outer(np.sin(T), np.cos(U)))
CUBE = RegularGridInterpolator(
    (U, U, U), np.sin(np.arange(64.0)).reshape(4, 4, 4), bounds_error=False, fill_value=None
)
A = csr_array([[1.0, 2.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 1.0]])
OLD = csr_matrix([[1.0, 2.0, 0.0], [0.0, 3.0, 1.0]])
ROW = coo_array([[1.0, 0.5, 0.0]])


@at(V)
def splines(x: Any) -> Any:
    return np.sum(CUBIC(x) * SHAPED(x) ** 2 + BASIS(x * x) * x)


@at(V)
def slopes(x: Any) -> Any:
    slope = CUBIC.derivative()
    return CUBIC(x[0], 1) * CUBIC(x[1], nu=2) + slope(x[2]) ** 2 + FITTED(x[0]) * LOCAL(x[1])


@at(V)
def lines(x: Any) -> Any:
    return np.sum(LINES(x) ** 2) * BEYOND(x[0] + 3.0)


@at(V)
def grid(x: Any) -> Any:
    return GRID((x[0], x[1])) * x[2] + np.sum(GRID(np.stack([x, 0.4 * x], axis=-1)) ** 2)


@at(V)
def cube(x: Any) -> Any:
    return CUBE([x[0], x[1], x[2] + 1.0])[0] ** 2 + CUBE((x, x[::-1], 0.3))[1]


@at(V)
def grid_of_its_own(y: Any) -> Any:
    made = RegularGridInterpolator((T[:3], U[:3]), np.outer(y, y**2))
    return made([[y[0], 0.2], [0.3, 0.9]])[0] * y[1]


@at(V)
def products(x: Any) -> Any:
    y = A @ x
    return np.sum((x @ A) * y) + np.sum(A.dot(np.outer(x, y))) + np.sum(A.T @ y**2)


@at(V)
def products_by_a_star(x: Any) -> Any:
    return np.sum((OLD * x) ** 2) + np.sum(OLD.tocsc().T * (OLD @ x))


@at(V)
def of_length_one(x: Any) -> Any:
    """What has length 1 is spread over the others."""
    return np.sum((ROW @ x) * x**2)


@at(np.array([[0.0, 0.5, -0.4], [2.0, 3.0, 2.5], [0.3, 0.7, 0.0], [0.2, 0.0, 0.0]]), V)
def bands(diagonals: Any, b: Any) -> Any:
    y = solve_banded((2, 1), diagonals, b)
    return np.sum(solve_banded((0, 1), diagonals[:2], np.outer(y, b)) ** 2)


@at(V, A)
def handed_in(x: Any, a: Any) -> Any:
    return np.sum((a @ x) ** 2) + a.transpose().dot(x)[0]


@at(V, csc_matrix(A))
def systems(x: Any, a: Any) -> Any:
    y = spsolve(a, x)
    return np.sum(spsolve(a.T, y * x) ** 2)


@at(V, {"left": A, "right": OLD}, (A, 2.0))
def in_structures(x: Any, matrices: Any, pair: Any) -> Any:
    y = matrices["left"] @ x
    return np.sum((matrices["right"] * y) ** 2) + pair[1] * np.sum(pair[0].T @ x)


class System:
    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def energy(self, x: Any) -> Any:
        return x @ (self.matrix @ x)


@at(V, System(A))
def in_an_instance(x: Any, system: Any) -> Any:
    return system.energy(x) * x[0]

"""Interpolators and sparse matrices that a function makes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import Akima1DInterpolator, CubicSpline, PchipInterpolator, interp1d
from scipy.sparse import coo_array, csc_array, csr_matrix, diags_array, hstack, issparse
from scipy.sparse.linalg import spsolve

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
X = np.array([0.0, 0.4, 1.1, 1.7, 2.0])
Y = np.array([0.7, -1.3, 2.1, 0.4, 0.9])
AT = np.array([0.2, 0.9, 1.3, 1.9])
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2]), np.array([0, 2, 1, 2, 0])
D = np.array([2.0, 0.3, -1.5, 3.0, 0.4])
B = np.array([0.5, -1.0, 2.0])


@at(X, Y, AT)
def splines(x: Any, y: Any, points: Any) -> Any:
    spline = CubicSpline(x, y)
    natural = CubicSpline(x, y, bc_type="natural")
    clamped = CubicSpline(x, y, bc_type="clamped")
    total = np.sum(spline(points) ** 2) + np.sum(spline(points, 1) * natural(points))
    return total + clamped(points[0]) * spline(points[1], 2)


@at(X[:3], Y[:3], 0.9)
def parabola(x: Any, y: Any, point: float) -> Any:
    return CubicSpline(x, y)(point) ** 2


@at(X, Y, AT)
def monotone(x: Any, y: Any, points: Any) -> Any:
    return np.sum(PchipInterpolator(x, np.cumsum(y**2))(points) ** 2)


@at(X, Y, AT)
def akima(x: Any, y: Any, points: Any) -> Any:
    return np.sum(Akima1DInterpolator(x, y)(points) ** 2)


@at(X, Y, AT)
def lines(x: Any, y: Any, points: Any) -> Any:
    line = interp1d(x, y)
    beyond = interp1d(x, y, fill_value="extrapolate")
    bent = interp1d(x, y, kind="cubic")
    return np.sum(line(points) ** 2) + beyond(points[3] + 1.0) ** 2 + bent(points[0])


@at(D, B)
def products(d: Any, x: Any) -> Any:
    a = csr_matrix((d, (ROWS, COLUMNS)), shape=(3, 3))
    b = coo_array((d * d, (COLUMNS, ROWS)), shape=(3, 3))
    total = np.sum((a @ x) ** 2) + np.sum((a.T @ (b @ x)) ** 2) + np.sum(a.dot(x) * b.sum())
    return total + np.sum((2.0 * b + (-b)).toarray() @ x) if issparse(a) else total


@at(D, B)
def sparse_systems(d: Any, b: Any) -> Any:
    a = csc_array((d, (ROWS, COLUMNS)), shape=(3, 3))
    wide = hstack([a, diags_array(b)])
    y = spsolve(a, b)
    return np.sum(y**2) + np.sum((wide @ np.concatenate((b, y))) ** 3)

"""Functions of SciPy by those of NumPy, as `defined.py` has those of NumPy by others.

This is read as text: nothing imports it, so that nothing imports SciPy for it.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist


def simpson(y, x=None, dx=1.0, axis=-1):
    """Simpson's rule; of an even number of points, with Cartwright's correction at the end."""
    y = np.moveaxis(y, axis, 0)
    n = len(y)
    h = dx * np.ones(n - 1) if x is None else np.diff(x)
    total = 0.0 * y[0]
    for k in range(0, n - 2, 2):
        a, b = h[k], h[k + 1]
        whole = a + b
        total += (
            whole
            / 6.0
            * ((2.0 - b / a) * y[k] + whole * whole / (a * b) * y[k + 1] + (2.0 - a / b) * y[k + 2])
        )
    if n % 2 == 0:
        if n == 2:
            total += 0.5 * h[0] * (y[0] + y[1])
        else:
            a, b = h[-2], h[-1]
            total += (2.0 * b * b + 3.0 * a * b) / (6.0 * (b + a)) * y[-1]
            total += (b * b + 3.0 * b * a) / (6.0 * a) * y[-2]
            total -= b * b * b / (6.0 * a * (a + b)) * y[-3]
    return total


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The integral by the trapezoidal rule up to each point."""
    y = np.moveaxis(y, axis, -1)
    h = dx if x is None else np.diff(x)
    found = np.cumsum(h * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        found = np.concatenate((np.zeros(y[..., :1].shape), found), axis=-1)
    return np.moveaxis(found, -1, axis)


def romb(y, dx=1.0, axis=-1):
    """Romberg's rule of 2**k + 1 points."""
    y = np.moveaxis(y, axis, 0)
    n = len(y) - 1
    rows = 0
    while 2**rows < n:
        rows += 1
    found = np.zeros((rows + 1, rows + 1, *y[0].shape))
    step = n
    for i in range(rows + 1):
        inner = np.sum(y[step:n:step], axis=0) if i > 0 else 0.0
        found[i, 0] = step * dx * (0.5 * (y[0] + y[n]) + inner)
        for j in range(1, i + 1):
            before = found[i, j - 1]
            found[i, j] = before + (before - found[i - 1, j - 1]) / (4.0**j - 1.0)
        step = step // 2
    return found[rows, rows]


def fixed_quad(func, a, b, args=(), n=5):
    """Gauss's rule of n points."""
    points, weights = np.polynomial.legendre.leggauss(n)
    places = (b - a) * (np.asarray(points) + 1.0) / 2.0 + a
    return (b - a) / 2.0 * np.sum(np.asarray(weights) * func(places, *args)), None


def pdist(X, metric="euclidean"):
    """The distances of all pairs of rows."""
    n = len(X)
    return np.ravel(cdist(X, X, metric))[np.flatnonzero(np.triu(np.ones((n, n)), 1))]


def squareform(X):
    """A symmetric matrix from what is above its diagonal, and back."""
    if np.ndim(X) == 2:
        return np.ravel(X)[np.flatnonzero(np.triu(np.ones(X.shape), 1))]
    n = int(np.ceil(np.sqrt(2.0 * len(X))))
    found = np.zeros((n, n))
    k = 0
    for i in range(n):
        for j in range(i + 1, n):
            found[i, j] = X[k]
            found[j, i] = X[k]
            k += 1
    return found


def bisplev(x, y, tck, *, dx=0, dy=0):
    """A spline of two numbers, as the sum of products of B-splines."""
    tx, ty, c, kx, ky = tck
    in_x, first_x = b_splines(x, tx, kx)
    in_y, first_y = b_splines(y, ty, ky)
    count = len(ty) - ky - 1
    total = 0.0
    for a in range(kx + 1):
        for b in range(ky + 1):
            total += in_x[a] * in_y[b] * c[(first_x + a) * count + first_y + b]
    return total


def b_splines(x, t, k):
    """The B-splines of degree `k` that are not zero at `x`, and the number of the first.

    Cox 1972, de Boor 1972. Beyond the knots the value at the end is taken.
    """
    last = len(t) - k - 2
    x = min(max(x, t[k]), t[last + 1])
    place = k
    while place < last and x >= t[place + 1]:
        place += 1
    found = np.zeros(k + 1)
    found[0] = 1.0
    for degree in range(1, k + 1):
        left_over = 0.0
        for r in range(degree):
            low, high = t[place + 1 - degree + r], t[place + r + 1]
            part = found[r] / (high - low)
            found[r] = left_over + (high - x) * part
            left_over = (x - low) * part
        found[degree] = left_over
    return found, place - k


def solve_banded(l_and_u, ab, b):
    """The system of a matrix that is given by its diagonals, the highest first."""
    below, above = l_and_u
    n = ab.shape[1]
    a = np.zeros((n, n))
    for k in range(-below, above + 1):
        for j in range(max(0, k), min(n, n + k)):
            a[j - k, j] = ab[above - k, j]
    return np.linalg.solve(a, b)


def misfit(p, model, x, y, sigma):
    """What `curve_fit` makes least: the sum of squares, in units of `sigma`."""
    r = model(x, *p) - y
    if sigma is not None:
        r = r / sigma
    return np.sum(r * r)

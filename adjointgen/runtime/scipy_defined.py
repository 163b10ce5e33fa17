"""Functions of SciPy by those of NumPy, as `defined.py` has those of NumPy by others.

This is read as text: nothing imports it, so that nothing imports SciPy for it.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
from scipy.linalg import circulant, toeplitz
from scipy.signal import lfilter
from scipy.spatial.distance import cdist


def simpson(y, x=None, dx=1.0, axis=-1):
    """Simpson's rule; of an even number of points, with Cartwright's correction at the end."""
    y = np.moveaxis(y, axis, 0)
    n = len(y)
    h = np.ones(n - 1) if x is None else np.diff(points_along(x, axis, y), axis=0)
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
    return dx * total if x is None else total


def points_along(x, axis, y):
    """The points of an integral along the first axis, which are those of all rows or of each."""
    if np.ndim(x) not in (1, np.ndim(y)):
        raise ValueError("If given, shape of x must be 1-D or the same as y.")
    x = np.asarray(x) if np.ndim(x) == 1 else np.moveaxis(x, axis, 0)
    if len(x) != len(y):
        raise ValueError("If given, length of x along axis must be the same as y.")
    return x


def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The integral by the trapezoidal rule up to each point."""
    if x is not None:
        x = np.moveaxis(points_along(x, axis, np.moveaxis(y, axis, 0)), 0, -1)
    y = np.moveaxis(y, axis, -1)
    h = dx if x is None else np.diff(x)
    found = np.cumsum(h * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            raise ValueError("`initial` must be `None` or `0`.")
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


def sosfilt(sos, x, axis=-1):
    """Filters of second order, one after the other."""
    sos = np.asarray(sos)
    for k in range(len(sos)):
        x = lfilter(sos[k, :3], sos[k, 3:], x, axis)
    return x


def rosen(x):
    """The function of Rosenbrock."""
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)


def rosen_der(x):
    """Its gradient."""
    x = np.asarray(x)
    middle, before, after = x[1:-1], x[:-2], x[2:]
    found = np.zeros_like(x)
    found[1:-1] = 200 * (middle - before**2) - 400 * (after - middle**2) * middle - 2 * (1 - middle)
    found[0] = -400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0])
    found[-1] = 200 * (x[-1] - x[-2] ** 2)
    return found


def rosen_hess(x):
    """Its second derivatives."""
    x = np.asarray(x)
    beside = -400 * x[:-1]
    diagonal = np.concatenate(
        (
            (1200 * x[0] ** 2 - 400 * x[1] + 2) * np.ones(1),
            202 + 1200 * x[1:-1] ** 2 - 400 * x[2:],
            200 * np.ones(1),
        )
    )
    return np.diag(beside, 1) + np.diag(beside, -1) + np.diag(diagonal)


def rosen_hess_prod(x, p):
    """Their product with a vector."""
    x, p = np.asarray(x), np.asarray(p)
    found = np.zeros_like(x)
    found[0] = (1200 * x[0] ** 2 - 400 * x[1] + 2) * p[0] - 400 * x[0] * p[1]
    found[1:-1] = (
        -400 * x[:-2] * p[:-2]
        + (202 + 1200 * x[1:-1] ** 2 - 400 * x[2:]) * p[1:-1]
        - 400 * x[1:-1] * p[2:]
    )
    found[-1] = -400 * x[-2] * p[-2] + 200 * p[-1]
    return found


def convert_temperature(val, old_scale, new_scale):
    """By way of degrees of Kelvin."""
    old, new = old_scale.lower(), new_scale.lower()
    value = np.asarray(val)
    if old in ("celsius", "c"):
        kelvin = value + 273.15
    elif old in ("kelvin", "k"):
        kelvin = value
    elif old in ("fahrenheit", "f"):
        kelvin = (value - 32) * 5 / 9 + 273.15
    elif old in ("rankine", "r"):
        kelvin = value * 5 / 9
    else:
        raise NotImplementedError(f"{old_scale=} is unsupported")
    if new in ("celsius", "c"):
        return kelvin - 273.15
    if new in ("kelvin", "k"):
        return kelvin
    if new in ("fahrenheit", "f"):
        return (kelvin - 273.15) * 9 / 5 + 32
    if new in ("rankine", "r"):
        return kelvin * 9 / 5
    raise NotImplementedError(f"{new_scale=} is unsupported")


def lambda2nu(lambda_):
    """A frequency of a wavelength."""
    return 299792458.0 / np.asarray(lambda_)


def nu2lambda(nu):
    """A wavelength of a frequency."""
    return 299792458.0 / np.asarray(nu)


def chirp(t, f0, t1, f1, method="linear", phi=0):
    """A cosine whose frequency changes with time."""
    t = np.asarray(t)
    if method in ("linear", "lin", "li"):
        angle = 2 * np.pi * (f0 * t + 0.5 * ((f1 - f0) / t1) * t * t)
    elif method in ("logarithmic", "log", "lo"):
        if f0 == f1:
            angle = 2 * np.pi * f0 * t
        else:
            angle = 2 * np.pi * (t1 / np.log(f1 / f0)) * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    else:
        raise ValueError(f"no derivative of a chirp with the method {method!r}")
    return np.cos(angle + phi * np.pi / 180)


def gauss_spline(x, n):
    """A Gaussian near the B-spline of a degree."""
    signsq = (n + 1) / 12.0
    return 1 / np.sqrt(2 * np.pi * signsq) * np.exp(-(np.asarray(x) ** 2) / 2 / signsq)


def bilinear_zpk(z, p, k, fs):
    """Zeros, poles and gain of a digital filter, by those of an analogue one."""
    z, p = np.asarray(z), np.asarray(p)
    twice = 2.0 * fs
    zeros = np.concatenate(((twice + z) / (twice - z), -np.ones(len(p) - len(z))))
    return zeros, (twice + p) / (twice - p), k * np.real(np.prod(twice - z) / np.prod(twice - p))


def lp2lp(b, a, wo=1.0):
    """The coefficients of a filter at another cutoff frequency."""
    a, b = np.asarray(a), np.asarray(b)
    d, n = len(a), len(b)
    length = max(d, n)
    powers = wo ** np.arange(length - 1.0, -1.0, -1.0)
    start, after = max(n - d, 0), max(d - n, 0)
    b = b * powers[start] / powers[after:]
    a = a * powers[start] / powers[start:]
    return b / a[0], a / a[0]


def matmul_toeplitz(c_or_cr, x):
    """The product of a Toeplitz matrix, of its column or of its column and row."""
    if isinstance(c_or_cr, tuple):
        return toeplitz(c_or_cr[0], c_or_cr[1]) @ x
    return toeplitz(c_or_cr) @ x


def solve_toeplitz(c_or_cr, b):
    """The system of a Toeplitz matrix, of its column or of its column and row."""
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(toeplitz(c_or_cr), b)


def solve_circulant(c, b):
    """The system of a circulant matrix."""
    return np.linalg.solve(circulant(c), b)


def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False):
    """The system of a symmetric matrix that is given by its diagonals."""
    n = ab.shape[1]
    a = np.zeros((n, n))
    for k in range(ab.shape[0]):
        for j in range(n - k):
            value = ab[k, j] if lower else ab[ab.shape[0] - 1 - k, j + k]
            a[j, j + k] = value
            a[j + k, j] = value
    return np.linalg.solve(a, b)


def eigvalsh_tridiagonal(d, e):
    """The eigenvalues of a symmetric matrix of three diagonals."""
    return np.linalg.eigvalsh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))


def eigh_tridiagonal(d, e):
    """The same, and its eigenvectors."""
    return np.linalg.eigh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))


def polar(a, side="right"):
    """An orthogonal factor and a symmetric one."""
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    if side == "right":
        return u @ vt, (vt.T * s) @ vt
    return u @ vt, (u * s) @ u.T


def barycentric_interpolate(xi, yi, x):
    """The polynomial through points (Berrut and Trefethen 2004)."""
    xi, yi = np.asarray(xi), np.asarray(yi)
    n = len(xi)
    total = 0.0 * np.asarray(x)
    for i in range(n):
        basis = 1.0
        for j in range(n):
            if j != i:
                basis = basis * (x - xi[j]) / (xi[i] - xi[j])
        total = total + yi[i] * basis
    return total


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

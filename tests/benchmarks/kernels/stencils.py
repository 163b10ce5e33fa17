"""Stencils on grids, stepped in place."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def jacobi_1d(A, B, steps):
    """Two arrays that average each other's neighbours in turn."""
    A = A.copy()
    B = B.copy()
    for _ in range(steps):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return np.sum(A * A)


def jacobi_2d(A, B, steps):
    """The same in two dimensions: five points."""
    A = A.copy()
    B = B.copy()
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    return np.sum(A * A)


def _heat_step(new, old):
    c = old[1:-1, 1:-1, 1:-1]
    new[1:-1, 1:-1, 1:-1] = (
        0.125 * (old[2:, 1:-1, 1:-1] - 2.0 * c + old[:-2, 1:-1, 1:-1])
        + 0.125 * (old[1:-1, 2:, 1:-1] - 2.0 * c + old[1:-1, :-2, 1:-1])
        + 0.125 * (old[1:-1, 1:-1, 2:] - 2.0 * c + old[1:-1, 1:-1, :-2])
        + c
    )


def heat_3d(A, B, steps):
    """Heat in a cube, with two arrays that are stepped in turn."""
    A = A.copy()
    B = B.copy()
    for _ in range(steps):
        _heat_step(B, A)
        _heat_step(A, B)
    return np.sum(A * A)


def seidel_2d(A, steps):
    """Nine points, averaged one after the other in place."""
    A = A.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                A[i, j] = (
                    A[i - 1, j - 1]
                    + A[i - 1, j]
                    + A[i - 1, j + 1]
                    + A[i, j - 1]
                    + A[i, j]
                    + A[i, j + 1]
                    + A[i + 1, j - 1]
                    + A[i + 1, j]
                    + A[i + 1, j + 1]
                ) / 9.0
    return np.sum(A * A)


def fdtd_2d(ex, ey, hz, source):
    """Maxwell's equations in two dimensions on a staggered grid, with a source at one side."""
    ex = ex.copy()
    ey = ey.copy()
    hz = hz.copy()
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz * hz)


def _adi_sweep(u, p, q, out, a, b):
    """One tridiagonal solution per column, all columns at once, with ones at both ends.

    `a` weighs the direction of the solution, `b` the other one, which is explicit.
    """
    n = u.shape[0]
    out[0, 1:-1] = 1.0
    p[1:-1, 0] = 0.0
    q[1:-1, 0] = 1.0
    for j in range(1, n - 1):
        right = b * u[j, :-2] + (1.0 - 2.0 * b) * u[j, 1:-1] + b * u[j, 2:]
        pivot = 1.0 + 2.0 * a - a * p[1:-1, j - 1]
        p[1:-1, j] = a / pivot
        q[1:-1, j] = (right + a * q[1:-1, j - 1]) / pivot
    out[n - 1, 1:-1] = 1.0
    for j in range(n - 2, 0, -1):
        out[j, 1:-1] = p[1:-1, j] * out[j + 1, 1:-1] + q[1:-1, j]


def adi(u, a, b, steps):
    """Heat on a square by alternating directions: explicit in one, implicit in the other."""
    u = u.copy()
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    for _ in range(steps):
        _adi_sweep(u.T, p, q, v, a, b)
        _adi_sweep(v.T, p, q, u, b, a)
    return np.sum(u * u)


def _both_ways(image, k, e, alpha):
    """The sum of a recursive filter from left to right and one from right to left, line by line."""
    w, h = image.shape
    y = np.zeros((w, h))
    z = np.zeros((w, h))
    for i in range(w):
        x1, y1, y2 = 0.0, 0.0, 0.0
        for j in range(h):
            smooth = 2.0 * e * y1 - e * e * y2
            y[i, j] = k * image[i, j] + k * e * (alpha - 1.0) * x1 + smooth
            x1, y1, y2 = image[i, j], y[i, j], y1
        x1, x2, y1, y2 = 0.0, 0.0, 0.0, 0.0
        for j in range(h - 1, -1, -1):
            smooth = 2.0 * e * y1 - e * e * y2
            z[i, j] = k * e * (alpha + 1.0) * x1 - k * e * e * x2 + smooth
            x1, x2, y1, y2 = image[i, j], x1, z[i, j], y1
    return y + z


def deriche(image, alpha):
    """A recursive smoothing filter, along the rows and then along the columns."""
    e = np.exp(-alpha)
    k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e)
    rows = _both_ways(image, k, e, alpha)
    both = _both_ways(rows.T, k, e, alpha)
    return np.sum(both * both)


def hdiff(field, coeff):
    """Horizontal diffusion: a Laplacian, limited fluxes of it, and their divergence."""
    lap = 4.0 * field[1:-1, 1:-1, :] - (
        field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :]
    )
    fx = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    fx = np.where(fx * (field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :]) > 0.0, 0.0, fx)
    fy = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fy = np.where(fy * (field[2:-2, 2:-1, :] - field[2:-2, 1:-2, :]) > 0.0, 0.0, fy)
    inner = field[2:-2, 2:-2, :]
    out = inner - coeff * (fx[1:, :, :] - fx[:-1, :, :] + fy[:, 1:, :] - fy[:, :-1, :])
    return np.sum(out * out)


def vadv(wind, u, tendency):
    """Vertical advection, implicit: one tridiagonal system per column of air."""
    levels = u.shape[2]
    c = np.zeros_like(u)
    d = np.zeros_like(u)
    below = 0.25 * wind[:, :, 1]
    c[:, :, 0] = below / (3.0 - below)
    d[:, :, 0] = (3.0 * u[:, :, 0] + tendency[:, :, 0]) / (3.0 - below)
    for k in range(1, levels - 1):
        above, below = -0.25 * wind[:, :, k], 0.25 * wind[:, :, k + 1]
        jump = above * (u[:, :, k - 1] - u[:, :, k]) + below * (u[:, :, k + 1] - u[:, :, k])
        pivot = 1.0 / (3.0 - above - below - above * c[:, :, k - 1])
        c[:, :, k] = below * pivot
        right = 3.0 * u[:, :, k] + tendency[:, :, k] - jump
        d[:, :, k] = (right - above * d[:, :, k - 1]) * pivot
    out = np.zeros_like(u)
    out[:, :, levels - 1] = u[:, :, levels - 1]
    for k in range(levels - 2, -1, -1):
        out[:, :, k] = d[:, :, k] - c[:, :, k] * out[:, :, k + 1]
    return np.sum(out * out)


def _jacobi_1d(n, steps):
    return *normal(31, (n,), (n,)), steps


def _jacobi_2d(n, steps):
    return *normal(32, (n, n), (n, n)), steps


def _heat_3d(n, steps):
    return *normal(33, (n, n, n), (n, n, n)), steps


def _seidel_2d(n, steps):
    return *normal(34, (n, n)), steps


def _fdtd_2d(n, m, steps):
    return normal(35, (n, m), (n, m), (n, m), (steps,))


def _adi(n, steps):
    return *normal(36, (n, n)), 0.35, 0.4, steps


def _deriche(w, h):
    return *normal(37, (w, h)), 0.25


def _hdiff(n, m, k):
    return normal(38, (n, m, k), (n - 4, m - 4, k))


def _vadv(n, m, k):
    return normal(39, (n, m, k), (n, m, k), (n, m, k))


KERNELS = (
    Kernel(jacobi_1d, _jacobi_1d, at((7, 3), (4000, 400), (8000, 2000)), sweeps=True),
    Kernel(jacobi_2d, _jacobi_2d, at((6, 2), (200, 60), (350, 80)), sweeps=True),
    Kernel(heat_3d, _heat_3d, at((5, 2), (40, 20), (50, 40)), sweeps=True),
    Kernel(seidel_2d, _seidel_2d, at((5, 2), (80, 6), (160, 12)), sweeps=True),
    Kernel(fdtd_2d, _fdtd_2d, at((5, 6, 3), (150, 200, 80), (250, 300, 100)), sweeps=True),
    Kernel(adi, _adi, at((6, 2), (120, 15), (200, 20)), sweeps=True),
    Kernel(deriche, _deriche, at((4, 5), (120, 100), (400, 200)), sweeps=True),
    Kernel(hdiff, _hdiff, at((6, 7, 2), (100, 100, 30), (128, 128, 80))),
    Kernel(vadv, _vadv, at((2, 3, 5), (60, 60, 60), (128, 128, 80)), sweeps=True),
)

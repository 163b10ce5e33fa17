"""Products of matrices and vectors."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def atax(A, x):
    """A' (A x)."""
    y = (A @ x) @ A
    return np.sum(y * y)


def bicg(A, p, r):
    """The two products of a step of the biconjugate gradient method."""
    q = A @ p
    s = r @ A
    return np.sum(q * q) + np.sum(s * s)


def mvt(x1, x2, y1, y2, A):
    """x1 += A y1 and x2 += A' y2."""
    x1 = x1.copy()
    x2 = x2.copy()
    x1 += A @ y1
    x2 += y2 @ A
    return np.sum(x1 * x2)


def gemver(alpha, beta, A, u1, v1, u2, v2, y, z):
    """Two updates of rank one, and products with the updated matrix."""
    A = A.copy()
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x = beta * y @ A + z
    w = alpha * A @ x
    return np.sum(w)


def gesummv(alpha, beta, A, B, x):
    """y = alpha A x + beta B x."""
    y = alpha * A @ x + beta * B @ x
    return np.sum(y * y)


def _atax(n):
    return normal(11, (n, n + 3), (n + 3,))


def _bicg(n):
    return normal(12, (n, n + 3), (n + 3,), (n,))


def _mvt(n):
    return normal(13, (n,), (n,), (n,), (n,), (n, n))


def _gemver(n):
    return 1.5 / n, 0.7, *normal(14, (n, n), *[(n,)] * 6)


def _gesummv(n):
    return 1.5, 0.7, *normal(15, (n, n), (n, n), (n,))


KERNELS = (
    Kernel(atax, _atax, at(5, 1500, 3500)),
    Kernel(bicg, _bicg, at(5, 1500, 3500)),
    Kernel(mvt, _mvt, at(5, 1500, 3500)),
    Kernel(gemver, _gemver, at(5, 1000, 2500)),
    Kernel(gesummv, _gesummv, at(5, 1000, 2500)),
)

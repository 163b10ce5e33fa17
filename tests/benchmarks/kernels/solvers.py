"""Factorisations and solutions of linear systems, in place and element by element."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def cholesky(A):
    """The factor L with A = L L', row by row, in the lower triangle."""
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
        for k in range(i):
            A[i, i] -= A[i, k] * A[i, k]
        A[i, i] = np.sqrt(A[i, i])
    return np.sum(np.tril(A))


def lu(A):
    """The factors of A = L U in one array, row by row, without pivoting."""
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A)


def ludcmp(A, b):
    """The solution of A x = b by its factors, a forward and a backward substitution."""
    A = A.copy()
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return np.sum(x)


def trisolv(L, b):
    """The solution of L x = b, where L is lower triangular."""
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= L[i, j] * x[j]
        x[i] = total / L[i, i]
    return np.sum(x)


def durbin(r):
    """The Yule-Walker equations of a symmetric Toeplitz matrix, by Levinson's recursion."""
    n = r.shape[0]
    y = np.zeros(n)
    z = np.zeros(n)
    y[0] = -r[0]
    alpha = -r[0]
    beta = 1.0
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        total = r[k]
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -total / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return np.sum(y)


def gramschmidt(A):
    """The factors of A = Q R by the modified method of Gram and Schmidt."""
    A = A.copy()
    m, n = A.shape
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    for k in range(n):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, n):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q) + np.sum(R)


def _cholesky(n):
    (factor,) = normal(21, (n, n))
    return (factor @ factor.T / n + 2.0 * np.eye(n),)


def _lu(n):
    (matrix,) = normal(22, (n, n))
    return (matrix + 2.0 * n * np.eye(n),)


def _ludcmp(n):
    matrix, right = normal(23, (n, n), (n,))
    return matrix + 2.0 * n * np.eye(n), right


def _trisolv(n):
    matrix, right = normal(24, (n, n), (n,))
    return matrix / n + 2.0 * np.eye(n), right


def _durbin(n):
    return (0.4 * np.cos(np.arange(n)) / np.arange(1.0, n + 1.0) ** 2,)


def _gramschmidt(m, n):
    return normal(26, (m, n))


KERNELS = (
    Kernel(cholesky, _cholesky, at(5, 80, 200), sweeps=True),
    Kernel(lu, _lu, at(5, 64, 200), sweeps=True),
    Kernel(ludcmp, _ludcmp, at(5, 120, 220), sweeps=True),
    Kernel(trisolv, _trisolv, at(5, 500, 2000), sweeps=True),
    Kernel(durbin, _durbin, at(5, 250, 1000), sweeps=True),
    Kernel(gramschmidt, _gramschmidt, at((6, 4), (120, 100), (220, 180)), sweeps=True),
)

"""A linear system by LU decomposition without pivoting, in place, then two substitutions."""

import numpy as np

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def solve(matrix: Matrix, right: Vector):
    """Sum of squares of the solution of `matrix @ x = right`."""
    a = matrix.copy()
    x = right.copy()
    n = len(x)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    # Forward substitution with the unit lower triangle.
    for i in range(n):
        for j in range(i):
            x[i] -= a[i, j] * x[j]
    # Back substitution with the upper triangle.
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            x[i] -= a[i, j] * x[j]
        x[i] = x[i] / a[i, i]
    return np.sum(x * x)

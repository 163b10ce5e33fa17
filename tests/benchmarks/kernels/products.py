"""Products of matrices, as calls of BLAS and as loops over triangles."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def gemm(alpha, beta, A, B, C):
    """C = alpha A B + beta C."""
    C = C.copy()
    C *= beta
    C += alpha * A @ B
    return np.sum(C * C)


def two_mm(alpha, beta, A, B, C, D):
    """D = alpha A B C + beta D."""
    D = D.copy()
    D *= beta
    D += alpha * A @ B @ C
    return np.sum(D * D)


def three_mm(A, B, C, D):
    """G = (A B) (C D)."""
    E = A @ B
    F = C @ D
    G = E @ F
    return np.sum(G * G)


def syrk(alpha, beta, A, C):
    """The lower triangle of C = alpha A A' + beta C."""
    C = C.copy()
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
            for k in range(m):
                C[i, j] += alpha * A[i, k] * A[j, k]
    return np.sum(C)


def syr2k(alpha, beta, A, B, C):
    """The lower triangle of C = alpha (A B' + B A') + beta C."""
    C = C.copy()
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
            for k in range(m):
                C[i, j] += alpha * (A[j, k] * B[i, k] + B[j, k] * A[i, k])
    return np.sum(C)


def symm(alpha, beta, A, B, C):
    """C = alpha S B + beta C, where S is symmetric and its lower triangle is that of A."""
    C = C.copy()
    m, n = C.shape
    for i in range(m):
        for j in range(n):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            before = np.dot(A[i, :i], B[:i, j])
            C[i, j] = beta * C[i, j] + alpha * (B[i, j] * A[i, i] + before)
    return np.sum(C)


def trmm(alpha, A, B):
    """B = alpha L' B in place, where L has a unit diagonal and the lower triangle of A."""
    B = B.copy()
    m, n = B.shape
    for i in range(m):
        for j in range(n):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
            B[i, j] *= alpha
    return np.sum(B)


def doitgen(A, C):
    """Every line of a three-dimensional array times one matrix, in place."""
    A = A.copy()
    r, q, _ = A.shape
    for i in range(r):
        for j in range(q):
            A[i, j, :] = A[i, j, :] @ C
    return np.sum(A * A)


def _gemm(n):
    return 1.5, 0.7, *normal(1, (n, n + 2), (n + 2, n + 1), (n, n + 1))


def _two_mm(n):
    shapes = (n, n + 1), (n + 1, n + 2), (n + 2, n + 3), (n, n + 3)
    return 1.5 / n, 0.7, *normal(2, *shapes)


def _three_mm(n):
    shapes = (n, n + 1), (n + 1, n + 2), (n + 2, n + 3), (n + 3, n + 4)
    return normal(3, *shapes)


def _syrk(n, m):
    return 1.5, 0.7, *normal(4, (n, m), (n, n))


def _syr2k(n, m):
    return 1.5, 0.7, *normal(5, (n, m), (n, m), (n, n))


def _symm(m, n):
    return 1.5, 0.7, *normal(6, (m, m), (m, n), (m, n))


def _trmm(m, n):
    return 1.5, *normal(7, (m, m), (m, n))


def _doitgen(r, q, p):
    return normal(8, (r, q, p), (p, p))


KERNELS = (
    Kernel(gemm, _gemm, at(4, 400, 800)),
    Kernel(two_mm, _two_mm, at(4, 300, 600)),
    Kernel(three_mm, _three_mm, at(4, 280, 560)),
    Kernel(syrk, _syrk, at((5, 4), (70, 60), (140, 120))),
    Kernel(syr2k, _syr2k, at((5, 4), (60, 50), (120, 100))),
    Kernel(symm, _symm, at((5, 4), (80, 100), (180, 200))),
    Kernel(trmm, _trmm, at((5, 4), (100, 120), (200, 220))),
    Kernel(doitgen, _doitgen, at((3, 4, 5), (50, 60, 60), (90, 100, 110))),
)

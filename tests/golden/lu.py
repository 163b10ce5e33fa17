# LU factorization in place: pivot rows and multipliers stand to the end, so no tape.
# wrt: A   at: A=np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, -1.0, 2.0]])
import numpy as np
from numpy.typing import NDArray


def lu(A):
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A


# In single-assignment form:
#
# function lu(A: float64[A.0, A.1]) -> (A)
#   n: int64=A.0 = dim(A) [axis=0]
#   A_2: float64[A.0, A.1] = loop k: int64 from (0, n, 1) carry (A_3: float64[A.0, A.1] = A):
#     t': int64 = add(k, 1)
#     A_4: float64[A.0, A.1] = loop i: int64 from (t, n, 1) carry (A_5: float64[A.0, A.1] = A_3):
#       t_2': float64 = load(A_5, i, k) [index="_, _"]
#       t_3': float64 = load(A_5, k, k) [index="_, _"]
#       t_4': float64 = div(t_2, t_3)
#       A_6: float64[A.0, A.1] = store(A_5, t_4, i, k) [index="_, _"]
#       t_5': int64 = add(k, 1)
#       A_7: float64[A.0, A.1] = loop j: int64 from (t_5, n, 1) carry (A_8: float64[A.0, A.1] = A_6):
#         t_6': float64 = load(A_8, i, k) [index="_, _"]
#         t_7': float64 = load(A_8, k, j) [index="_, _"]
#         t_8': float64 = mul(t_6, t_7)
#         t_9': float64 = load(A_8, i, j) [index="_, _"]
#         t_10': float64 = sub(t_9, t_8)
#         A_9: float64[A.0, A.1] = store(A_8, t_10, i, j) [index="_, _"]
#         yield A_9
#       yield A_7
#     yield A_4
#   return A_2


def lu_tangent(
    A: NDArray[np.float64], A_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `lu`: (A, A_dot).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only; returned anew
    A_dot: float64 array (A.shape[0], A.shape[1]), seed, read only; returned anew
    """
    n = A.shape[0]
    A = A.copy()
    A_dot = A_dot.copy()
    for k in range(n):
        for i in range(k + 1, n):
            A_k_k = A[k, k]
            ratio = A[i, k] / A_k_k
            difference = A_dot[i, k] / A_k_k - ratio / A_k_k * A_dot[k, k]
            A_dot[i, k] = difference
            A[i, k] = ratio
            for j in range(k + 1, n):
                A_i_k = A[i, k]
                A_k_j = A[k, j]
                A_dot[i, j] -= A_k_j * difference + A_i_k * A_dot[k, j]
                A[i, j] -= A_i_k * A_k_j
    return A, A_dot


def lu_adjoint(
    A: NDArray[np.float64], A_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `lu`: (A, A_bar).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only; returned anew
    A_bar: float64 array (A.shape[0], A.shape[1]), seed, read only; returned anew
    """
    # Forward sweep.
    n = A.shape[0]
    A = A.copy()
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]

    # Reverse sweep.
    A_bar = A_bar.copy()
    # for k in range(n):
    for k in range(n - 1, -1, -1):
        # for i in range(k + 1, n):
        for i in range(n - 1, k, -1):
            # A[i, j] -= A[i, k] * A[k, j]
            minus_A_bar_part = -A_bar[i, k + 1 : n]
            A_bar[k, k + 1 : n] += minus_A_bar_part * A[i, k]
            A_bar[i, k] += minus_A_bar_part @ A[k, k + 1 : n]
            # A[i, k] = A[i, k] / A[k, k]
            ratio_bar = A_bar[i, k]
            A_bar[i, k] = 0.0
            A_i_k_bar = ratio_bar / A[k, k]
            A_bar[k, k] -= A_i_k_bar * A[i, k]
            A_bar[i, k] += A_i_k_bar
    return A, A_bar

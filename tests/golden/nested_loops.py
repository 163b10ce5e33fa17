# Nested loops over the entries of a matrix: independent sums, so nothing is recorded.
# wrt: A, x   at: A=np.array([[1.0, 0.5], [0.25, 2.0], [1.5, -1.0]]), x=np.array([0.5, 1.5])
import numpy as np
from numpy.typing import NDArray


def nested_loops(A, x):
    y = np.zeros(len(A))
    for i in range(len(A)):
        for j in range(len(x)):
            y[i] += A[i, j] * x[j] ** 2
    return y


# In single-assignment form:
#
# function nested_loops(A: float64[A.0, A.1], x: float64[x.0]) -> (y)
#   t': int64=A.0 = dim(A) [axis=0]
#   y: float64[A.0] = zeros(t)
#   t_2': int64=A.0 = dim(A) [axis=0]
#   y_2: float64[A.0] = loop i: int64 from (0, t_2, 1) carry (y_3: float64[A.0] = y):
#     t_3': int64=x.0 = dim(x) [axis=0]
#     y_4: float64[A.0] = loop j: int64 from (0, t_3, 1) carry (y_5: float64[A.0] = y_3):
#       t_4': float64 = load(A, i, j) [index="_, _"]
#       t_5': float64 = load(x, j) [index="_"]
#       t_6': float64 = pow(t_5, 2)
#       t_7': float64 = mul(t_4, t_6)
#       y_6: float64[A.0] = accumulate(y_5, t_7, i) [index="_"]
#       yield y_6
#     yield y_4
#   return y_2


def nested_loops_tangent(
    A: NDArray[np.float64],
    x: NDArray[np.float64],
    A_dot: NDArray[np.float64],
    x_dot: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `nested_loops`: (y, y_dot).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    A_dot: float64 array (A.shape[0], A.shape[1]), seed, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    y: float64 array (A.shape[0],), returned
    y_dot: float64 array (A.shape[0],), returned
    """
    y = np.zeros(A.shape[0])
    y_dot = np.zeros_like(y)
    for i in range(A.shape[0]):
        for j in range(len(x)):
            A_i_j = A[i, j]
            x_j = x[j]
            x_j_squared = x_j**2
            y_dot[i] += x_j_squared * A_dot[i, j] + 2.0 * A_i_j * x_j * x_dot[j]
            y[i] += A_i_j * x_j_squared
    return y, y_dot


def nested_loops_adjoint(
    A: NDArray[np.float64], x: NDArray[np.float64], y_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `nested_loops`: (y, A_bar, x_bar).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    y_bar: float64 array (A.shape[0],), seed, read only
    y: float64 array (A.shape[0],), returned
    A_bar: float64 array (A.shape[0], A.shape[1]), returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    y = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        for j in range(len(x)):
            y[i] += A[i, j] * x[j] ** 2

    # Reverse sweep.
    x_bar = np.zeros_like(x)
    A_bar = np.zeros_like(A)
    # for i in range(len(A)):
    for i in range(A.shape[0] - 1, -1, -1):
        # y[i] += A[i, j] * x[j] ** 2
        product_bar = y_bar[i]
        x_bar += 2.0 * product_bar * A[i, : len(x)] * x
        A_bar[i, : len(x)] += product_bar * x**2
    return y, A_bar, x_bar

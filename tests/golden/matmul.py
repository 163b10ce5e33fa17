# Products of matrices and vectors: transposes and outer products.
# wrt: A, B, x   at: A=np.array([[1.0, 0.5], [0.25, 2.0]]), B=np.array([[0.5, -1.0], [1.5, 1.0]]), x=np.array([0.5, 1.5])
import numpy as np
from numpy.typing import NDArray


def matmul(A, B, x):
    y = A @ B @ x
    return y @ x + np.trace(A.T @ B)


# In single-assignment form:
#
# function matmul(A: float64[A.0, A.1], B: float64[B.0, B.1], x: float64[x.0]) -> (result)
#   t': float64[A.0, B.1] = matmul(A, B)
#   y: float64[A.0] = matmul(t, x)
#   t_2': float64 = matmul(y, x)
#   t_3': float64[A.1, A.0] = transpose(A) [spelling=".T"]
#   t_4': float64[A.1, B.1] = matmul(t_3, B)
#   t_5': float64 = trace(t_4)
#   result: float64 = add(t_2, t_5)
#   return result


def matmul_tangent(
    A: NDArray[np.float64],
    B: NDArray[np.float64],
    x: NDArray[np.float64],
    A_dot: NDArray[np.float64],
    B_dot: NDArray[np.float64],
    x_dot: NDArray[np.float64],
) -> tuple[float, float]:
    """Value and tangent of `matmul`: (result, result_dot).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only
    B: float64 array (B.shape[0], B.shape[1]), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    A_dot: float64 array (A.shape[0], A.shape[1]), seed, read only
    B_dot: float64 array (B.shape[0], B.shape[1]), seed, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    t = A @ B
    y_dot = (A_dot @ B + A @ B_dot) @ x + t @ x_dot
    y = t @ x
    t = A.T
    result_dot = y_dot @ x + y @ x_dot + np.trace(A_dot.T @ B + t @ B_dot)
    result = y @ x + np.trace(t @ B)
    return result, result_dot


def matmul_adjoint(
    A: NDArray[np.float64],
    B: NDArray[np.float64],
    x: NDArray[np.float64],
    result_bar: float = 1.0,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `matmul`: (result, A_bar, B_bar, x_bar).

    A: float64 array (A.shape[0], A.shape[1]), differentiated, read only
    B: float64 array (B.shape[0], B.shape[1]), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed, read only
    result: float, returned
    A_bar: float64 array (B.shape[0], A.shape[1]), returned
    B_bar: float64 array (A.shape[0], B.shape[1]), returned
    x_bar: float64 array (A.shape[0],), returned
    """
    # Forward sweep.
    t = A @ B
    y = t @ x
    t_1 = A.T
    t_2 = t_1 @ B
    result = y @ x + np.trace(t_2)

    # Reverse sweep.
    # return y @ x + np.trace(A.T @ B)
    t_3 = result_bar * np.eye(t_2.shape[0], t_2.shape[1])
    B_bar = t_1.T @ t_3
    A_bar = B @ t_3.T
    y_bar = result_bar * x
    x_bar = result_bar * y
    # y = A @ B @ x
    t_1 = np.outer(y_bar, x)
    x_bar += t.T @ y_bar
    A_bar += t_1 @ B.T
    B_bar += A.T @ t_1
    return result, A_bar, B_bar, x_bar

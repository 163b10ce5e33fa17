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
    product = A @ B
    y_dot = (A_dot @ B + A @ B_dot) @ x + product @ x_dot
    y = product @ x
    A_T = A.T
    result_dot = y_dot @ x + y @ x_dot + np.trace(A_dot.T @ B + A_T @ B_dot)
    result = y @ x + np.trace(A_T @ B)
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
    result_bar: float, seed
    result: float, returned
    A_bar: float64 array (B.shape[0], A.shape[1]), returned
    B_bar: float64 array (A.shape[0], B.shape[1]), returned
    x_bar: float64 array (A.shape[0],), returned
    """
    # Forward sweep.
    product = A @ B
    y = product @ x
    product_1 = A.T @ B
    result = y @ x + np.trace(product_1)

    # Reverse sweep.
    # return y @ x + np.trace(A.T @ B)
    product_bar = result_bar * np.eye(product_1.shape[0], product_1.shape[1])
    B_bar = A @ product_bar
    A_bar = B @ product_bar.T
    y_bar = result_bar * x
    x_bar = result_bar * y
    # y = A @ B @ x
    product_bar = np.outer(y_bar, x)
    x_bar += product.T @ y_bar
    A_bar += product_bar @ B.T
    B_bar += A.T @ product_bar
    return result, A_bar, B_bar, x_bar

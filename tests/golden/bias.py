# Broadcasting: what was spread over the batch is summed over it.
# wrt: X, W, b   at: X=np.array([[1.0, 0.5], [0.25, 2.0], [1.5, -1.0]]), W=np.array([[0.5, -1.0, 0.75], [1.5, 1.0, 2.0]]), b=np.array([0.5, -0.25, 1.0])
import numpy as np
from numpy.typing import NDArray


def bias(X, W, b):
    return np.tanh(X @ W + b)


# In single-assignment form:
#
# function bias(X: float64[X.0, X.1], W: float64[W.0, W.1], b: float64[b.0]) -> (result)
#   t': float64[X.0, W.1] = matmul(X, W)
#   t_2': float64[X.0, W.1] = add(t, b)
#   result: float64[X.0, W.1] = tanh(t_2)
#   return result


def bias_tangent(
    X: NDArray[np.float64],
    W: NDArray[np.float64],
    b: NDArray[np.float64],
    X_dot: NDArray[np.float64],
    W_dot: NDArray[np.float64],
    b_dot: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `bias`: (result, result_dot).

    X: float64 array (X.shape[0], X.shape[1]), differentiated, read only
    W: float64 array (W.shape[0], W.shape[1]), differentiated, read only
    b: float64 array (b.shape[0],), differentiated, read only
    X_dot: float64 array (X.shape[0], X.shape[1]), seed, read only
    W_dot: float64 array (W.shape[0], W.shape[1]), seed, read only
    b_dot: float64 array (b.shape[0],), seed, read only
    result: float64 array (X.shape[0], W.shape[1]), returned
    result_dot: float64 array (X.shape[0], W.shape[1]), returned
    """
    result = np.tanh(X @ W + b)
    result_dot = (1.0 - result * result) * (X_dot @ W + X @ W_dot + b_dot)
    return result, result_dot


def bias_adjoint(
    X: NDArray[np.float64],
    W: NDArray[np.float64],
    b: NDArray[np.float64],
    result_bar: NDArray[np.float64],
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
]:
    """Value and adjoint of `bias`: (result, X_bar, W_bar, b_bar).

    X: float64 array (X.shape[0], X.shape[1]), differentiated, read only
    W: float64 array (W.shape[0], W.shape[1]), differentiated, read only
    b: float64 array (b.shape[0],), differentiated, read only
    result_bar: float64 array (X.shape[0], W.shape[1]), seed, read only
    result: float64 array (X.shape[0], W.shape[1]), returned
    X_bar: float64 array (X.shape[0], W.shape[0]), returned
    W_bar: float64 array (X.shape[1], W.shape[1]), returned
    b_bar: float64 array (W.shape[1],), returned
    """
    # Forward sweep.
    result = np.tanh(X @ W + b)

    # Reverse sweep.
    # return np.tanh(X @ W + b)
    total_bar = result_bar * (1.0 - result * result)
    b_bar = np.sum(total_bar, axis=0)
    X_bar = total_bar @ W.T
    W_bar = X.T @ total_bar
    return result, X_bar, W_bar, b_bar

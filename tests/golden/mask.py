# A mask reads and writes some elements.
# wrt: x   at: x=np.array([0.5, -1.5, 0.75, -2.0])
import numpy as np
from numpy.typing import NDArray


def mask(x):
    y = x * x
    low = x < 0
    y[low] = np.exp(x[low])
    y[y > 1.0] = 1.0
    return y * x


# In single-assignment form:
#
# function mask(x: float64[x.0]) -> (result)
#   y: float64[x.0] = mul(x, x)
#   low: bool[x.0] = lt(x, 0)
#   t': float64[?] = load(x, low) [index="_"]
#   t_2': float64[?] = exp(t)
#   y_2: float64[x.0] = store(y, t_2, low) [index="_"]
#   t_3': bool[x.0] = gt(y_2, 1.0)
#   y_3: float64[x.0] = store(y_2, 1.0, t_3) [index="_"]
#   result: float64[x.0] = mul(y_3, x)
#   return result


def mask_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `mask`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    result_dot: float64 array (x.shape[0],), returned
    """
    y_dot = 2.0 * x * x_dot
    y = x * x
    low = x < 0
    exp_x_part = np.exp(x[low])
    y_dot[low] = exp_x_part * x_dot[low]
    y[low] = exp_x_part
    test = y > 1.0
    y_dot[test] = 0.0
    y[test] = 1.0
    result_dot = x * y_dot + y * x_dot
    result = y * x
    return result, result_dot


def mask_adjoint(
    x: NDArray[np.float64], result_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `mask`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    y = x * x
    low = x < 0
    exp_x_part = np.exp(x[low])
    y[low] = exp_x_part
    test = y > 1.0
    y[test] = 1.0
    result = y * x

    # Reverse sweep.
    # return y * x
    y_bar = result_bar * x
    x_bar = result_bar * y
    # y[y > 1.0] = 1.0
    y_bar[test] = 0.0
    # y[low] = np.exp(x[low])
    x_bar[low] += y_bar[low] * exp_x_part
    y_bar[low] = 0.0
    # y = x * x
    x_bar += 2.0 * y_bar * x
    return result, x_bar

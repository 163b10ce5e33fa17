# np.where and np.maximum choose element by element; what is not chosen has derivative zero.
# wrt: x, a   at: x=np.array([0.5, -1.5, 0.75, -2.0]), a=0.1
import numpy as np
from numpy.typing import NDArray


def elementwise_choice(x, a):
    y = np.where(x > 0, x, a * x)
    return np.maximum(y, 0.25) * x


# In single-assignment form:
#
# function elementwise_choice(x: float64[x.0], a: float64) -> (result)
#   t': bool[x.0] = gt(x, 0)
#   t_2': float64[x.0] = mul(a, x)
#   y: float64[x.0] = select(t, x, t_2)
#   t_3': float64[x.0] = maximum(y, 0.25)
#   result: float64[x.0] = mul(t_3, x)
#   return result


def elementwise_choice_tangent(
    x: NDArray[np.float64], a: float, x_dot: NDArray[np.float64], a_dot: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `elementwise_choice`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    a: float, differentiated
    x_dot: float64 array (x.shape[0],), seed, read only
    a_dot: float, seed
    result: float64 array (x.shape[0],), returned
    result_dot: float64 array (x.shape[0],), returned
    """
    test = x > 0
    y_dot = np.where(test, x_dot, x * a_dot + a * x_dot)
    y = np.where(test, x, a * x)
    maximum = np.maximum(y, 0.25)
    result_dot = x * np.where(y == 0.25, 0.5, y > 0.25) * y_dot + maximum * x_dot
    result = maximum * x
    return result, result_dot


def elementwise_choice_adjoint(
    x: NDArray[np.float64], a: float, result_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Value and adjoint of `elementwise_choice`: (result, x_bar, a_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    a: float, differentiated
    result_bar: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    x_bar: float64 array (x.shape[0],), returned
    a_bar: float, returned
    """
    # Forward sweep.
    test = x > 0
    y = np.where(test, x, a * x)
    maximum = np.maximum(y, 0.25)
    result = maximum * x

    # Reverse sweep.
    # return np.maximum(y, 0.25) * x
    x_bar = result_bar * maximum
    y_bar = result_bar * x * np.where(y == 0.25, 0.5, y > 0.25)
    # y = np.where(x > 0, x, a * x)
    x_bar += np.where(test, y_bar, 0.0)
    a_bar = np.sum(np.where(test, 0.0, y_bar * x))
    x_bar += np.where(test, 0.0, y_bar * a)
    return result, x_bar, a_bar

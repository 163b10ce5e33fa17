# A recurrence along an array: each element still stands when it is needed, so no tape.
# wrt: x, a   at: x=np.array([0.5, 1.5, -0.75, 2.0]), a=1.25
from typing import Any

import numpy as np
from numpy.typing import NDArray


def recur(x, a):
    y = np.zeros_like(x)
    y[0] = a * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
    return np.sum(y * y)


# In single-assignment form:
#
# function recur(x: float64[x.0], a: float64) -> (result)
#   y: float64[x.0] = zeros_like(x)
#   t': float64 = load(x) [index="0"]
#   t_2': float64 = mul(a, t)
#   y_2: float64[x.0] = store(y, t_2) [index="0"]
#   t_3': int64=x.0 = dim(x) [axis=0]
#   y_3: float64[x.0] = loop i: int64 from (1, t_3, 1) carry (y_4: float64[x.0] = y_2):
#     t_4': int64 = sub(i, 1)
#     t_5': float64 = load(y_4, t_4) [index="_"]
#     t_6': float64 = mul(a, t_5)
#     t_7': float64 = load(x, i) [index="_"]
#     t_8': float64 = mul(t_6, t_7)
#     y_5: float64[x.0] = store(y_4, t_8, i) [index="_"]
#     yield y_5
#   t_9': float64[x.0] = mul(y_3, y_3)
#   result: float64 = sum(t_9)
#   return result


def recur_tangent(
    x: NDArray[np.float64], a: float, x_dot: NDArray[np.float64], a_dot: float
) -> tuple[float, float]:
    """Value and tangent of `recur`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    a: float, differentiated
    x_dot: float64 array (x.shape[0],), seed, read only
    a_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    y = np.zeros_like(x)
    x_0 = x[0]
    y_dot = np.zeros_like(y)
    y_dot[0] = x_0 * a_dot + a * x_dot[0]
    y[0] = a * x_0
    for i in range(1, len(x)):
        y_entry = y[i - 1]
        product = a * y_entry
        x_i = x[i]
        y_dot[i] = x_i * (y_entry * a_dot + a * y_dot[i - 1]) + product * x_dot[i]
        y[i] = product * x_i
    result_dot: Any = 2.0 * (y @ y_dot)
    result = np.sum(y * y)
    return result, result_dot


def recur_adjoint(
    x: NDArray[np.float64], a: float, result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64], float]:
    """Value and adjoint of `recur`: (result, x_bar, a_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    a: float, differentiated
    result_bar: float, seed
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    a_bar: float, returned
    """
    # Forward sweep.
    y = np.zeros_like(x)
    x_0 = x[0]
    y[0] = a * x_0
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] * x[i]
    result = np.sum(y * y)

    # Reverse sweep.
    # return np.sum(y * y)
    y_bar = 2.0 * result_bar * y
    x_bar = np.zeros_like(x)
    a_bar = 0.0
    # for i in range(1, len(x)):
    for i in range(len(x) - 1, 0, -1):
        # y[i] = a * y[i - 1] * x[i]
        product_bar = y_bar[i]
        y_bar[i] = 0.0
        product_bar_1 = product_bar * x[i]
        y_entry = y[i - 1]
        x_bar[i] += product_bar * a * y_entry
        a_bar += product_bar_1 * y_entry
        y_bar[i - 1] += product_bar_1 * a
    # y[0] = a * x[0]
    product_bar = y_bar[0]
    a_bar += product_bar * x_0
    x_bar[0] += product_bar * a
    return result, x_bar, a_bar

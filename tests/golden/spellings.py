# One operation under several names: the user's spelling stays, derivatives use the argument's kind.
# wrt: x, v   at: x=0.5, v=np.array([0.5, 1.5])
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def spellings(x, v):
    a = math.exp(x) * np.exp(x)
    b = v.sum() + np.sum(v) + sum(v)
    c = pow(x, 3) + x**3 + np.power(v, 3)
    return a * b * c


# In single-assignment form:
#
# function spellings(x: float64, v: float64[v.0]) -> (result)
#   t': float64 = exp(x) [spelling="math.exp"]
#   t_2': float64 = exp(x)
#   a: float64 = mul(t, t_2)
#   t_3': float64 = sum(v) [spelling=".sum"]
#   t_4': float64 = sum(v)
#   t_5': float64 = add(t_3, t_4)
#   t_6': float64 = sum_items(v)
#   b: float64 = add(t_5, t_6)
#   t_7': float64 = pow(x, 3)
#   t_8': float64 = pow(x, 3)
#   t_9': float64 = add(t_7, t_8)
#   t_10': float64[v.0] = pow(v, 3) [spelling="numpy.power"]
#   c: float64[v.0] = add(t_9, t_10)
#   t_11': float64 = mul(a, b)
#   result: float64[v.0] = mul(t_11, c)
#   return result


def spellings_tangent(
    x: float, v: NDArray[np.float64], x_dot: float, v_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `spellings`: (result, result_dot).

    x: float, differentiated
    v: float64 array (v.shape[0],), differentiated, read only
    x_dot: float, seed
    v_dot: float64 array (v.shape[0],), seed, read only
    result: float64 array (v.shape[0],), returned
    result_dot: float64 array (v.shape[0],), returned
    """
    exp_x = math.exp(x)
    a_dot = exp_x * exp_x * x_dot + exp_x * exp_x * x_dot
    a = exp_x * exp_x
    b_dot = np.sum(v_dot) + np.sum(v_dot) + sum(v_dot)
    b = v.sum() + np.sum(v) + sum(v)
    x_squared = x**2
    c_dot = 3.0 * x_squared * x_dot + 3.0 * x_squared * x_dot + 3.0 * v**2 * v_dot
    c = x**3 + x**3 + np.power(v, 3)
    product = a * b
    result_dot = c * (b * a_dot + a * b_dot)
    result_dot += product * c_dot
    result = product * c
    return result, result_dot


def spellings_adjoint(
    x: float, v: NDArray[np.float64], result_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Value and adjoint of `spellings`: (result, x_bar, v_bar).

    x: float, differentiated
    v: float64 array (v.shape[0],), differentiated, read only
    result_bar: float64 array (v.shape[0],), seed, read only
    result: float64 array (v.shape[0],), returned
    x_bar: float, returned
    v_bar: float64 array (v.shape[0],), returned
    """
    # Forward sweep.
    exp_x = math.exp(x)
    a = exp_x * exp_x
    b = v.sum() + np.sum(v) + sum(v)
    c = x**3 + x**3 + np.power(v, 3)
    product = a * b
    result = product * c

    # Reverse sweep.
    # return a * b * c
    product_bar = result_bar @ c
    c_bar = result_bar * product
    a_bar = product_bar * b
    # c = pow(x, 3) + x**3 + np.power(v, 3)
    v_bar = 3.0 * c_bar * v**2
    x_bar: Any = 6.0 * np.sum(c_bar) * x**2
    # b = v.sum() + np.sum(v) + sum(v)
    v_bar += 3.0 * product_bar * a
    # a = math.exp(x) * np.exp(x)
    x_bar += a_bar * exp_x * exp_x
    x_bar += a_bar * exp_x * exp_x
    return result, x_bar, v_bar

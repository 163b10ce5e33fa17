# An early return inside a loop.
# wrt: x   at: x=np.array([0.5, 1.5, 2.5, 0.25])
import numpy as np
from numpy.typing import NDArray


def early_return(x):
    p = 1.0
    for i in range(len(x)):
        p = p * x[i]
        if p > 1.0:
            return p * x[0]
    return p


# In single-assignment form:
#
# function early_return(x: float64[x.0]) -> (result)
#   t': int64=x.0 = dim(x) [axis=0]
#   p: float64, returned_2': bool, result_2': float64 = loop i: int64 from (0, t, 1) carry (p_2: float64 = 1.0, returned': bool = False, result': float64 = undefined:float64) trips trips': int64:
#     t_2': float64 = load(x, i) [index="_"]
#     p_3: float64 = mul(p_2, t_2)
#     t_3': bool = gt(p_3, 1.0)
#     t_4': bool, t_5': bool, t_6': float64 = if t_3:
#       t_7': float64 = load(x) [index="0"]
#       result_3: float64 = mul(p_3, t_7)
#       yield True, True, result_3
#     else:
#       yield False, returned, undefined:float64
#     yield t_4, p_3, t_5, t_6
#   t_8': float64 = if returned_2:
#     yield result_2
#   else:
#     yield p
#   return t_8


def early_return_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[float, float]:
    """Value and tangent of `early_return`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    p = 1.0
    returned = False
    p_dot = 0.0
    for i in range(len(x)):
        x_i = x[i]
        p_dot = x_i * p_dot + p * x_dot[i]
        p *= x_i
        if p > 1.0:
            x_0 = x[0]
            result_dot = x_0 * p_dot + p * x_dot[0]
            result = p * x_0
            returned = True
            break
    if not returned:
        result = p
        result_dot = p_dot
    return result, result_dot


def early_return_adjoint(
    x: NDArray[np.float64], result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64]]:
    """Value and adjoint of `early_return`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    p_tape = []
    p = 1.0
    returned = False
    trips = 0
    for i in range(len(x)):
        trips += 1
        p_tape.append(p)
        p *= x[i]
        if p > 1.0:
            result = p * x[0]
            returned = True
            break
    result = result if returned else p

    # Reverse sweep.
    # return p
    if returned:
        p_bar = 0.0
    else:
        p_bar = result_bar
        result_bar = 0.0
    x_bar = np.zeros_like(x)
    # for i in range(len(x)):
    for i in range(trips - 1, -1, -1):
        p = p_tape.pop()
        # p = p * x[i]
        x_i = x[i]
        p_1 = p * x_i
        # if p > 1.0:
        if p_1 > 1.0:
            # return p * x[0]
            x_bar[0] += result_bar * p_1
            p_bar += result_bar * x[0]
        # p = p * x[i]
        x_bar[i] += p_bar * p
        p_bar *= x_i
        result_bar = 0.0
    return result, x_bar

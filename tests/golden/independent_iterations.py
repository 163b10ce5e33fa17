# No iteration reads what another one wrote: what the reverse needs is computed again, not recorded.
# wrt: x, a   at: x=np.array([0.5, 1.5, -0.75]), a=1.25
import math

import numpy as np
from numpy.typing import NDArray


def independent_iterations(x, a):
    y = np.zeros_like(x)
    for i in range(len(x)):
        s = math.sin(a * x[i])
        c = s * s + x[i]
        y[i] = c * s if c > 0.5 else c
    return y


# In single-assignment form:
#
# function independent_iterations(x: float64[x.0], a: float64) -> (y)
#   y: float64[x.0] = zeros_like(x)
#   t': int64=x.0 = dim(x) [axis=0]
#   y_2: float64[x.0] = loop i: int64 from (0, t, 1) carry (y_3: float64[x.0] = y):
#     t_2': float64 = load(x, i) [index="_"]
#     t_3': float64 = mul(a, t_2)
#     s: float64 = sin(t_3) [spelling="math.sin"]
#     t_4': float64 = mul(s, s)
#     t_5': float64 = load(x, i) [index="_"]
#     c: float64 = add(t_4, t_5)
#     t_6': bool = gt(c, 0.5)
#     t_7': float64 = if t_6:
#       t_8': float64 = mul(c, s)
#       yield t_8
#     else:
#       yield c
#     y_4: float64[x.0] = store(y_3, t_7, i) [index="_"]
#     yield y_4
#   return y_2


def independent_iterations_tangent(
    x: NDArray[np.float64], a: float, x_dot: NDArray[np.float64], a_dot: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `independent_iterations`: (y, y_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    a: float, differentiated
    x_dot: float64 array (x.shape[0],), seed, read only
    a_dot: float, seed
    y: float64 array (x.shape[0],), returned
    y_dot: float64 array (x.shape[0],), returned
    """
    y = np.zeros_like(x)
    y_dot = np.zeros_like(y)
    for i in range(len(x)):
        x_i = x[i]
        product = a * x_i
        s_dot = math.cos(product) * (x_i * a_dot + a * x_dot[i])
        s = math.sin(product)
        c_dot = 2.0 * s * s_dot + x_dot[i]
        c = s * s + x[i]
        if c > 0.5:
            c_dot = s * c_dot + c * s_dot
            c *= s
        y_dot[i] = c_dot
        y[i] = c
    return y, y_dot


def independent_iterations_adjoint(
    x: NDArray[np.float64], a: float, y_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Value and adjoint of `independent_iterations`: (y, x_bar, a_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    a: float, differentiated
    y_bar: float64 array (x.shape[0],), seed, read only
    y: float64 array (x.shape[0],), returned
    x_bar: float64 array (x.shape[0],), returned
    a_bar: float, returned
    """
    # Forward sweep.
    y = np.zeros_like(x)
    for i in range(len(x)):
        s = math.sin(a * x[i])
        c = s * s + x[i]
        y[i] = c * s if c > 0.5 else c

    # Reverse sweep.
    x_bar = np.zeros_like(x)
    a_bar = 0.0
    # for i in range(len(x)):
    for i in range(len(x) - 1, -1, -1):
        # y[i] = c * s if c > 0.5 else c
        c_bar = y_bar[i]
        # s = math.sin(a * x[i])
        x_i = x[i]
        product = a * x_i
        s = math.sin(product)
        c = s * s + x[i]
        if c > 0.5:
            # y[i] = c * s if c > 0.5 else c
            s_bar = c_bar * c
            c_bar *= s
        else:
            s_bar = 0.0
        # c = s * s + x[i]
        x_bar[i] += c_bar
        s_bar += 2.0 * c_bar * s
        # s = math.sin(a * x[i])
        product_bar = s_bar * math.cos(product)
        a_bar += product_bar * x_i
        x_bar[i] += product_bar * a
    return y, x_bar, a_bar

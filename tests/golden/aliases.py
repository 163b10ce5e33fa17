# Two names of one array: a write through either is seen through both.
# wrt: x   at: x=np.array([0.5, 1.5, -0.75])
import numpy as np
from numpy.typing import NDArray


def aliases(x):
    y = x
    y[0] = x[1] * x[2]
    x[1] = y[0] * y[0]
    return y


# In single-assignment form:
#
# function aliases(x: float64[x.0]) -> (y)
#   t': float64 = load(x) [index="1"]
#   t_2': float64 = load(x) [index="2"]
#   t_3': float64 = mul(t, t_2)
#   x_2: float64[x.0] = store(x, t_3) [index="0"]
#   t_4': float64 = load(x_2) [index="0"]
#   t_5': float64 = load(x_2) [index="0"]
#   t_6': float64 = mul(t_4, t_5)
#   x_3: float64[x.0] = store(x_2, t_6) [index="1"]
#   return x_3


def aliases_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `aliases`: (y, y_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    y: float64 array (x.shape[0],), returned
    y_dot: float64 array (x.shape[0],), returned
    """
    x_1 = x[1]
    x_ = x[2]
    total = x_ * x_dot[1] + x_1 * x_dot[2]
    x_dot = x_dot.copy()
    x_dot[0] = total
    x = x.copy()
    x[0] = x_1 * x_
    x_0 = x[0]
    x_dot[1] = 2.0 * x_0 * total
    x[1] = x[0] * x_0
    return x, x_dot


def aliases_adjoint(
    x: NDArray[np.float64], y_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `aliases`: (y, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    y_bar: float64 array (x.shape[0],), seed, read only
    y: float64 array (x.shape[0],), returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    x_1 = x[1]
    x_ = x[2]
    x = x.copy()
    x[0] = x_1 * x_
    x_0 = x[0]
    x[1] = x[0] * x_0

    # Reverse sweep.
    # x[1] = y[0] * y[0]
    product_bar = y_bar[1]
    y_bar = y_bar.copy()
    y_bar[1] = 0.0
    x_0_bar = product_bar * x_0
    y_bar[0] += x_0_bar
    y_bar[0] += x_0_bar
    # y[0] = x[1] * x[2]
    product_bar = y_bar[0]
    y_bar[0] = 0.0
    y_bar[2] += product_bar * x_1
    y_bar[1] += product_bar * x_
    return x, y_bar

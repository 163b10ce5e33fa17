# A procedure: what it writes into its argument is its result.
# wrt: x, a   at: x=np.array([0.5, 1.5, 0.75]), a=1.25
from typing import Any

import numpy as np
from numpy.typing import NDArray


def procedure(x, a):
    x[1:] *= a * x[:-1]
    x[0] = np.sum(x)


# In single-assignment form:
#
# function procedure(x: float64[x.0], a: float64) -> (x)
#   t': float64[x.0-1] = load(x) [index=":-1"]
#   t_2': float64[x.0-1] = mul(a, t)
#   t_3': float64[x.0-1] = load(x) [index="1:"]
#   t_4': float64[x.0-1] = mul(t_3, t_2)
#   x_2: float64[x.0] = store(x, t_4) [index="1:"]
#   t_5': float64 = sum(x_2)
#   x_3: float64[x.0] = store(x_2, t_5) [index="0"]
#   return x_3


def procedure_tangent(
    x: NDArray[np.float64], a: float, x_dot: NDArray[np.float64], a_dot: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `procedure`: (x, x_dot).

    x: float64 array (x.shape[0],), differentiated, read only; returned anew
    a: float, differentiated
    x_dot: float64 array (x.shape[0],), seed, read only; returned anew
    a_dot: float, seed
    """
    x_part = x[:-1]
    product = a * x_part
    x_part_1 = x[1:]
    total = product * x_dot[1:] + x_part_1 * (x_part * a_dot + a * x_dot[:-1])
    x_dot = x_dot.copy()
    x_dot[1:] = total
    x = x.copy()
    x[1:] = x_part_1 * product
    x_dot[0] = np.sum(x_dot)
    x[0] = np.sum(x)
    return x, x_dot


def procedure_adjoint(
    x: NDArray[np.float64], a: float, x_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Value and adjoint of `procedure`: (x, x_bar, a_bar).

    x: float64 array (x.shape[0],), differentiated, read only; returned anew
    a: float, differentiated
    x_bar: float64 array (x.shape[0],), seed, read only; returned anew
    a_bar: float, returned
    """
    # Forward sweep.
    x_part = x[:-1]
    product = a * x_part
    x_part_1 = x[1:]
    x = x.copy()
    x[1:] = x_part_1 * product
    x[0] = np.sum(x)

    # Reverse sweep.
    # x[0] = np.sum(x)
    total_x_bar = x_bar[0]
    x_bar = x_bar.copy()
    x_bar[0] = 0.0
    x_bar += total_x_bar
    # x[1:] *= a * x[:-1]
    product_bar = x_bar[1:]
    product_bar_1 = product_bar * x_part_1
    x_bar[1:] = product_bar * product
    a_bar: Any = product_bar_1 @ x_part
    x_bar[:-1] += product_bar_1 * a
    return x, x_bar, a_bar

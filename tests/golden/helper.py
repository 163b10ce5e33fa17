# A function that is called is differentiated in place.
# wrt: x   at: x=np.array([0.5, 1.5, 0.75])
import numpy as np
from numpy.typing import NDArray


def norm(v, p=2.0):
    total = np.sum(np.abs(v) ** p)
    return total ** (1.0 / p)


def helper(x):
    return norm(x) * norm(x[1:] - x[:-1], p=3.0)


# In single-assignment form:
#
# function helper(x: float64[x.0]) -> (result)
#   t': float64[x.0] = abs(x)
#   t_2': float64[x.0] = pow(t, 2.0)
#   total: float64 = sum(t_2)
#   t_3': float64 = div(1.0, 2.0)
#   t_4': float64 = pow(total, t_3)
#   t_5': float64[x.0-1] = load(x) [index="1:"]
#   t_6': float64[x.0-1] = load(x) [index=":-1"]
#   v: float64[x.0-1] = sub(t_5, t_6)
#   t_7': float64[x.0-1] = abs(v)
#   t_8': float64[x.0-1] = pow(t_7, 3.0)
#   total_2: float64 = sum(t_8)
#   t_9': float64 = div(1.0, 3.0)
#   t_10': float64 = pow(total_2, t_9)
#   result: float64 = mul(t_4, t_10)
#   return result


def helper_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[float, float]:
    """Value and tangent of `helper`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    t = np.abs(x)
    total_dot = np.sum(2.0 * t * np.sign(x) * x_dot)
    total = np.sum(t**2.0)
    t_1 = 1.0 / 2.0
    t_2 = total ** (1.0 if (total == 0) & (t_1 == 0) else t_1 - 1.0)
    t_3 = total**t_1
    v_dot = x_dot[1:] - x_dot[:-1]
    v = x[1:] - x[:-1]
    t = np.abs(v)
    total_dot_1 = np.sum(3.0 * t**2.0 * np.sign(v) * v_dot)
    total = np.sum(t**3.0)
    t_4 = 1.0 / 3.0
    t_5 = total**t_4
    result_dot = (
        t_5 * t_1 * t_2 * total_dot
        + t_3
        * t_4
        * total ** (1.0 if (total == 0) & (t_4 == 0) else t_4 - 1.0)
        * total_dot_1
    )
    result = t_3 * t_5
    return result, result_dot


def helper_adjoint(
    x: NDArray[np.float64], result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64]]:
    """Value and adjoint of `helper`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed, read only
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    t = np.abs(x)
    total = np.sum(t**2.0)
    t_1 = 1.0 / 2.0
    t_2 = total**t_1
    v = x[1:] - x[:-1]
    t_3 = np.abs(v)
    total_1 = np.sum(t_3**3.0)
    t_4 = 1.0 / 3.0
    t_5 = total_1**t_4
    result = t_2 * t_5

    # Reverse sweep.
    v_bar = (
        3.0
        * result_bar
        * t_2
        * t_4
        * total_1 ** (1.0 if (total_1 == 0) & (t_4 == 0) else t_4 - 1.0)
        * t_3**2.0
        * np.sign(v)
    )
    x_bar = np.zeros_like(x)  # helper.py:13
    x_bar[:-1] -= v_bar
    x_bar[1:] += v_bar
    x_bar += (
        2.0
        * result_bar
        * t_5
        * t_1
        * total ** (1.0 if (total == 0) & (t_1 == 0) else t_1 - 1.0)
        * t
        * np.sign(x)
    )
    return result, x_bar

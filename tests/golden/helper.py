# A function that is called is differentiated in place.
# wrt: x   at: x=np.array([0.5, 1.5, 0.75])
from typing import Any

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
#   result': float64 = call norm(x)
#   t': float64[x.0-1] = load(x) [index="1:"]
#   t_2': float64[x.0-1] = load(x) [index=":-1"]
#   t_3': float64[x.0-1] = sub(t, t_2)
#   result_2': float64 = call norm_2(t_3)
#   result_3: float64 = mul(result, result_2)
#   return result_3
# function norm(v: float64[v.0]) -> (result)
#   t': float64[v.0] = abs(v)
#   t_2': float64[v.0] = pow(t, 2.0)
#   total: float64 = sum(t_2)
#   t_3': float64 = div(1.0, 2.0)
#   result: float64 = pow(total, t_3)
#   return result
# function norm_2(v: float64[v_0]) -> (result)
#   t': float64[v_0] = abs(v)
#   t_2': float64[v_0] = pow(t, 3.0)
#   total: float64 = sum(t_2)
#   t_3': float64 = div(1.0, 3.0)
#   result: float64 = pow(total, t_3)
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
    result_, result_dot_ = norm_tangent(x, x_dot)
    result_1, result_dot_1 = norm_2_tangent(x[1:] - x[:-1], x_dot[1:] - x_dot[:-1])
    result_dot = result_1 * result_dot_ + result_ * result_dot_1
    result = result_ * result_1
    return result, result_dot


def helper_adjoint(
    x: NDArray[np.float64], result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64]]:
    """Value and adjoint of `helper`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    result_, norm_tape = norm_forward(x)
    difference = x[1:] - x[:-1]
    result_1, norm_tape_1 = norm_2_forward(difference)
    result = result_ * result_1

    # Reverse sweep.
    # return norm(x) * norm(x[1:] - x[:-1], p=3.0)
    difference_bar = norm_2_reverse(difference, norm_tape_1, result_bar * result_)
    x_bar = np.zeros_like(x)
    x_bar[:-1] = -difference_bar
    x_bar[1:] += difference_bar
    x_bar += norm_reverse(x, norm_tape, result_bar * result_1)
    return result, x_bar


def norm_tangent(
    v: NDArray[np.float64], v_dot: NDArray[np.float64]
) -> tuple[float, float]:
    """Value and tangent of `norm`: (result, result_dot)."""
    total_dot = 2.0 * (v @ v_dot)
    total = np.sum(np.abs(v) ** 2.0)
    ratio = 1.0 / 2.0
    result_dot: Any = (
        ratio
        * total ** (1.0 if (total == 0) & (ratio == 0) else ratio - 1.0)
        * total_dot
    )
    result = total**ratio
    return result, result_dot


def norm_2_tangent(
    v: NDArray[np.float64], v_dot: NDArray[np.float64]
) -> tuple[float, float]:
    """Value and tangent of `norm_2`: (result, result_dot)."""
    magnitude_v = np.abs(v)
    total_dot = 3.0 * magnitude_v**2.0 * np.sign(v) @ v_dot
    total = np.sum(magnitude_v**3.0)
    ratio = 1.0 / 3.0
    result_dot: Any = (
        ratio
        * total ** (1.0 if (total == 0) & (ratio == 0) else ratio - 1.0)
        * total_dot
    )
    result = total**ratio
    return result, result_dot


def norm_forward(v: NDArray[np.float64]) -> tuple[float, float]:
    """Value of `norm`, with what its reverse reads: (result, tape)."""
    total = np.sum(np.abs(v) ** 2.0)
    result = total ** (1.0 / 2.0)
    return result, total


def norm_2_forward(v: NDArray[np.float64]) -> tuple[float, float]:
    """Value of `norm_2`, with what its reverse reads: (result, tape)."""
    total = np.sum(np.abs(v) ** 3.0)
    result = total ** (1.0 / 3.0)
    return result, total


def norm_2_reverse(
    v: NDArray[np.float64], total: float, result_bar: float
) -> NDArray[np.float64]:
    """Adjoint of `norm_2`: v_bar."""
    # return total ** (1.0 / p)
    ratio = 1.0 / 3.0
    # total = np.sum(np.abs(v) ** p)
    v_bar: NDArray[np.float64] = (
        3.0
        * result_bar
        * ratio
        * total ** (1.0 if (total == 0) & (ratio == 0) else ratio - 1.0)
        * np.abs(v) ** 2.0
        * np.sign(v)
    )
    return v_bar


def norm_reverse(
    v: NDArray[np.float64], total: float, result_bar: float
) -> NDArray[np.float64]:
    """Adjoint of `norm`: v_bar."""
    # return total ** (1.0 / p)
    ratio = 1.0 / 2.0
    v_bar: NDArray[np.float64] = (
        2.0
        * result_bar
        * ratio
        * total ** (1.0 if (total == 0) & (ratio == 0) else ratio - 1.0)
        * v
    )
    return v_bar

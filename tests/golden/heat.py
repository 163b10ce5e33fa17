# A linear time loop: nothing is recorded.
# wrt: u   at: u=np.array([0.5, 1.5, -0.75, 2.0, 1.0]), alpha=0.1, n=3
from typing import Any

import numpy as np
from numpy.typing import NDArray


def heat(u, alpha, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u * u)


# In single-assignment form:
#
# function heat(u: float64[u.0], alpha: float64, n: int64=n) -> (result)
#   u_2: float64[u.0] = copy(u) [spelling=".copy"]
#   u_3: float64[u.0] = loop _: int64 from (0, n, 1) carry (u_4: float64[u.0] = u_2):
#     t': float64[u.0-2] = load(u_4) [index="1:-1"]
#     t_2': float64[u.0-2] = mul(2, t)
#     t_3': float64[u.0-2] = load(u_4) [index="2:"]
#     t_4': float64[u.0-2] = sub(t_3, t_2)
#     t_5': float64[u.0-2] = load(u_4) [index=":-2"]
#     t_6': float64[u.0-2] = add(t_4, t_5)
#     t_7': float64[u.0-2] = mul(alpha, t_6)
#     u_5: float64[u.0] = accumulate(u_4, t_7) [index="1:-1"]
#     yield u_5
#   t_8': float64[u.0] = mul(u_3, u_3)
#   result: float64 = sum(t_8)
#   return result


def heat_tangent(
    u: NDArray[np.float64], alpha: float, n: int, u_dot: NDArray[np.float64]
) -> tuple[float, float]:
    """Value and tangent of `heat`: (result, result_dot).

    u: float64 array (u.shape[0],), differentiated, read only
    alpha: float
    n: int
    u_dot: float64 array (u.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    u_dot = u_dot.copy()
    u = u.copy()
    for _ in range(n):
        u_dot[1:-1] += alpha * (u_dot[2:] - 2 * u_dot[1:-1] + u_dot[:-2])
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    result_dot: Any = 2.0 * (u @ u_dot)
    result = np.sum(u * u)
    return result, result_dot


def heat_adjoint(
    u: NDArray[np.float64], alpha: float, n: int, result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64]]:
    """Value and adjoint of `heat`: (result, u_bar).

    u: float64 array (u.shape[0],), differentiated, read only
    alpha: float
    n: int
    result_bar: float, seed
    result: float, returned
    u_bar: float64 array (u.shape[0],), returned
    """
    # Forward sweep.
    u = u.copy()
    for _ in range(n):
        u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    result = np.sum(u * u)

    # Reverse sweep.
    # return np.sum(u * u)
    u_bar = 2.0 * result_bar * u
    for _ in range(n):
        # u[1:-1] += alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
        total_bar = u_bar[1:-1] * alpha
        u_bar[:-2] += total_bar
        u_bar[2:] += total_bar
        u_bar[1:-1] -= 2 * total_bar
    return result, u_bar

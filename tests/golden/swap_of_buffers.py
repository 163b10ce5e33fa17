# Two buffers that change places in every step: so do their adjoints, and nothing is recorded.
# wrt: u   at: u=np.array([0.5, 1.5, -0.75, 2.0, 1.0]), n=3
import numpy as np
from numpy.typing import NDArray


def swap_of_buffers(u, n):
    u, v = u.copy(), np.zeros_like(u)
    for _ in range(n):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u, v = v, u
    return u


# In single-assignment form:
#
# function swap_of_buffers(u: float64[u.0], n: int64=n) -> (u)
#   u_2: float64[u.0] = copy(u) [spelling=".copy"]
#   v: float64[u.0] = zeros_like(u)
#   u_3: float64[u.0], v_2: float64[u.0] = loop _: int64 from (0, n, 1) carry (u_4: float64[u.0] = u_2, v_3: float64[u.0] = v):
#     t': float64[u.0-2] = load(u_4) [index="1:-1"]
#     t_2': float64[u.0-2] = mul(2, t)
#     t_3': float64[u.0-2] = load(u_4) [index="2:"]
#     t_4': float64[u.0-2] = sub(t_3, t_2)
#     t_5': float64[u.0-2] = load(u_4) [index=":-2"]
#     t_6': float64[u.0-2] = add(t_4, t_5)
#     t_7': float64[u.0-2] = mul(0.1, t_6)
#     t_8': float64[u.0-2] = add(t, t_7)
#     v_4: float64[u.0] = store(v_3, t_8) [index="1:-1"]
#     yield v_4, u_4
#   return u_3


def swap_of_buffers_tangent(
    u: NDArray[np.float64], n: int, u_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `swap_of_buffers`: (u, u_dot).

    u: float64 array (u.shape[0],), differentiated, read only; returned anew
    n: int
    u_dot: float64 array (u.shape[0],), seed, read only; returned anew
    """
    u_dot = u_dot.copy()
    u_1 = u.copy()
    v = np.zeros_like(u)
    v_dot = np.zeros_like(v)
    for _ in range(n):
        u_dot_part = u_dot[1:-1]
        u_part = u_1[1:-1]
        v_dot[1:-1] = u_dot_part + 0.1 * (u_dot[2:] - 2 * u_dot_part + u_dot[:-2])
        v[1:-1] = u_part + 0.1 * (u_1[2:] - 2 * u_part + u_1[:-2])
        u_1, v, u_dot, v_dot = v, u_1, v_dot, u_dot
    return u_1, u_dot


def swap_of_buffers_adjoint(
    u: NDArray[np.float64], n: int, u_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `swap_of_buffers`: (u, u_bar).

    u: float64 array (u.shape[0],), differentiated, read only; returned anew
    n: int
    u_bar: float64 array (u.shape[0],), seed, read only; returned anew
    """
    # Forward sweep.
    u_1 = u.copy()
    v = np.zeros_like(u)
    for _ in range(n):
        u_part = u_1[1:-1]
        v[1:-1] = u_part + 0.1 * (u_1[2:] - 2 * u_part + u_1[:-2])
        u_1, v = v, u_1

    # Reverse sweep.
    v_bar = np.zeros_like(v)
    u_bar = u_bar.copy()
    for _ in range(n):
        # v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        total_bar = u_bar[1:-1]
        total_bar_1 = 0.1 * total_bar
        total = total_bar - 0.2 * total_bar
        u_bar[1:-1] = 0.0
        v_bar[:-2] += total_bar_1
        v_bar[2:] += total_bar_1
        v_bar[1:-1] += total
        u_bar, v_bar = v_bar, u_bar
    return u_1, u_bar

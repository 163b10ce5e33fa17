# Jacobi's iteration in two dimensions, with a copy of the old values: nothing is recorded.
# wrt: u   at: u=np.arange(16.0).reshape(4, 4) / 8, n=3
import numpy as np
from numpy.typing import NDArray


def jacobi(u, n):
    for _ in range(n):
        v = u.copy()
        around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
        u[1:-1, 1:-1] = 0.25 * around
    return u


# In single-assignment form:
#
# function jacobi(u: float64[u.0, u.1], n: int64=n) -> (u)
#   u_2: float64[u.0, u.1] = loop _: int64 from (0, n, 1) carry (u_3: float64[u.0, u.1] = u):
#     v: float64[u.0, u.1] = copy(u_3) [spelling=".copy"]
#     t': float64[u.0-2, u.1-2] = load(v) [index="2:, 1:-1"]
#     t_2': float64[u.0-2, u.1-2] = load(v) [index=":-2, 1:-1"]
#     t_3': float64[u.0-2, u.1-2] = add(t, t_2)
#     t_4': float64[u.0-2, u.1-2] = load(v) [index="1:-1, 2:"]
#     t_5': float64[u.0-2, u.1-2] = add(t_3, t_4)
#     t_6': float64[u.0-2, u.1-2] = load(v) [index="1:-1, :-2"]
#     around: float64[u.0-2, u.1-2] = add(t_5, t_6)
#     t_7': float64[u.0-2, u.1-2] = mul(0.25, around)
#     u_4: float64[u.0, u.1] = store(u_3, t_7) [index="1:-1, 1:-1"]
#     yield u_4
#   return u_2


def jacobi_tangent(
    u: NDArray[np.float64], n: int, u_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `jacobi`: (u, u_dot).

    u: float64 array (u.shape[0], u.shape[1]), differentiated, read only; returned anew
    n: int
    u_dot: float64 array (u.shape[0], u.shape[1]), seed, read only; returned anew
    """
    u = u.copy()
    u_dot = u_dot.copy()
    for _ in range(n):
        v_dot = u_dot.copy()
        v = u.copy()
        around_dot = (
            v_dot[2:, 1:-1] + v_dot[:-2, 1:-1] + v_dot[1:-1, 2:] + v_dot[1:-1, :-2]
        )
        around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
        u_dot[1:-1, 1:-1] = 0.25 * around_dot
        u[1:-1, 1:-1] = 0.25 * around
    return u, u_dot


def jacobi_adjoint(
    u: NDArray[np.float64], n: int, u_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `jacobi`: (u, u_bar).

    u: float64 array (u.shape[0], u.shape[1]), differentiated, read only; returned anew
    n: int
    u_bar: float64 array (u.shape[0], u.shape[1]), seed, read only; returned anew
    """
    # Forward sweep.
    u = u.copy()
    for _ in range(n):
        v = u.copy()
        around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
        u[1:-1, 1:-1] = 0.25 * around

    # Reverse sweep.
    u_bar = u_bar.copy()
    for _ in range(n):
        # u[1:-1, 1:-1] = 0.25 * around
        around_bar = 0.25 * u_bar[1:-1, 1:-1]
        u_bar[1:-1, 1:-1] = 0.0
        # around = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2]
        u_bar[1:-1, :-2] += around_bar
        u_bar[1:-1, 2:] += around_bar
        u_bar[:-2, 1:-1] += around_bar
        u_bar[2:, 1:-1] += around_bar
    return u, u_bar

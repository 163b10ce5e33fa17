# A time loop with a cubic term: exactly one slice is recorded per step.
# wrt: u   at: u=np.array([0.5, 1.5, -0.75, 2.0, 1.0]), c=0.1, n=3
import numpy as np
from numpy.typing import NDArray


def cubic_stencil(u, c, n):
    u = u.copy()
    for _ in range(n):
        lap = u[2:] - 2 * u[1:-1] + u[:-2]
        u[1:-1] += c * (lap - u[1:-1] ** 3)
    return u


# In single-assignment form:
#
# function cubic_stencil(u: float64[u.0], c: float64, n: int64=n) -> (u)
#   u_2: float64[u.0] = copy(u) [spelling=".copy"]
#   u_3: float64[u.0] = loop _: int64 from (0, n, 1) carry (u_4: float64[u.0] = u_2):
#     t': float64[u.0-2] = load(u_4) [index="1:-1"]
#     t_2': float64[u.0-2] = mul(2, t)
#     t_3': float64[u.0-2] = load(u_4) [index="2:"]
#     t_4': float64[u.0-2] = sub(t_3, t_2)
#     t_5': float64[u.0-2] = load(u_4) [index=":-2"]
#     lap: float64[u.0-2] = add(t_4, t_5)
#     t_6': float64[u.0-2] = pow(t, 3)
#     t_7': float64[u.0-2] = sub(lap, t_6)
#     t_8': float64[u.0-2] = mul(c, t_7)
#     u_5: float64[u.0] = accumulate(u_4, t_8) [index="1:-1"]
#     yield u_5
#   return u_3


def cubic_stencil_tangent(
    u: NDArray[np.float64], c: float, n: int, u_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `cubic_stencil`: (u, u_dot).

    u: float64 array (u.shape[0],), differentiated, read only; returned anew
    c: float
    n: int
    u_dot: float64 array (u.shape[0],), seed, read only; returned anew
    """
    u_dot = u_dot.copy()
    u = u.copy()
    for _ in range(n):
        u_dot_part = u_dot[1:-1]
        u_part = u[1:-1]
        lap_dot = u_dot[2:] - 2 * u_dot_part + u_dot[:-2]
        lap = u[2:] - 2 * u_part + u[:-2]
        lap_dot -= 3.0 * u_part**2 * u_dot_part
        u_dot[1:-1] += c * lap_dot
        u[1:-1] += c * (lap - u_part**3)
    return u, u_dot


def cubic_stencil_adjoint(
    u: NDArray[np.float64], c: float, n: int, u_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `cubic_stencil`: (u, u_bar).

    u: float64 array (u.shape[0],), differentiated, read only; returned anew
    c: float
    n: int
    u_bar: float64 array (u.shape[0],), seed, read only; returned anew
    """
    # Forward sweep.
    u = u.copy()
    u_tape = []
    for _ in range(n):
        u_part = u[1:-1]
        u_tape.append(u_part.copy())
        lap = u[2:] - 2 * u_part + u[:-2]
        u[1:-1] += c * (lap - u_part**3)

    # Reverse sweep.
    u_bar = u_bar.copy()
    for _ in range(n):
        # u[1:-1] += c * (lap - u[1:-1] ** 3)
        difference_bar = u_bar[1:-1] * c
        u_part = u_tape.pop()
        u_part_bar = -3.0 * difference_bar * u_part**2
        # lap = u[2:] - 2 * u[1:-1] + u[:-2]
        u_bar[:-2] += difference_bar
        u_bar[2:] += difference_bar
        u_part_bar -= 2 * difference_bar
        u_bar[1:-1] += u_part_bar
    return u, u_bar

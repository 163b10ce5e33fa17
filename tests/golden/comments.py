# The user's comments go with their statements, in the forward sweep.
# wrt: u, dt   at: u=np.array([0.5, 1.5, 0.75]), dt=0.1
import numpy as np
from numpy.typing import NDArray


def comments(u, dt):
    # Logistic growth.
    rate = u * (1.0 - u)
    u = u + dt * rate  # one Euler step
    # What is left
    # after the harvest.
    return np.sum(u) - 0.1


# In single-assignment form:
#
# function comments(u: float64[u.0], dt: float64) -> (result)
#   t': float64[u.0] = sub(1.0, u)
#   rate: float64[u.0] = mul(u, t)
#   t_2': float64[u.0] = mul(dt, rate)
#   u_2: float64[u.0] = add(u, t_2)
#   t_3': float64 = sum(u_2)
#   result: float64 = sub(t_3, 0.1)
#   return result


def comments_tangent(
    u: NDArray[np.float64], dt: float, u_dot: NDArray[np.float64], dt_dot: float
) -> tuple[float, float]:
    """Value and tangent of `comments`: (result, result_dot).

    u: float64 array (u.shape[0],), differentiated, read only
    dt: float, differentiated
    u_dot: float64 array (u.shape[0],), seed, read only
    dt_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    # Logistic growth.
    difference = 1.0 - u
    rate_dot = difference * u_dot - u * u_dot
    rate = u * difference
    # one Euler step
    u_dot = u_dot + (rate * dt_dot + dt * rate_dot)
    u = u + dt * rate
    # What is left
    # after the harvest.
    result_dot = np.sum(u_dot)
    result = np.sum(u) - 0.1
    return result, result_dot


def comments_adjoint(
    u: NDArray[np.float64], dt: float, result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64], float]:
    """Value and adjoint of `comments`: (result, u_bar, dt_bar).

    u: float64 array (u.shape[0],), differentiated, read only
    dt: float, differentiated
    result_bar: float, seed
    result: float, returned
    u_bar: float64 array (u.shape[0],), returned
    dt_bar: float, returned
    """
    # Forward sweep.

    # Logistic growth.
    difference = 1.0 - u
    rate = u * difference
    # one Euler step
    u_1 = u + dt * rate
    # What is left
    # after the harvest.
    result = np.sum(u_1) - 0.1

    # Reverse sweep.
    # u = u + dt * rate
    dt_bar = result_bar * np.sum(rate)
    product = result_bar * dt
    # rate = u * (1.0 - u)
    u_bar = product * difference
    u_bar += result_bar
    u_bar -= product * u
    return result, u_bar, dt_bar

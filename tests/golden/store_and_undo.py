# An element that is overwritten is recorded, and put back before the reverse sweep reads it.
# wrt: x   at: x=np.array([0.5, 1.5, -0.75, 2.0])
import numpy as np
from numpy.typing import NDArray


def store_and_undo(x):
    for k in range(3):
        x[k + 1] = x[k + 1] * np.sin(x[k])
        x[k] = x[k] * x[k + 1]
    return x


# In single-assignment form:
#
# function store_and_undo(x: float64[x.0]) -> (x)
#   x_2: float64[x.0] = loop k: int64 from (0, 3, 1) carry (x_3: float64[x.0] = x):
#     t': int64 = add(k, 1)
#     t_2': float64 = load(x_3, t) [index="_"]
#     t_3': float64 = load(x_3, k) [index="_"]
#     t_4': float64 = sin(t_3)
#     t_5': float64 = mul(t_2, t_4)
#     t_6': int64 = add(k, 1)
#     x_4: float64[x.0] = store(x_3, t_5, t_6) [index="_"]
#     t_7': float64 = load(x_4, k) [index="_"]
#     t_8': int64 = add(k, 1)
#     t_9': float64 = load(x_4, t_8) [index="_"]
#     t_10': float64 = mul(t_7, t_9)
#     x_5: float64[x.0] = store(x_4, t_10, k) [index="_"]
#     yield x_5
#   return x_2


def store_and_undo_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `store_and_undo`: (x, x_dot).

    x: float64 array (x.shape[0],), differentiated, read only; returned anew
    x_dot: float64 array (x.shape[0],), seed, read only; returned anew
    """
    x = x.copy()
    x_dot = x_dot.copy()
    for k in range(3):
        x_entry = x[k + 1]
        x_k = x[k]
        sin_x_k = np.sin(x_k)
        x_dot[k + 1] = sin_x_k * x_dot[k + 1] + x_entry * np.cos(x_k) * x_dot[k]
        x[k + 1] = x_entry * sin_x_k
        x_k = x[k]
        x_entry = x[k + 1]
        x_dot[k] = x_entry * x_dot[k] + x_k * x_dot[k + 1]
        x[k] = x_k * x_entry
    return x, x_dot


def store_and_undo_adjoint(
    x: NDArray[np.float64], x_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `store_and_undo`: (x, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only; returned anew
    x_bar: float64 array (x.shape[0],), seed, read only; returned anew
    """
    # Forward sweep.
    x = x.copy()
    x_old_tape = []
    x_old_tape_1 = []
    for k in range(3):
        x_old_tape.append(x[k + 1])
        x[k + 1] = x[k + 1] * np.sin(x[k])
        x_old_tape_1.append(x[k])
        x[k] *= x[k + 1]

    # Reverse sweep.
    x_bar = x_bar.copy()
    x_1 = x.copy()
    # for k in range(3):
    for k in range(2, -1, -1):
        # x[k] = x[k] * x[k + 1]
        product_bar = x_bar[k]
        x_bar[k] = 0.0
        x_old = x_old_tape_1.pop()
        x_1[k] = x_old
        x_bar[k + 1] += product_bar * x_old
        x_bar[k] += product_bar * x_1[k + 1]
        # x[k + 1] = x[k + 1] * np.sin(x[k])
        product_bar = x_bar[k + 1]
        x_bar[k + 1] = 0.0
        x_old = x_old_tape.pop()
        x_1[k + 1] = x_old
        x_k = x_1[k]
        x_bar[k] += product_bar * x_old * np.cos(x_k)
        x_bar[k + 1] += product_bar * np.sin(x_k)
    return x, x_bar

# Each line is multiplied before it is overwritten, so all are multiplied before the loop.
# wrt: a, c   at: a=np.sin(np.arange(12.0)).reshape(4, 3), c=np.array([0.5, -1.25, 2.0])
import numpy as np
from numpy.typing import NDArray


def lines_before(a, c):
    twist = np.outer(c, c)
    total = 0.0
    for i in range(3):
        y = a[i + 1] @ twist
        total += np.sum(np.sin(y)) * a[i, 0]
        a[i + 1] = a[i + 1] * y[0]
    return total


# In single-assignment form:
#
# function lines_before(a: float64[a.0, a.1], c: float64[c.0]) -> (total)
#   twist: float64[c.0, c.0] = outer(c, c)
#   a_2: float64[a.0, a.1], total: float64 = loop i: int64 from (0, 3, 1) carry (a_3: float64[a.0, a.1] = a, total_2: float64 = 0.0):
#     t': int64 = add(i, 1)
#     t_2': float64[a.1] = load(a_3, t) [index="_"]
#     y: float64[c.0] = matmul(t_2, twist)
#     t_3': float64[c.0] = sin(y)
#     t_4': float64 = sum(t_3)
#     t_5': float64 = load(a_3, i) [index="_, 0"]
#     t_6': float64 = mul(t_4, t_5)
#     total_3: float64 = add(total_2, t_6)
#     t_7': int64 = add(i, 1)
#     t_8': float64 = load(y) [index="0"]
#     t_9': float64[a.1] = load(a_3, t_7) [index="_"]
#     t_10': float64[a.1] = mul(t_9, t_8)
#     t_11': int64 = add(i, 1)
#     a_4: float64[a.0, a.1] = store(a_3, t_10, t_11) [index="_"]
#     yield a_4, total_3
#   return total


def lines_before_tangent(
    a: NDArray[np.float64],
    c: NDArray[np.float64],
    a_dot: NDArray[np.float64],
    c_dot: NDArray[np.float64],
) -> tuple[float, float]:
    """Value and tangent of `lines_before`: (total, total_dot).

    a: float64 array (a.shape[0], a.shape[1]), differentiated, read only
    c: float64 array (c.shape[0],), differentiated, read only
    a_dot: float64 array (a.shape[0], a.shape[1]), seed, read only
    c_dot: float64 array (c.shape[0],), seed, read only
    total: float, returned
    total_dot: float, returned
    """
    twist_dot = np.array([c_dot, c]).T @ np.array([c, c_dot])
    twist = np.outer(c, c)
    a_part = a[1:4]
    total_ = a_dot[1:4] @ twist + a_part @ twist_dot
    y_rows = a_part @ twist
    a = a.copy()
    a_dot = a_dot.copy()
    total = 0.0
    total_dot = 0.0
    for i in range(3):
        y_dot = total_[i]
        y = y_rows[i]
        total_1 = np.sum(np.sin(y))
        a_i_0 = a[i, 0]
        total_dot += a_i_0 * (np.cos(y) @ y_dot) + total_1 * a_dot[i, 0]
        total += total_1 * a_i_0
        y_0 = y[0]
        a_part = a[i + 1]
        a_dot[i + 1] = y_0 * a_dot[i + 1] + a_part * y_dot[0]
        a[i + 1] = a_part * y_0
    return total, total_dot


def lines_before_adjoint(
    a: NDArray[np.float64], c: NDArray[np.float64], total_bar: float = 1.0
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `lines_before`: (total, a_bar, c_bar).

    a: float64 array (a.shape[0], a.shape[1]), differentiated, read only
    c: float64 array (c.shape[0],), differentiated, read only
    total_bar: float, seed
    total: float, returned
    a_bar: float64 array (a.shape[0], a.shape[1]), returned
    c_bar: float64 array (c.shape[0],), returned
    """
    # Forward sweep.
    twist = np.outer(c, c)
    a_part = a[1:4]
    y_rows = a_part @ twist
    a = a.copy()
    a_tape = []
    total = 0.0
    for i in range(3):
        y = y_rows[i]
        total += np.sum(np.sin(y)) * a[i, 0]
        a_part_1 = a[i + 1]
        a_tape.append(a_part_1.copy())
        a[i + 1] = a_part_1 * y[0]

    # Reverse sweep.
    a_bar = np.zeros_like(a)
    y_rows_bar = np.zeros_like(y_rows)
    # for i in range(3):
    for i in range(2, -1, -1):
        # a[i + 1] = a[i + 1] * y[0]
        product_bar = a_bar[i + 1].copy()
        a_bar[i + 1] = 0.0
        # y = a[i + 1] @ twist
        y = y_rows[i]
        a_part_1 = a_tape.pop()
        # a[i + 1] = a[i + 1] * y[0]
        a_bar[i + 1] += product_bar * y[0]
        y_bar = np.zeros_like(c)
        y_bar[0] = product_bar @ a_part_1
        # total += np.sum(np.sin(y)) * a[i, 0]
        a_bar[i, 0] += total_bar * np.sum(np.sin(y))
        y_bar += total_bar * a[i, 0] * np.cos(y)
        # y = a[i + 1] @ twist
        y_rows_bar[i] += y_bar
    # y = a[i + 1] @ twist
    twist_bar = a_part.T @ y_rows_bar
    a_bar[1:4] += y_rows_bar @ twist.T
    # twist = np.outer(c, c)
    c_bar = np.reshape(twist_bar @ c, np.shape(c)) + c @ twist_bar
    return total, a_bar, c_bar

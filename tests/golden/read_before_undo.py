# Elements read of an array that is restored: all of them before the same write is undone.
# wrt: x, p   at: x=np.array([1.1, 0.7, -0.4, 0.9, 0.3]), p=np.array([0.5, -0.2, 0.8, 0.4, 0.6])
import numpy as np
from numpy.typing import NDArray


def read_before_undo(x, p):
    for _ in range(2):
        for j in range(3, len(p)):
            a = p[j - 1]
            b = p[j - 2]
            c = p[j - 3]
            p[j] = np.sin(a * b) * x[j] * c
            x[j] = x[j] * a * b * c
        for j in range(3, len(p)):
            x[j] = p[j] * x[j - 1] * x[j]
    return np.sum(x)


# In single-assignment form:
#
# function read_before_undo(x: float64[x.0], p: float64[p.0]) -> (result)
#   p_2: float64[p.0], x_2: float64[x.0] = loop _: int64 from (0, 2, 1) carry (p_3: float64[p.0] = p, x_3: float64[x.0] = x):
#     t': int64=p.0 = dim(p_3) [axis=0]
#     p_4: float64[p.0], x_4: float64[x.0] = loop j: int64 from (3, t, 1) carry (p_5: float64[p.0] = p_3, x_5: float64[x.0] = x_3):
#       t_2': int64 = sub(j, 1)
#       a: float64 = load(p_5, t_2) [index="_"]
#       t_3': int64 = sub(j, 2)
#       b: float64 = load(p_5, t_3) [index="_"]
#       t_4': int64 = sub(j, 3)
#       c: float64 = load(p_5, t_4) [index="_"]
#       t_5': float64 = mul(a, b)
#       t_6': float64 = sin(t_5)
#       t_7': float64 = load(x_5, j) [index="_"]
#       t_8': float64 = mul(t_6, t_7)
#       t_9': float64 = mul(t_8, c)
#       p_6: float64[p.0] = store(p_5, t_9, j) [index="_"]
#       t_10': float64 = load(x_5, j) [index="_"]
#       t_11': float64 = mul(t_10, a)
#       t_12': float64 = mul(t_11, b)
#       t_13': float64 = mul(t_12, c)
#       x_6: float64[x.0] = store(x_5, t_13, j) [index="_"]
#       yield p_6, x_6
#     t_14': int64=p.0 = dim(p_4) [axis=0]
#     x_7: float64[x.0] = loop j_2: int64 from (3, t_14, 1) carry (x_8: float64[x.0] = x_4):
#       t_15': float64 = load(p_4, j_2) [index="_"]
#       t_16': int64 = sub(j_2, 1)
#       t_17': float64 = load(x_8, t_16) [index="_"]
#       t_18': float64 = mul(t_15, t_17)
#       t_19': float64 = load(x_8, j_2) [index="_"]
#       t_20': float64 = mul(t_18, t_19)
#       x_9: float64[x.0] = store(x_8, t_20, j_2) [index="_"]
#       yield x_9
#     yield p_4, x_7
#   result: float64 = sum(x_2)
#   return result


def read_before_undo_tangent(
    x: NDArray[np.float64],
    p: NDArray[np.float64],
    x_dot: NDArray[np.float64],
    p_dot: NDArray[np.float64],
) -> tuple[float, float]:
    """Value and tangent of `read_before_undo`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    p: float64 array (p.shape[0],), differentiated, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    p_dot: float64 array (p.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    p = p.copy()
    x = x.copy()
    p_dot = p_dot.copy()
    x_dot = x_dot.copy()
    for _ in range(2):
        for j in range(3, len(p)):
            a_dot = p_dot[j - 1]
            a = p[j - 1]
            b_dot = p_dot[j - 2]
            b = p[j - 2]
            c_dot = p_dot[j - 3]
            c = p[j - 3]
            product = a * b
            sin = np.sin(product)
            x_j = x[j]
            product_1 = sin * x_j
            p_dot[j] = (
                c * (x_j * np.cos(product) * (b * a_dot + a * b_dot) + sin * x_dot[j])
                + product_1 * c_dot
            )
            p[j] = product_1 * c
            x_j = x[j]
            product = x_j * a
            product_1 = product * b
            x_dot[j] = (
                c * (b * (a * x_dot[j] + x_j * a_dot) + product * b_dot)
                + product_1 * c_dot
            )
            x[j] = product_1 * c
        for j in range(3, len(p)):
            p_j = p[j]
            x_entry = x[j - 1]
            product = p_j * x_entry
            x_j = x[j]
            x_dot[j] = (
                x_j * (x_entry * p_dot[j] + p_j * x_dot[j - 1]) + product * x_dot[j]
            )
            x[j] = product * x_j
    result_dot = np.sum(x_dot)
    result = np.sum(x)
    return result, result_dot


def read_before_undo_adjoint(
    x: NDArray[np.float64], p: NDArray[np.float64], result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `read_before_undo`: (result, x_bar, p_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    p: float64 array (p.shape[0],), differentiated, read only
    result_bar: float, seed
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    p_bar: float64 array (p.shape[0],), returned
    """
    # Forward sweep.
    p = p.copy()
    x = x.copy()
    sin_tape = []
    p_old_tape = []
    x_old_tape = []
    x_old_tape_1 = []
    for _ in range(2):
        for j in range(3, len(p)):
            a = p[j - 1]
            b = p[j - 2]
            c = p[j - 3]
            sin = np.sin(a * b)
            sin_tape.append(sin)
            p_old_tape.append(p[j])
            p[j] = sin * x[j] * c
            x_old_tape.append(x[j])
            x[j] = x[j] * a * b * c
        for j in range(3, len(p)):
            x_old_tape_1.append(x[j])
            x[j] *= p[j] * x[j - 1]
    result = np.sum(x)

    # Reverse sweep.
    # return np.sum(x)
    x_bar = np.full_like(x, result_bar)
    p_bar = np.zeros_like(p)
    for _ in range(2):
        len_p_bar = len(p_bar)
        p_bar_1 = p_bar.copy()
        # for j in range(3, len(p)):
        for j in range(len_p_bar - 1, 2, -1):
            # x[j] = p[j] * x[j - 1] * x[j]
            product_bar = x_bar[j]
            x_old = x_old_tape_1.pop()
            x[j] = x_old
            product_bar_1 = product_bar * x_old
            p_j = p[j]
            x_entry = x[j - 1]
            x_bar[j] = product_bar * (p_j * x_entry)
            x_bar[j - 1] += product_bar_1 * p_j
            p_bar_1[j] += product_bar_1 * x_entry
        # for j in range(3, len(p)):
        for j in range(len(p_bar) - 1, 2, -1):
            # x[j] = x[j] * a * b * c
            product_bar = x_bar[j]
            x_old = x_old_tape.pop()
            x[j] = x_old
            c = p[j - 3]
            product_bar_1 = product_bar * c
            a = p[j - 1]
            b = p[j - 2]
            product = x_old * a
            c_bar = product_bar * (product * b)
            product_bar = product_bar_1 * b
            b_bar = product_bar_1 * product
            a_bar = product_bar * x_old
            x_bar[j] = product_bar * a
            # p[j] = np.sin(a * b) * x[j] * c
            product_bar = p_bar_1[j]
            p_bar_1[j] = 0.0
            p_old = p_old_tape.pop()
            p[j] = p_old
            product_bar_1 = product_bar * c
            sin = sin_tape.pop()
            c_bar += product_bar * (sin * x_old)
            x_bar[j] += product_bar_1 * sin
            product_bar = product_bar_1 * x_old * np.cos(a * b)
            a_bar += product_bar * b
            b_bar += product_bar * a
            # c = p[j - 3]
            p_bar_1[j - 3] += c_bar
            # b = p[j - 2]
            p_bar_1[j - 2] += b_bar
            # a = p[j - 1]
            p_bar_1[j - 1] += a_bar
        p_bar = p_bar_1
    return result, x_bar, p_bar

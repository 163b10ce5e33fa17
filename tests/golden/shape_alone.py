# Arrays of which the reverse sweep reads the shape alone: their lengths are kept, not they.
# wrt: x   at: x=np.array([0.3, -0.8, 1.1, 0.4, -0.5, 0.9, 0.2, 0.7]), levels=3
from typing import Any

import numpy as np
from numpy.typing import NDArray


def shape_alone(x, levels):
    y = x
    half = len(x) // 2
    total = 0.0
    for k in range(levels):
        pairs = np.reshape(y, (half, 2))
        halves = np.zeros((2, half))
        halves[0] = pairs[:, 0] - 0.5 * pairs[:, 1]
        halves[1] = 2.0 * pairs[:, 1]
        y = halves[0] + halves[1]
        total += k * np.sum(np.cumsum(y)[1:])
        half //= 2
    return total + np.sum(y * y)


# In single-assignment form:
#
# function shape_alone(x: float64[x.0], levels: int64=levels) -> (result)
#   t': int64=x.0 = dim(x) [axis=0]
#   half: int64 = floordiv(t, 2)
#   half_2: int64, total: float64, y: float64[?] = loop k: int64 from (0, levels, 1) carry (half_3: int64 = half, total_2: float64 = 0.0, y_2: float64[?] = x):
#     pairs: float64[?, 2] = reshape(y_2, half_3, 2)
#     halves: float64[2, ?] = zeros(2, half_3)
#     t_2': float64[?] = load(pairs) [index=":, 1"]
#     t_3': float64[?] = mul(0.5, t_2)
#     t_4': float64[?] = load(pairs) [index=":, 0"]
#     t_5': float64[?] = sub(t_4, t_3)
#     halves_2: float64[2, ?] = store(halves, t_5) [index="0"]
#     t_6': float64[?] = mul(2.0, t_2)
#     halves_3: float64[2, ?] = store(halves_2, t_6) [index="1"]
#     t_7': float64[?] = load(halves_3) [index="0"]
#     t_8': float64[?] = load(halves_3) [index="1"]
#     y_3: float64[?] = add(t_7, t_8)
#     t_9': float64[?] = cumsum(y_3)
#     t_10': float64[?] = load(t_9) [index="1:"]
#     t_11': float64 = sum(t_10)
#     t_12': float64 = mul(k, t_11)
#     total_3: float64 = add(total_2, t_12)
#     half_4: int64 = floordiv(half_3, 2)
#     yield half_4, total_3, y_3
#   t_13': float64[?] = mul(y, y)
#   t_14': float64 = sum(t_13)
#   result: float64 = add(total, t_14)
#   return result


def shape_alone_tangent(
    x: NDArray[np.float64], levels: int, x_dot: NDArray[np.float64]
) -> tuple[float, float]:
    """Value and tangent of `shape_alone`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    levels: int
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float, returned
    result_dot: float, returned
    """
    half = len(x) // 2
    total = 0.0
    y = x
    total_dot = 0.0
    y_dot = x_dot
    for k in range(levels):
        pairs_dot = y_dot.reshape(half, 2)
        pairs = y.reshape(half, 2)
        halves = np.zeros((2, half))
        pairs_dot_part = pairs_dot[:, 1]
        pairs_part = pairs[:, 1]
        halves_dot = np.zeros_like(halves)
        halves_dot[0] = pairs_dot[:, 0] - 0.5 * pairs_dot_part
        halves[0] = pairs[:, 0] - 0.5 * pairs_part
        halves_dot[1] = 2.0 * pairs_dot_part
        halves[1] = 2.0 * pairs_part
        y = halves[0] + halves[1]
        y_dot = halves_dot[0] + halves_dot[1]
        total_dot += k * np.sum(np.cumsum(y_dot)[1:])
        total += k * np.sum(np.cumsum(y)[1:])
        half = half // 2
    y_squared = y * y
    result_dot = total_dot + np.sum(np.broadcast_to(2.0 * y * y_dot, y_squared.shape))
    result = total + np.sum(y_squared)
    return result, result_dot


def shape_alone_adjoint(
    x: NDArray[np.float64], levels: int, result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64]]:
    """Value and adjoint of `shape_alone`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    levels: int
    result_bar: float, seed
    result: float, returned
    x_bar: float64 array of rank 1, returned
    """
    # Forward sweep.
    half = len(x) // 2
    half_tape = []
    total = 0.0
    y = x
    for k in range(levels):
        half_tape.append(half)
        pairs = y.reshape(half, 2)
        halves = np.zeros((2, half))
        pairs_part = pairs[:, 1]
        halves[0] = pairs[:, 0] - 0.5 * pairs_part
        halves[1] = 2.0 * pairs_part
        y = halves[0] + halves[1]
        total += k * np.sum(np.cumsum(y)[1:])
        half = half // 2
    result = total + np.sum(y * y)

    # Reverse sweep.
    # return total + np.sum(y * y)
    y_bar = 2.0 * result_bar * y
    # for k in range(levels):
    for k in range(levels - 1, -1, -1):
        half = half_tape.pop()
        # total += k * np.sum(np.cumsum(y)[1:])
        cumsum_y_bar = np.zeros(half)
        cumsum_y_bar[1:] = result_bar * k
        y_bar = y_bar + np.flip(np.cumsum(np.flip(cumsum_y_bar), axis=0))
        # y = halves[0] + halves[1]
        halves_bar = np.zeros((2, half))
        halves_bar[1] = _unbroadcast(y_bar, np.broadcast_to(0.0, half))
        halves_bar[0] = _unbroadcast(y_bar, np.broadcast_to(0.0, half))
        # halves[0] = pairs[:, 0] - 0.5 * pairs[:, 1]
        difference_bar = halves_bar[0]
        pairs_bar = np.zeros((half, 2))
        pairs_bar[:, 0] = difference_bar
        pairs_bar[:, 1] = 2.0 * halves_bar[1] - 0.5 * difference_bar
        y_bar = pairs_bar.reshape(-1)
    return result, y_bar


def _unbroadcast(v: Any, like: Any) -> Any:
    """`v` summed down to the shape of `like`, which may have leading axes of length 1 more."""
    shape = np.shape(like)
    if np.shape(v) == shape:
        # A number is one of its own, which no later statement adds to in place.
        return v if shape or not isinstance(v, np.ndarray) else v[()]
    if np.ndim(v) < len(shape):
        v = np.reshape(v, (1,) * (len(shape) - np.ndim(v)) + np.shape(v))
    v = np.sum(v, axis=tuple(range(np.ndim(v) - len(shape))))
    repeated = tuple(k for k, n in enumerate(shape) if n == 1 and v.shape[k] != 1)
    return np.sum(v, axis=repeated, keepdims=True) if repeated else v

# Sorting selects: the adjoint goes back to where each element came from.
# wrt: x   at: x=np.array([0.5, -1.5, 0.75, 2.0])
from typing import Any

import numpy as np
from numpy.typing import NDArray


def top_two(x):
    order = np.argsort(x)
    large = x[order[-2:]]
    return np.sort(x)[:2] * large


# In single-assignment form:
#
# function top_two(x: float64[x.0]) -> (result)
#   order: int64[x.0] = argsort(x)
#   t': int64[<x.0|-2||>] = load(order) [index="-2:"]
#   large: float64[<x.0|-2||>] = load(x, t) [index="_"]
#   t_2': float64[x.0] = sort(x)
#   t_3': float64[<x.0||2|>] = load(t_2) [index=":2"]
#   result: float64[?] = mul(t_3, large)
#   return result


def top_two_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `top_two`: (result, result_dot).

    x: float64 array (x.shape[0],), differentiated, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float64 array of rank 1, returned
    result_dot: float64 array of rank 1, returned
    """
    order = np.argsort(x)
    order_part = order[-2:]
    large_dot = x_dot[order_part]
    large = x[order_part]
    sort_x_part = np.sort(x)[:2]
    result = sort_x_part * large
    result_dot = (
        large * x_dot[np.argsort(x, kind="stable")][:2] + sort_x_part * large_dot
    )
    return result, result_dot


def top_two_adjoint(
    x: NDArray[np.float64], result_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `top_two`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float64 array of rank 1, seed, read only
    result: float64 array of rank 1, returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    order = np.argsort(x)
    order_part = order[-2:]
    large = x[order_part]
    sort_x = np.sort(x)
    sort_x_part = sort_x[:2]
    result = sort_x_part * large

    # Reverse sweep.
    # return np.sort(x)[:2] * large
    large_bar = _unbroadcast(result_bar * sort_x_part, large)
    sort_x_bar = np.zeros_like(sort_x)
    sort_x_bar[:2] = _unbroadcast(result_bar * large, sort_x_part)
    x_bar = sort_x_bar[np.argsort(np.argsort(x, kind="stable"), kind="stable")]
    # large = x[order[-2:]]
    np.add.at(x_bar, order_part, large_bar)
    return result, x_bar


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

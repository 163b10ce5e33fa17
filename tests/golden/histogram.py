# An index array may repeat a position: its contributions are summed.
# wrt: w, x   at: w=np.array([0.5, 1.5, 0.75, 2.0]), x=np.array([0.25, 1.25]), k=np.array([0, 1, 1, 0])
import numpy as np
from numpy.typing import NDArray


def histogram(w, x, k):
    y = np.zeros_like(x)
    np.add.at(y, k, w * x[k])
    y[k] += w
    return y * x


# In single-assignment form:
#
# function histogram(w: float64[w.0], x: float64[x.0], k: int64[k.0]) -> (result)
#   y: float64[x.0] = zeros_like(x)
#   t': float64[k.0] = load(x, k) [index="_"]
#   t_2': float64[k.0] = mul(w, t)
#   y_2: float64[x.0] = accumulate(y, t_2, k) [index="_"]
#   t_3': float64[k.0] = load(y_2, k) [index="_"]
#   t_4': float64[k.0] = add(t_3, w)
#   y_3: float64[x.0] = store(y_2, t_4, k) [index="_"]
#   result: float64[x.0] = mul(y_3, x)
#   return result


def histogram_tangent(
    w: NDArray[np.float64],
    x: NDArray[np.float64],
    k: NDArray[np.int64],
    w_dot: NDArray[np.float64],
    x_dot: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `histogram`: (result, result_dot).

    w: float64 array (w.shape[0],), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    k: int64 array (k.shape[0],), read only
    w_dot: float64 array (w.shape[0],), seed, read only
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    result_dot: float64 array (x.shape[0],), returned
    """
    y = np.zeros_like(x)
    x_part = x[k]
    y_dot = np.zeros_like(y)
    np.add.at(y_dot, k, x_part * w_dot + w * x_dot[k])
    np.add.at(y, k, w * x_part)
    y_dot[k] += w_dot
    y[k] += w
    result_dot = x * y_dot + y * x_dot
    result = y * x
    return result, result_dot


def histogram_adjoint(
    w: NDArray[np.float64],
    x: NDArray[np.float64],
    k: NDArray[np.int64],
    result_bar: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `histogram`: (result, w_bar, x_bar).

    w: float64 array (w.shape[0],), differentiated, read only
    x: float64 array (x.shape[0],), differentiated, read only
    k: int64 array (k.shape[0],), read only
    result_bar: float64 array (x.shape[0],), seed, read only
    result: float64 array (x.shape[0],), returned
    w_bar: float64 array (k.shape[0],), returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    y = np.zeros_like(x)
    x_part = x[k]
    np.add.at(y, k, w * x_part)
    y[k] += w
    result = y * x

    # Reverse sweep.
    # return y * x
    y_bar = result_bar * x
    x_bar = result_bar * y
    # y[k] += w
    order = np.arange(len(k))
    writer = np.zeros(len(x), dtype=np.int64)
    writer[k] = order
    w_bar = y_bar[k] * (writer[k] == order)
    y_bar[k] = 0.0
    np.add.at(y_bar, k, w_bar)
    # np.add.at(y, k, w * x[k])
    product_bar = y_bar[k]
    w_bar += product_bar * x_part
    np.add.at(x_bar, k, product_bar * w)
    return result, w_bar, x_bar

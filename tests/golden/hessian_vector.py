# The derivatives of an adjoint: its tangent gives Hessian-vector products.
# wrt: x   at: x=np.array([0.5, 1.5, 0.75])   of: adjoint
import numpy as np
from numpy.typing import NDArray


def hessian_vector(x):
    return np.sum(np.sin(x) * x[::-1])


# In single-assignment form:
#
# function hessian_vector(x: float64[x.0]) -> (result)
#   t': float64[x.0] = sin(x)
#   t_2': float64[x.0] = load(x) [index="::-1"]
#   t_3': float64[x.0] = mul(t, t_2)
#   result: float64 = sum(t_3)
#   return result


def hessian_vector_adjoint(
    x: NDArray[np.float64], result_bar: float = 1.0
) -> tuple[float, NDArray[np.float64]]:
    """Value and adjoint of `hessian_vector`: (result, x_bar).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    sin_x = np.sin(x)
    x_part = x[::-1]
    result = np.sum(sin_x * x_part)

    # Reverse sweep.
    # return np.sum(np.sin(x) * x[::-1])
    x_bar = np.zeros_like(x)
    x_bar[::-1] = result_bar * sin_x
    x_bar += result_bar * x_part * np.cos(x)
    return result, x_bar


def hessian_vector_adjoint_tangent(
    x: NDArray[np.float64], result_bar: float = 1.0, *, x_dot: NDArray[np.float64]
) -> tuple[tuple[float, NDArray[np.float64]], tuple[float, NDArray[np.float64]]]:
    """Value and tangent of the adjoint of `hessian_vector`: ((result, x_bar), (result_dot, x_bar_dot)).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed
    x_dot: float64 array (x.shape[0],), seed, read only
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    result_dot: float, returned
    x_bar_dot: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    cos_x = np.cos(x)
    product = cos_x * x_dot
    sin_x = np.sin(x)
    x_dot_part = x_dot[::-1]
    x_part = x[::-1]
    result_dot = np.sum(x_part * product + sin_x * x_dot_part)
    result = np.sum(sin_x * x_part)

    # Reverse sweep.
    # return np.sum(np.sin(x) * x[::-1])
    sin_x_bar = result_bar * x_part
    x_bar = np.zeros_like(x)
    x_bar_dot = np.zeros_like(x_bar)
    x_bar_dot[::-1] = result_bar * product
    x_bar[::-1] += result_bar * sin_x
    x_bar_dot += cos_x * result_bar * x_dot_part - sin_x_bar * sin_x * x_dot
    x_bar += sin_x_bar * cos_x
    return (result, x_bar), (result_dot, x_bar_dot)


def hessian_vector_adjoint_adjoint(
    x: NDArray[np.float64],
    result_bar: float = 1.0,
    *,
    result_bar_: float,
    x_bar_bar: NDArray[np.float64],
) -> tuple[tuple[float, NDArray[np.float64]], NDArray[np.float64]]:
    """Value and adjoint of the adjoint of `hessian_vector`: ((result, x_bar), x_bar_).

    x: float64 array (x.shape[0],), differentiated, read only
    result_bar: float, seed
    result_bar_: float, seed
    x_bar_bar: float64 array (x.shape[0],), seed, read only
    result: float, returned
    x_bar: float64 array (x.shape[0],), returned
    x_bar_: float64 array (x.shape[0],), returned
    """
    # Forward sweep.
    sin_x = np.sin(x)
    x_part = x[::-1]
    result = np.sum(sin_x * x_part)

    # Reverse sweep.
    # return np.sum(np.sin(x) * x[::-1])
    sin_x_bar = result_bar * x_part
    x_bar = np.zeros_like(x)
    x_bar[::-1] = result_bar * sin_x
    cos_x = np.cos(x)
    x_bar += sin_x_bar * cos_x

    # Reverse sweep.
    x_bar_1 = -x_bar_bar * sin_x_bar * sin_x
    x_bar_1[::-1] += x_bar_bar * cos_x * result_bar + result_bar_ * sin_x
    x_bar_1 += (x_bar_bar[::-1] * result_bar + result_bar_ * x_part) * cos_x
    return (result, x_bar), x_bar_1

# Reductions along an axis, with and without keepdims.
# wrt: x   at: x=np.array([[1.0, 0.5, 0.25], [2.0, 1.5, -1.0]])
import numpy as np
from numpy.typing import NDArray


def reductions(x):
    shifted = x - x.max(axis=1, keepdims=True)
    weights = np.exp(shifted)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.mean(weights * x, axis=0)


# In single-assignment form:
#
# function reductions(x: float64[x.0, x.1]) -> (result)
#   t': float64[x.0, 1] = amax(x) [axis=1, keepdims=True, spelling=".max"]
#   shifted: float64[x.0, x.1] = sub(x, t)
#   weights: float64[x.0, x.1] = exp(shifted)
#   t_2': float64[x.0, 1] = sum(weights) [axis=1, keepdims=True, spelling=".sum"]
#   weights_2: float64[x.0, x.1] = div(weights, t_2)
#   t_3': float64[x.0, x.1] = mul(weights_2, x)
#   result: float64[x.1] = mean(t_3) [axis=0]
#   return result


def reductions_tangent(
    x: NDArray[np.float64], x_dot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and tangent of `reductions`: (result, result_dot).

    x: float64 array (x.shape[0], x.shape[1]), differentiated, read only
    x_dot: float64 array (x.shape[0], x.shape[1]), seed, read only
    result: float64 array (x.shape[1],), returned
    result_dot: float64 array (x.shape[1],), returned
    """
    largest_x = x.max(axis=1, keepdims=True)
    test = x == largest_x
    shifted_dot = x_dot - np.sum(test * x_dot, axis=1, keepdims=True) / np.sum(
        test, axis=1, keepdims=True
    )
    shifted = x - largest_x
    weights = np.exp(shifted)
    weights_dot = weights * shifted_dot
    total_weights = weights.sum(axis=1, keepdims=True)
    weights = weights / total_weights
    weights_dot = weights_dot / total_weights - weights / total_weights * np.sum(
        weights_dot, axis=1, keepdims=True
    )
    result_dot = np.mean(x * weights_dot + weights * x_dot, axis=0)
    result = np.mean(weights * x, axis=0)
    return result, result_dot


def reductions_adjoint(
    x: NDArray[np.float64], result_bar: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Value and adjoint of `reductions`: (result, x_bar).

    x: float64 array (x.shape[0], x.shape[1]), differentiated, read only
    result_bar: float64 array (x.shape[1],), seed, read only
    result: float64 array (x.shape[1],), returned
    x_bar: float64 array (x.shape[0], x.shape[1]), returned
    """
    # Forward sweep.
    largest_x = x.max(axis=1, keepdims=True)
    shifted = x - largest_x
    weights = np.exp(shifted)
    total_weights = weights.sum(axis=1, keepdims=True)
    weights_1 = weights / total_weights
    product = weights_1 * x
    result = np.mean(product, axis=0)

    # Reverse sweep.
    # return np.mean(weights * x, axis=0)
    ratio = result_bar / product.shape[0]
    weights_bar = ratio * x
    x_bar = ratio * weights_1
    # weights /= weights.sum(axis=1, keepdims=True)
    weights_bar = weights_bar / total_weights
    weights_bar -= np.sum(weights_bar * weights_1, axis=1, keepdims=True)
    # weights = np.exp(shifted)
    shifted_bar = weights_bar * weights
    # shifted = x - x.max(axis=1, keepdims=True)
    x_bar += shifted_bar
    test = x == largest_x
    x_bar -= (
        np.sum(shifted_bar, axis=1, keepdims=True)
        / np.sum(test, axis=1, keepdims=True)
        * test
    )
    return result, x_bar

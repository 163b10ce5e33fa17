# Defaults are kept, and what selects code is folded: the other method is not differentiated.
# wrt: x   at: x=1.5, scale=3.0
import math
from typing import Any


def default_arguments(x, scale=2.0, *, method="sine"):
    if method == "sine":
        y = math.sin(scale * x)
    else:
        y = math.exp(scale * x)
    return y * x


# In single-assignment form:
#
# function default_arguments(x: float64, scale: float64, method: object) -> (result)
#   parameters (x, scale = "2.0", named method = "\"sine\"")
#   t': float64 = mul(scale, x)
#   y: float64 = sin(t) [spelling="math.sin"]
#   result: float64 = mul(y, x)
#   return result


def default_arguments_tangent(
    x: float, scale: float = 2.0, *, method: Any = "sine", x_dot: float
) -> tuple[float, float]:
    """Value and tangent of `default_arguments`: (result, result_dot).

    x: float, differentiated
    scale: float
    method: object, read only
    x_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    product = scale * x
    y_dot = math.cos(product) * scale * x_dot
    y = math.sin(product)
    result_dot = x * y_dot + y * x_dot
    result = y * x
    return result, result_dot


def default_arguments_adjoint(
    x: float, scale: float = 2.0, result_bar: float = 1.0, *, method: Any = "sine"
) -> tuple[float, float]:
    """Value and adjoint of `default_arguments`: (result, x_bar).

    x: float, differentiated
    scale: float
    method: object, read only
    result_bar: float, seed
    result: float, returned
    x_bar: float, returned
    """
    # Forward sweep.
    product = scale * x
    y = math.sin(product)
    result = y * x

    # Reverse sweep.
    # return y * x
    y_bar = result_bar * x
    x_bar = result_bar * y
    # y = math.sin(scale * x)
    x_bar += y_bar * math.cos(product) * scale
    return result, x_bar

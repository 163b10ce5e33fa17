# A list of numbers: its adjoint is a list.
# wrt: coefficients, x   at: coefficients=[0.5, 1.5, -0.75], x=2.0
import numpy as np


def list_argument(coefficients, x):
    y = 0.0
    for c in reversed(coefficients):
        y = y * x + c
    return y


# In single-assignment form:
#
# function list_argument(coefficients: list float64[coefficients.0], x: float64) -> (y)
#   t': int64=coefficients.0 = dim(coefficients) [axis=0]
#   y: float64 = loop k': int64 backwards from (0, t, 1) carry (y_2: float64 = 0.0):
#     c: float64 = load(coefficients, k) [index="_"]
#     t_2': float64 = mul(y_2, x)
#     y_3: float64 = add(t_2, c)
#     yield y_3
#   return y


def list_argument_tangent(
    coefficients: list[float], x: float, coefficients_dot: list[float], x_dot: float
) -> tuple[float, float]:
    """Value and tangent of `list_argument`: (y, y_dot).

    coefficients: list of len(coefficients) floats, differentiated, read only
    x: float, differentiated
    coefficients_dot: list of len(coefficients) floats, seed, read only
    x_dot: float, seed
    y: float, returned
    y_dot: float, returned
    """
    y = 0.0
    y_dot = 0.0
    for k in range(len(coefficients) - 1, -1, -1):
        c_dot = coefficients_dot[k]
        c = coefficients[k]
        y_dot = x * y_dot + y * x_dot + c_dot
        y = y * x + c
    return y, y_dot


def list_argument_adjoint(
    coefficients: list[float], x: float, y_bar: float = 1.0
) -> tuple[float, list[float], float]:
    """Value and adjoint of `list_argument`: (y, coefficients_bar, x_bar).

    coefficients: list of len(coefficients) floats, differentiated, read only
    x: float, differentiated
    y_bar: float, seed
    y: float, returned
    coefficients_bar: list of len(coefficients) floats, returned
    x_bar: float, returned
    """
    # Forward sweep.
    len_coefficients = len(coefficients)
    y_tape = []
    y = 0.0
    for k in range(len_coefficients - 1, -1, -1):
        y_tape.append(y)
        c = coefficients[k]
        y = y * x + c

    # Reverse sweep.
    coefficients_bar = np.zeros(len(coefficients))
    x_bar = 0.0
    # for c in reversed(coefficients):
    for k in range(len_coefficients):
        y_1 = y_tape.pop()
        # y = y * x + c
        x_bar += y_bar * y_1
        coefficients_bar[k] += y_bar
        y_bar *= x
    coefficients_bar_1 = coefficients_bar.tolist()
    return y, coefficients_bar_1, x_bar

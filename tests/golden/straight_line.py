# Straight-line code: one contribution per use, and a name for what both sweeps read.
# wrt: x, y   at: x=0.5, y=4.2
import math


def straight_line(x, y):
    a = x * y
    b = math.sin(a) + x
    return a * b


# In single-assignment form:
#
# function straight_line(x: float64, y: float64) -> (result)
#   a: float64 = mul(x, y)
#   t': float64 = sin(a) [spelling="math.sin"]
#   b: float64 = add(t, x)
#   result: float64 = mul(a, b)
#   return result


def straight_line_tangent(
    x: float, y: float, x_dot: float, y_dot: float
) -> tuple[float, float]:
    """Value and tangent of `straight_line`: (result, result_dot).

    x: float, differentiated
    y: float, differentiated
    x_dot: float, seed
    y_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    a_dot = y * x_dot + x * y_dot
    a = x * y
    b_dot = math.cos(a) * a_dot + x_dot
    b = math.sin(a) + x
    result_dot = b * a_dot + a * b_dot
    result = a * b
    return result, result_dot


def straight_line_adjoint(
    x: float, y: float, result_bar: float = 1.0
) -> tuple[float, float, float]:
    """Value and adjoint of `straight_line`: (result, x_bar, y_bar).

    x: float, differentiated
    y: float, differentiated
    result_bar: float, seed
    result: float, returned
    x_bar: float, returned
    y_bar: float, returned
    """
    # Forward sweep.
    a = x * y
    b = math.sin(a) + x
    result = a * b

    # Reverse sweep.
    # return a * b
    a_bar = result_bar * b
    b_bar = result_bar * a
    # b = math.sin(a) + x
    a_bar += b_bar * math.cos(a)
    # a = x * y
    x_bar = b_bar + a_bar * y
    y_bar = a_bar * x
    return result, x_bar, y_bar

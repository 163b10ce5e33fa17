# A conditional expression of scalars stays one.
# wrt: x   at: x=-0.75
def conditional_expression(x):
    y = x * x if x > 0 else -x
    return 3.0 * y + x


# In single-assignment form:
#
# function conditional_expression(x: float64) -> (result)
#   t': bool = gt(x, 0)
#   t_2': float64 = if t:
#     t_3': float64 = mul(x, x)
#     yield t_3
#   else:
#     t_4': float64 = neg(x)
#     yield t_4
#   t_5': float64 = mul(3.0, t_2)
#   result: float64 = add(t_5, x)
#   return result


def conditional_expression_tangent(x: float, x_dot: float) -> tuple[float, float]:
    """Value and tangent of `conditional_expression`: (result, result_dot).

    x: float, differentiated
    x_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    if x > 0:
        t = x * x
        t_dot = 2.0 * x * x_dot
    else:
        t = -x
        t_dot = -x_dot
    result_dot = 3.0 * t_dot + x_dot
    result = 3.0 * t + x
    return result, result_dot


def conditional_expression_adjoint(
    x: float, result_bar: float = 1.0
) -> tuple[float, float]:
    """Value and adjoint of `conditional_expression`: (result, x_bar).

    x: float, differentiated
    result_bar: float, seed
    result: float, returned
    x_bar: float, returned
    """
    # Forward sweep.
    test = x > 0
    result = 3.0 * (x * x if test else -x) + x

    # Reverse sweep.
    if test:
        # y = x * x if x > 0 else -x
        x_bar = result_bar + 6.0 * result_bar * x
    else:
        x_bar = -2.0 * result_bar
    return result, x_bar

# A branch: the reverse sweep asks the same question again and reverses the arm that was taken.
# wrt: x, y   at: x=0.5, y=1.25
def branch(x, y):
    if x < y:
        z = x * y
        x = z * z
    else:
        z = x / y
    return x * z


# In single-assignment form:
#
# function branch(x: float64, y: float64) -> (result)
#   t': bool = lt(x, y)
#   x_2: float64, z: float64 = if t:
#     z_2: float64 = mul(x, y)
#     x_3: float64 = mul(z_2, z_2)
#     yield x_3, z_2
#   else:
#     z_3: float64 = div(x, y)
#     yield x, z_3
#   result: float64 = mul(x_2, z)
#   return result


def branch_tangent(
    x: float, y: float, x_dot: float, y_dot: float
) -> tuple[float, float]:
    """Value and tangent of `branch`: (result, result_dot).

    x: float, differentiated
    y: float, differentiated
    x_dot: float, seed
    y_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    if x < y:
        z_dot = y * x_dot + x * y_dot
        z = x * y
        x_dot = 2.0 * z * z_dot
        x = z * z
    else:
        z = x / y
        z_dot = x_dot / y - z / y * y_dot
    result_dot = z * x_dot + x * z_dot
    result = x * z
    return result, result_dot


def branch_adjoint(
    x: float, y: float, result_bar: float = 1.0
) -> tuple[float, float, float]:
    """Value and adjoint of `branch`: (result, x_bar, y_bar).

    x: float, differentiated
    y: float, differentiated
    result_bar: float, seed
    result: float, returned
    x_bar: float, returned
    y_bar: float, returned
    """
    # Forward sweep.
    test = x < y
    if test:
        z = x * y
        x_1 = z * z
    else:
        z = x / y
        x_1 = x
    result = x_1 * z

    # Reverse sweep.
    # return x * z
    x_bar = result_bar * z
    z_bar = result_bar * x_1
    # if x < y:
    if test:
        # x = z * z
        z_bar += 2.0 * x_bar * z
        # z = x * y
        x_bar = z_bar * y
        y_bar = z_bar * x
    else:
        # z = x / y
        ratio = z_bar / y
        x_bar += ratio
        y_bar = -ratio * z
    return result, x_bar, y_bar

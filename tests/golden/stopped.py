# stop_gradient: a value that counts as constant.
# wrt: x   at: x=1.5
from adjointgen import stop_gradient


def stopped(x):
    step = 0.5 * x
    return stop_gradient(step) * x


# In single-assignment form:
#
# function stopped(x: float64) -> (result)
#   step: float64 = mul(0.5, x)
#   t': float64 = stop_gradient(step)
#   result: float64 = mul(t, x)
#   return result


def stopped_tangent(x: float, x_dot: float) -> tuple[float, float]:
    """Value and tangent of `stopped`: (result, result_dot).

    x: float, differentiated
    x_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    step = 0.5 * x
    stop_gradient_step = step
    result_dot = stop_gradient_step * x_dot
    result = stop_gradient_step * x
    return result, result_dot


def stopped_adjoint(x: float, result_bar: float = 1.0) -> tuple[float, float]:
    """Value and adjoint of `stopped`: (result, x_bar).

    x: float, differentiated
    result_bar: float, seed
    result: float, returned
    x_bar: float, returned
    """
    # Forward sweep.
    step = 0.5 * x
    stop_gradient_step = step
    result = stop_gradient_step * x

    # Reverse sweep.
    # return stop_gradient(step) * x
    x_bar = result_bar * stop_gradient_step
    return result, x_bar

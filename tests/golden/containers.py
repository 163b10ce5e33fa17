# Tuples of values are taken apart: their entries are values like any other.
# wrt: x, v   at: x=0.5, v=0.25, n=3
def step(state, h):
    x, v = state
    return x + h * v, v - h * x


def containers(x, v, n):
    state = (x, v)
    for _ in range(n):
        state = step(state, 0.5)
    return state[0] * state[1]


# In single-assignment form:
#
# function containers(x: float64, v: float64, n: int64=n) -> (result)
#   t': float64, t_2': float64 = loop _: int64 from (0, n, 1) carry (t_3': float64 = x, t_4': float64 = v):
#     t_5': float64 = mul(0.5, t_4)
#     t_6': float64 = add(t_3, t_5)
#     t_7': float64 = mul(0.5, t_3)
#     t_8': float64 = sub(t_4, t_7)
#     yield t_6, t_8
#   result: float64 = mul(t, t_2)
#   return result


def containers_tangent(
    x: float, v: float, n: int, x_dot: float, v_dot: float
) -> tuple[float, float]:
    """Value and tangent of `containers`: (result, result_dot).

    x: float, differentiated
    v: float, differentiated
    n: int
    x_dot: float, seed
    v_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    for _ in range(n):
        x, v, x_dot, v_dot = (
            x + 0.5 * v,
            v - 0.5 * x,
            x_dot + 0.5 * v_dot,
            v_dot - 0.5 * x_dot,
        )
    result_dot = v * x_dot + x * v_dot
    result = x * v
    return result, result_dot


def containers_adjoint(
    x: float, v: float, n: int, result_bar: float = 1.0
) -> tuple[float, float, float]:
    """Value and adjoint of `containers`: (result, x_bar, v_bar).

    x: float, differentiated
    v: float, differentiated
    n: int
    result_bar: float, seed
    result: float, returned
    x_bar: float, returned
    v_bar: float, returned
    """
    # Forward sweep.
    for _ in range(n):
        x, v = x + 0.5 * v, v - 0.5 * x
    result = x * v

    # Reverse sweep.
    x_bar = result_bar * v
    v_bar = result_bar * x
    for _ in range(n):
        x_bar, v_bar = x_bar - 0.5 * v_bar, v_bar + 0.5 * x_bar
    return result, x_bar, v_bar

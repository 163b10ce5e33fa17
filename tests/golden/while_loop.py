# A while loop counts its rounds; the reverse sweep runs as many, backwards.
# wrt: a   at: a=2.0
def while_loop(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


# In single-assignment form:
#
# function while_loop(a: float64) -> (x)
#   x: float64 = while carry (x_2: float64 = a) trips trips': int64:
#     test:
#       t': float64 = mul(x_2, x_2)
#       t_2': float64 = sub(t, a)
#       t_3': float64 = abs(t_2) [spelling="builtins.abs"]
#       t_4': bool = gt(t_3, 1e-12)
#       yield t_4
#     body:
#       t_5': float64 = div(a, x_2)
#       t_6': float64 = add(x_2, t_5)
#       x_3: float64 = mul(0.5, t_6)
#       yield x_3
#   return x


def while_loop_tangent(a: float, a_dot: float) -> tuple[float, float]:
    """Value and tangent of `while_loop`: (x, x_dot).

    a: float, differentiated
    a_dot: float, seed
    x: float, returned
    x_dot: float, returned
    """
    x = a
    x_dot = a_dot
    while abs(x * x - a) > 1e-12:
        ratio = a / x
        x_dot = 0.5 * (x_dot + (a_dot / x - ratio / x * x_dot))
        x = 0.5 * (x + ratio)
    return x, x_dot


def while_loop_adjoint(a: float, x_bar: float = 1.0) -> tuple[float, float]:
    """Value and adjoint of `while_loop`: (x, a_bar).

    a: float, differentiated
    x_bar: float, seed
    x: float, returned
    a_bar: float, returned
    """
    # Forward sweep.
    x_tape = []
    x = a
    trips = 0
    while abs(x * x - a) > 1e-12:
        trips += 1
        x_tape.append(x)
        x = 0.5 * (x + a / x)

    # Reverse sweep.
    a_bar = 0.0
    # while abs(x * x - a) > 1e-12:
    for _ in range(trips):
        # x = 0.5 * (x + a / x)
        total_bar = 0.5 * x_bar
        x_1 = x_tape.pop()
        ratio = total_bar / x_1
        a_bar += ratio
        x_bar = total_bar - ratio / x_1 * a
    a_bar += x_bar
    return x, a_bar

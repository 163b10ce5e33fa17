# A break: the reverse sweep starts from the round in which the loop was left.
# wrt: x   at: x=1.1, n=10
def break_out(x, n):
    total = 0.0
    for k in range(n):
        if x > 4.0:
            break
        x = x * x
        total += k * x
    return total


# In single-assignment form:
#
# function break_out(x: float64, n: int64=n) -> (total)
#   total: float64, x_2: float64 = loop k: int64 from (0, n, 1) carry (total_2: float64 = 0.0, x_3: float64 = x) trips trips': int64:
#     t': bool = gt(x_3, 4.0)
#     total_3: float64, t_2': bool, x_4: float64 = if t:
#       yield total_2, True, x_3
#     else:
#       x_5: float64 = mul(x_3, x_3)
#       t_3': float64 = mul(k, x_5)
#       total_4: float64 = add(total_2, t_3)
#       yield total_4, False, x_5
#     yield t_2, total_3, x_4
#   return total


def break_out_tangent(x: float, n: int, x_dot: float) -> tuple[float, float]:
    """Value and tangent of `break_out`: (total, total_dot).

    x: float, differentiated
    n: int
    x_dot: float, seed
    total: float, returned
    total_dot: float, returned
    """
    total = 0.0
    total_dot = 0.0
    for k in range(n):
        if x > 4.0:
            break
        x_dot *= 2.0 * x
        x *= x
        total_dot += k * x_dot
        total += k * x
    return total, total_dot


def break_out_adjoint(x: float, n: int, total_bar: float = 1.0) -> tuple[float, float]:
    """Value and adjoint of `break_out`: (total, x_bar).

    x: float, differentiated
    n: int
    total_bar: float, seed
    total: float, returned
    x_bar: float, returned
    """
    # Forward sweep.
    x_tape = []
    total = 0.0
    trips = 0
    for k in range(n):
        trips += 1
        x_tape.append(x)
        if x > 4.0:
            break
        x *= x
        total += k * x

    # Reverse sweep.
    x_bar = 0.0
    # for k in range(n):
    for k in range(trips - 1, -1, -1):
        x = x_tape.pop()
        # if x > 4.0:
        if not x > 4.0:
            # total += k * x
            x_bar += total_bar * k
            # x = x * x
            x_bar = 2.0 * x_bar * x
    return total, x_bar

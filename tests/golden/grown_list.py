# A list that grows by chance: what was appended last is taken from its adjoint first.
# wrt: y, k   at: y=1.5, k=0.75
import numpy as np


def grown_list(y, k):
    h = 0.25
    ys = [y]
    while h > 0.125:
        z = y - h * k * y * y
        if z > 0.5 * y:
            y = z
            ys.append(y)
        h *= 0.9
    return sum(ys) + ys[-1] ** 2


# In single-assignment form:
#
# function grown_list(y: float64, k: float64) -> (result)
#   t': list float64[1] = list_of(y)
#   ys: list float64[?], h: float64, y_2: float64 = while carry (ys_2: list float64[?] = t, h_2: float64 = 0.25, y_3: float64 = y) trips trips': int64:
#     test:
#       t_2': bool = gt(h_2, 0.125)
#       yield t_2
#     body:
#       t_3': float64 = mul(h_2, k)
#       t_4': float64 = mul(t_3, y_3)
#       t_5': float64 = mul(t_4, y_3)
#       z: float64 = sub(y_3, t_5)
#       t_6': float64 = mul(0.5, y_3)
#       t_7': bool = gt(z, t_6)
#       y_4: float64, ys_3: list float64[?] = if t_7:
#         ys_4: list float64[?] = push(ys_2, z)
#         yield z, ys_4
#       else:
#         yield y_3, ys_2
#       h_3: float64 = mul(h_2, 0.9)
#       yield ys_3, h_3, y_4
#   t_8': float64 = sum_items(ys)
#   t_9': float64 = load(ys) [index="-1"]
#   t_10': float64 = pow(t_9, 2)
#   result: float64 = add(t_8, t_10)
#   return result


def grown_list_tangent(
    y: float, k: float, y_dot: float, k_dot: float
) -> tuple[float, float]:
    """Value and tangent of `grown_list`: (result, result_dot).

    y: float, differentiated
    k: float, differentiated
    y_dot: float, seed
    k_dot: float, seed
    result: float, returned
    result_dot: float, returned
    """
    ys = [y]
    h = 0.25
    ys_dot = [y_dot]
    while h > 0.125:
        product = h * k
        product_1 = product * y
        z_dot = y_dot - (y * (y * h * k_dot + product * y_dot) + product_1 * y_dot)
        z = y - product_1 * y
        if z > 0.5 * y:
            ys_dot.append(z_dot)
            ys.append(z)
            y = z
            y_dot = z_dot
        h *= 0.9
    ys_last = ys[-1]
    result_dot = sum(ys_dot) + 2.0 * ys_last * ys_dot[-1]
    result = sum(ys) + ys_last**2
    return result, result_dot


def grown_list_adjoint(
    y: float, k: float, result_bar: float = 1.0
) -> tuple[float, float, float]:
    """Value and adjoint of `grown_list`: (result, y_bar, k_bar).

    y: float, differentiated
    k: float, differentiated
    result_bar: float, seed
    result: float, returned
    y_bar: float, returned
    k_bar: float, returned
    """
    # Forward sweep.
    h_tape = []
    y_tape = []
    test_tape = []
    ys = [y]
    h = 0.25
    trips = 0
    while h > 0.125:
        trips += 1
        h_tape.append(h)
        y_tape.append(y)
        z = y - h * k * y * y
        test = z > 0.5 * y
        test_tape.append(test)
        if test:
            ys.append(z)
            y = z
        h *= 0.9
    ys_last = ys[-1]
    result = sum(ys) + ys_last**2

    # Reverse sweep.
    # return sum(ys) + ys[-1] ** 2
    ys_bar = np.zeros(len(ys))
    ys_bar[-1] = 2.0 * result_bar * ys_last
    ys_bar = ys_bar + np.broadcast_to(result_bar, len(ys))
    y_bar = 0.0
    k_bar = 0.0
    # while h > 0.125:
    for _ in range(trips):
        test = test_tape.pop()
        # if z > 0.5 * y:
        if test:
            # ys.append(y)
            z_bar = y_bar + ys_bar[-1]
            ys_bar = ys_bar[:-1]
            y_bar = z_bar
        else:
            z_bar = 0.0
        y = y_tape.pop()
        # z = y - h * k * y * y
        product_bar = -z_bar * y
        h = h_tape.pop()
        product = h * k
        y_bar -= z_bar * product * y
        y_bar += product_bar * product
        k_bar += product_bar * y * h
    y_bar += ys_bar[0]
    return result, y_bar, k_bar

# A loop with a nonlinear recurrence: one number per step is recorded.
# wrt: x, h   at: x=0.5, h=0.125, n=5
def for_loop(x, h, n):
    for _ in range(n):
        x = x + h * x * (1.0 - x)
    return x


# In single-assignment form:
#
# function for_loop(x: float64, h: float64, n: int64=n) -> (x)
#   x_2: float64 = loop _: int64 from (0, n, 1) carry (x_3: float64 = x):
#     t': float64 = mul(h, x_3)
#     t_2': float64 = sub(1.0, x_3)
#     t_3': float64 = mul(t, t_2)
#     x_4: float64 = add(x_3, t_3)
#     yield x_4
#   return x_2


def for_loop_tangent(
    x: float, h: float, n: int, x_dot: float, h_dot: float
) -> tuple[float, float]:
    """Value and tangent of `for_loop`: (x, x_dot).

    x: float, differentiated; returned anew
    h: float, differentiated
    n: int
    x_dot: float, seed; returned anew
    h_dot: float, seed
    """
    for _ in range(n):
        product = h * x
        difference = 1.0 - x
        x_dot += difference * (x * h_dot + h * x_dot) - product * x_dot
        x += product * difference
    return x, x_dot


def for_loop_adjoint(
    x: float, h: float, n: int, x_bar: float = 1.0
) -> tuple[float, float, float]:
    """Value and adjoint of `for_loop`: (x, x_bar, h_bar).

    x: float, differentiated; returned anew
    h: float, differentiated
    n: int
    x_bar: float, seed; returned anew
    h_bar: float, returned
    """
    # Forward sweep.
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        x += h * x * (1.0 - x)

    # Reverse sweep.
    h_bar = 0.0
    for _ in range(n):
        x_1 = x_tape.pop()
        # x = x + h * x * (1.0 - x)
        product_bar = x_bar * (1.0 - x_1)
        x_bar -= x_bar * h * x_1
        h_bar += product_bar * x_1
        x_bar += product_bar * h
    return x, x_bar, h_bar

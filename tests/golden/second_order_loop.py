# Derivatives of an adjoint with a loop: what the first reverse sweep popped, the second pushes.
# wrt: x   at: x=0.5, n=4   of: adjoint
def second_order_loop(x, n):
    for _ in range(n):
        x = x * (1.0 - 0.25 * x * x)
    return x


# In single-assignment form:
#
# function second_order_loop(x: float64, n: int64=n) -> (x)
#   x_2: float64 = loop _: int64 from (0, n, 1) carry (x_3: float64 = x):
#     t': float64 = mul(0.25, x_3)
#     t_2': float64 = mul(t, x_3)
#     t_3': float64 = sub(1.0, t_2)
#     x_4: float64 = mul(x_3, t_3)
#     yield x_4
#   return x_2


def second_order_loop_adjoint(
    x: float, n: int, x_bar: float = 1.0
) -> tuple[float, float]:
    """Value and adjoint of `second_order_loop`: (x, x_bar).

    x: float, differentiated; returned anew
    n: int
    x_bar: float, seed; returned anew
    """
    # Forward sweep.
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        x *= 1.0 - 0.25 * x * x

    # Reverse sweep.
    for _ in range(n):
        x_1 = x_tape.pop()
        # x = x * (1.0 - 0.25 * x * x)
        product = 0.25 * x_1
        product_bar = -x_bar * x_1
        x_bar = (
            x_bar * (1.0 - product * x_1)
            + product_bar * product
            + 0.25 * product_bar * x_1
        )
    return x, x_bar


def second_order_loop_adjoint_tangent(
    x: float, n: int, x_bar: float = 1.0, *, x_dot: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Value and tangent of the adjoint of `second_order_loop`: ((x, x_bar), (x_dot, x_bar_dot)).

    x: float, differentiated; returned anew
    n: int
    x_bar: float, seed; returned anew
    x_dot: float, seed; returned anew
    x_bar_dot: float, returned
    """
    # Forward sweep.
    x_tape = []
    x_tape_dot = []
    for _ in range(n):
        x_tape.append(x)
        x_tape_dot.append(x_dot)
        product = 0.25 * x
        difference = 1.0 - product * x
        x_dot = difference * x_dot - x * (0.25 * x * x_dot + product * x_dot)
        x *= difference

    # Reverse sweep.
    x_bar_dot = 0.0
    for _ in range(n):
        x_1 = x_tape.pop()
        x_dot_1 = x_tape_dot.pop()
        # x = x * (1.0 - 0.25 * x * x)
        product = 0.25 * x_dot_1
        product_1 = 0.25 * x_1
        difference = 1.0 - product_1 * x_1
        difference_1 = -x_1 * x_bar_dot - x_bar * x_dot_1
        product_bar = -x_bar * x_1
        product_2 = 0.25 * product_bar
        x_bar_dot = (
            difference * x_bar_dot
            - x_bar * (x_1 * product + product_1 * x_dot_1)
            + (product_1 * difference_1 + product_bar * product)
            + (0.25 * x_1 * difference_1 + product_2 * x_dot_1)
        )
        x_bar = x_bar * difference + product_bar * product_1 + product_2 * x_1
    return (x, x_bar), (x_dot, x_bar_dot)


def second_order_loop_adjoint_adjoint(
    x: float, n: int, x_bar: float = 1.0, *, x_bar_: float, x_bar_bar: float
) -> tuple[tuple[float, float], float]:
    """Value and adjoint of the adjoint of `second_order_loop`: ((x, x_bar), x_bar_).

    x: float, differentiated; returned anew
    n: int
    x_bar: float, seed; returned anew
    x_bar_: float, seed; returned anew
    x_bar_bar: float, seed
    """
    # Forward sweep.
    x_tape = []
    x_tape_1 = []
    for _ in range(n):
        x_tape.append(x)
        x_tape_1.append(x)
        x *= 1.0 - 0.25 * x * x

    # Reverse sweep.
    x_bar_tape = []
    x_tape_2 = []
    for _ in range(n):
        x_bar_tape.append(x_bar)
        x_1 = x_tape_1.pop()
        x_tape_2.append(x_1)
        # x = x * (1.0 - 0.25 * x * x)
        product = 0.25 * x_1
        product_bar = -x_bar * x_1
        x_bar = (
            x_bar * (1.0 - product * x_1)
            + product_bar * product
            + 0.25 * product_bar * x_1
        )

    # Reverse sweep.
    x_tape_bar = []
    for _ in range(n):
        x_1 = x_tape_2.pop()
        x_bar_1 = x_bar_tape.pop()
        # x = x * (1.0 - 0.25 * x * x)
        minus_x_bar = -x_bar_1
        product_bar = minus_x_bar * x_1
        product = 0.25 * x_1
        total = 0.25 * x_bar_bar * x_1 + x_bar_bar * product
        product_bar_1 = x_bar_bar * product_bar
        x_bar_2 = 0.25 * x_bar_bar * product_bar + total * minus_x_bar
        product_bar = -x_bar_bar * x_bar_1
        x_bar_1 = (
            x_bar_2 + product_bar * product + 0.25 * (product_bar_1 + product_bar * x_1)
        )
        x_tape_bar.append(x_bar_1)
        x_bar_bar = x_bar_bar * (1.0 - product * x_1) - total * x_1
    x_bar_1 = x_bar_
    for _ in range(n):
        x_1 = x_tape.pop()
        # x = x * (1.0 - 0.25 * x * x)
        product = 0.25 * x_1
        product_bar = -x_bar_1 * x_1
        x_bar_1 = (
            x_bar_1 * (1.0 - product * x_1)
            + product_bar * product
            + 0.25 * product_bar * x_1
        )
        x_bar_2 = x_tape_bar.pop()
        x_bar_1 += x_bar_2
    return (x, x_bar), x_bar_1

# Generated code is input like any other: what was pushed on a tape is known where it is popped.
# wrt: x, x_bar   at: x=0.5, n=3, x_bar=1.5
def own_output(x, n, x_bar=1.0):
    # Forward sweep.
    x_tape = []
    for _ in range(n):
        x_tape.append(x)
        x *= 1.0 - 0.5 * x

    # Reverse sweep.
    for _ in range(n - 1, -1, -1):
        x_1 = x_tape.pop()
        x_bar *= 1.0 - x_1
    return x, x_bar


# In single-assignment form:
#
# function own_output(x: float64, n: int64=n, x_bar: float64) -> (x, x_bar)
#   parameters (x, n, x_bar = "1.0")
#   x_2: float64 = loop _: int64 from (0, n, 1) carry (x_3: float64 = x):
#     record x_tape <- x_3
#     t': float64 = mul(0.5, x_3)
#     t_2': float64 = sub(1.0, t)
#     x_4: float64 = mul(x_3, t_2)
#     yield x_4
#   t_3': int64=n-1 = sub(n, 1)
#   x_bar_2: float64 = loop __2: int64 from (t_3, -1, -1) carry (x_bar_3: float64 = x_bar):
#     t_4': float64 = replay x_tape
#     t_5': float64 = sub(1.0, t_4)
#     x_bar_4: float64 = mul(x_bar_3, t_5)
#     yield x_bar_4
#   return x_2, x_bar_2


def own_output_tangent(
    x: float, n: int, x_bar: float = 1.0, *, x_dot: float, x_bar_dot: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Value and tangent of `own_output`: ((x, x_bar), (x_dot, x_bar_dot)).

    x: float, differentiated; returned anew
    n: int
    x_bar: float, differentiated; returned anew
    x_dot: float, seed; returned anew
    x_bar_dot: float, seed; returned anew
    """
    x_tape = []
    x_tape_dot = []
    for _ in range(n):
        x_tape.append(x)
        x_tape_dot.append(x_dot)
        difference = 1.0 - 0.5 * x
        x_dot = difference * x_dot - 0.5 * x * x_dot
        x *= difference
    # Reverse sweep.
    for _ in range(n - 1, -1, -1):
        x_ = x_tape.pop()
        x_dot_ = x_tape_dot.pop()
        difference = 1.0 - x_
        x_bar_dot = difference * x_bar_dot - x_bar * x_dot_
        x_bar *= difference
    return (x, x_bar), (x_dot, x_bar_dot)


def own_output_adjoint(
    x: float, n: int, x_bar: float = 1.0, *, x_bar_: float, x_bar_bar: float
) -> tuple[tuple[float, float], float, float]:
    """Value and adjoint of `own_output`: ((x, x_bar), x_bar_, x_bar_bar).

    x: float, differentiated; returned anew
    n: int
    x_bar: float, differentiated; returned anew
    x_bar_: float, seed; returned anew
    x_bar_bar: float, seed; returned anew
    """
    # Forward sweep.
    x_tape = []
    x_tape_1 = []
    for _ in range(n):
        x_tape.append(x)
        x_tape_1.append(x)
        x *= 1.0 - 0.5 * x
    x_bar_tape = []
    difference_tape = []
    # Reverse sweep.
    for _ in range(n - 1, -1, -1):
        x_bar_tape.append(x_bar)
        x_ = x_tape_1.pop()
        difference = 1.0 - x_
        difference_tape.append(difference)
        x_bar *= difference

    # Reverse sweep.
    x_bar_tape_1 = []
    # for _ in range(n - 1, -1, -1):
    for _ in range(n):
        difference = difference_tape.pop()
        x_bar_1 = x_bar_tape.pop()
        # x_1 = x_tape.pop()
        x_bar_tape_1.append(-x_bar_bar * x_bar_1)
        x_bar_bar *= difference
    x_bar_1 = x_bar_
    for _ in range(n):
        x_1 = x_tape.pop()
        # x *= 1.0 - 0.5 * x
        x_bar_1 = x_bar_1 * (1.0 - 0.5 * x_1) - 0.5 * x_bar_1 * x_1
        # x_tape.append(x)
        x_bar_2 = x_bar_tape_1.pop()
        x_bar_1 += x_bar_2
    return (x, x_bar), x_bar_1, x_bar_bar

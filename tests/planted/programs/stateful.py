# Code with an effect gives another value each time that it is run.
# wrt: x   at: x=0.75, n=3
from itertools import count


def stateful(x, n):
    numbers = count(2)
    next(numbers)
    for _ in range(n):
        step = float(next(numbers))
        x = x * x / step
    return x

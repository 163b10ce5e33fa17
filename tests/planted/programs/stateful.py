# Code with an effect gives another value each time that it is run.
# wrt: x   at: x=0.75, n=3
from io import StringIO


def stateful(x, n):
    numbers = StringIO("1\n2\n3\n4\n")
    numbers.readline()
    for _ in range(n):
        step = float(numbers.readline())
        x = x * x / step
    return x

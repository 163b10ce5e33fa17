# Of two arrays that a loop has swapped, one is written and the other read at the same places.
# wrt: x, p   at: x=np.array([0.5, 1.5, 0.25]), p=np.array([0.5, 2.0, 0.75])
import numpy as np


def swapped_before(x, p):
    a, b = x * 1.0, p * 2.0
    for _ in range(3):
        a, b = b, a
    total = 0.0
    for i in range(3):
        b[i] += np.sin(x[i])
        total += a[i] * a[i] * x[i]
    return total + np.sum(b * b)

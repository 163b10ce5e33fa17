# The adjoint of v is gathered from zeros, and goes to two arrays.
# wrt: a, b   at: a=np.array([0.5, 1.5]), b=np.array([2.0, -1.0])
import numpy as np


def used_twice(a, b):
    v = a + b
    t = v[0] * v[1]
    return t + np.sum(a * a) + np.sum(b * b)

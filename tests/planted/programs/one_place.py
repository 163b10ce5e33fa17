# An index that is 0 at run time, and a literal 0.
# wrt: x   at: x=np.array([0.5, 1.5, 0.25]), i=0
import numpy as np


def one_place(x, i):
    y = np.zeros(3)
    y[i] = x[0] * x[1]
    x[0] = y[0] * x[2]
    return x[i] * y[0]

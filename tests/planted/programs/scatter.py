# An array is read and then written through one index array that repeats a position.
# wrt: y, w   at: y=np.array([0.5, 1.5]), w=np.array([0.5, 2.0, 0.75]), k=np.array([0, 1, 0])
import numpy as np


def scatter(y, w, k):
    y = y * y
    z = y[k] * w
    y[k] = w * w
    return np.sum(z * z) + np.sum(y * y)

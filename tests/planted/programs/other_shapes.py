# A name has an array of another shape in every iteration, and one before the loop.
# wrt: x   at: x=np.array([0.7, -1.2, 0.4, 1.9])
import numpy as np


def other_shapes(x):
    v = np.sin(x)
    for j in range(1, 3):
        v = x[j:] * x[0]
    return v

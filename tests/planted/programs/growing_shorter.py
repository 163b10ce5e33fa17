# What a loop carries is as long as before the loop in its first iteration alone.
# wrt: x   at: x=np.array([0.5, -0.3, 1.2, 0.7, -0.9, 0.4])
import numpy as np


def growing_shorter(x):
    part = np.cumsum(x)
    for _ in range(5):
        part = part[1:] * 0.5
    total = np.sum(x * part)
    return total + np.sum(part)

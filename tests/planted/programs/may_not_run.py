# What an inner loop reads, and a product that it takes each time, where its last range is empty.
# wrt: x   at: x=np.array([0.5, -0.3, 1.2])
import numpy as np


def may_not_run(x):
    a = np.outer(x, x)
    total = 0.0
    for i in range(len(x)):
        left = np.outer(x, x + i)
        for j in range(len(x) - 1 - i):
            total += np.sum(np.cos(left @ (a * x[j]))) * x[i + 1]
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            total += x[j] * x[i + 1]
    return total

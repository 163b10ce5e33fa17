# Loops over elements, of which some have independent iterations: rows, neighbours, both ways.
# wrt: a, x   at: a=np.linspace(0.5, 1.7, 100).reshape(10, 10), x=np.linspace(-0.8, 1.1, 10)
import numpy as np


def lanes(a, x):
    y = np.ones(len(x))
    for i in range(len(x)):
        for j in range(i):
            y[i] += x[i - j - 1] * a[i, j] * y[j]
        y[i] = np.sin(y[i])
    for i in range(1, len(x) - 1):
        y[i] = y[i] * x[i + 1] * x[i - 1]
    for i in range(1, len(x)):
        y[i] = y[i] + 0.5 * y[i - 1]
    return np.sum(y * y)

# Rows of a matrix times a matrix, from the second on, and products of parts that grow.
# wrt: w, x   at: w=np.array([[-0.5, 0.2], [0.8, 1.5]]), x=np.linspace(-1.0, 2.0, 6).reshape(3, 2)
import numpy as np


def weights(w, x):
    total = 0.0
    for j in range(1, x.shape[0]):
        y = x[j] @ w.T
        if j < 9:
            total += np.sum(np.cos(y))
    for i in range(w.shape[1]):
        total += np.sum(np.sin(w[:, i] @ w[:, i:]) * (i + 1.0))
    return total

# Lines of an array times a matrix: some of them, upwards and downwards, around the end, in place.
# wrt: x, w   at: x=np.sin(np.arange(12.0)).reshape(4, 3), w=np.cos(np.arange(9.0)).reshape(3, 3)
import numpy as np


def lines(x, w):
    n = x.shape[0]
    out = np.ones((n + 2, 3))
    for i in range(n):
        out[i + 1] = x[i] @ w
    total = np.sum(np.sin(out[:3]))
    for i in range(1, n - 1):
        total += np.sum(np.sin(w @ x[i + 1]) * i)
    for i in range(n - 2, 0, -1):
        total += np.sum(np.cos(x[i] @ w) * i)
    for j in range(1, w.shape[1]):
        total += np.sum(np.cos(w[:, j] @ w)) * j
    for i in range(n):
        total += np.sum(np.sin(x[i - 1] @ w)) * i
    for i in range(n):
        x[i] = 0.5 * x[i]
        total += np.sum(np.sin(x[i] @ w))
    for i in range(n):
        x[i] = x[i] @ w
    for i in range(1, n):
        x[i] += x[i - 1] @ w
    for i in range(n - 2, -1, -1):
        x[i] = np.sin(x[i + 1] @ w)
    return total + np.sum(x * x)

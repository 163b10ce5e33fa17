# Loops that read what was stored before them, and write beside it or over it.
# wrt: x   at: x=np.array([0.5, -0.3, 1.2, 0.8])
import numpy as np


def written_before(x):
    a = x.copy()
    for i in range(1, len(x)):
        for k in range(i):
            a[i] -= 0.3 * a[k] * x[k]
        a[i - 1] *= x[1]
        a[i] /= 2.0 + x[0] * x[0]
        for k in range(i + 1):
            a[i] += 0.1 * a[k] * x[k]
        a[i] *= 0.5
    return np.sum(a * a)

# Products of matrices in a loop, of which one factor stays or none does, at places of their own.
# wrt: x, y   at: x=np.sin(np.arange(9.0)).reshape(3, 3), y=np.ones((2, 3, 3)) * np.arange(3.0)
import numpy as np


def one_factor(x, y):
    a = x.copy()
    turned = x.T
    total = np.zeros((3, 3))
    for j in range(2):
        total += (x @ a) * (j + 1.0)
        total += np.sin(turned @ y[j])
        a = np.cos(a)
    return np.sum(total * total)

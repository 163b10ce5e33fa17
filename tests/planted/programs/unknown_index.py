# An array is written at places that NumPy tells when the program runs, one of them twice.
# wrt: x   at: x=np.array([0.5, 1.5, 0.75])
import numpy as np


def unknown_index(x):
    _, columns = np.tril_indices(2)
    y = np.zeros(3)
    y[columns] = x * x
    return np.sum(y * y * y)

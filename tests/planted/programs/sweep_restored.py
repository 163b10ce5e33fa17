# Two sweeps a step through the same array, which overlap what they overwrite, and a place twice.
# wrt: x, p   at: x=np.array([0.7, -1.2, 0.4, 1.9, 0.8]), p=np.array([0.6, 0.4, 0.5, 0.7, 0.6])
import numpy as np


def sweep_restored(x, p):
    places = np.array([0, 2, 0])
    for _ in range(2):
        for j in range(1, 4):
            t = p[j - 1 : j + 1] * x[j]
            p[j : j + 2] = t * t / (1.0 + p[j])
        for j in range(3, 0, -1):
            x[j] = p[j] * x[j + 1] * x[j]
        t = np.exp(0.1 * p[places] * x[:3])
        p[places] = t
        x[:3] = x[:3] * t
    return np.sum(x * x)

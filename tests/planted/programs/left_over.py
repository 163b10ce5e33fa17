# A length of -1 is what is left of a shape, and no length to make an array with.
# wrt: x   at: x=np.array([0.5, -0.3, 1.2, 0.7, -0.9, 0.4, 1.1, -0.2])
import numpy as np


def left_over(x):
    y = x * 1.0
    columns = int(np.floor(x[0] - 1.0))
    total = 0.0
    for k in range(2):
        pairs = np.reshape(y, (2, columns))
        y = pairs[0] - 0.5 * pairs[1]
        if columns > 0:
            y = y + np.zeros(columns)
        total += (k + 1.0) * np.sum(np.cumsum(y)[1:])
    return total

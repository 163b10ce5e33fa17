# Contractions of tensors in a loop: their adjoints are products of matrices.
# wrt: x, w   at: x=np.linspace(-0.9, 1.1, 24).reshape(2, 3, 2, 2), w=np.ones((3, 2, 3)) * 0.7
import numpy as np


def contracted(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.sin(np.tensordot(x[i], w, axes=((0, 1), (0, 1)))))
        total += np.sum(np.cos(np.tensordot(w, x[i], axes=((1,), (1,)))))
    return total

"""The transpose of broadcasting, for shapes that are known only when the program runs.

Broadcasting repeats `like` along leading axes and axes of length 1; its transpose sums over them.
Nothing here imports the package: the source is copied into the generated modules that call it.
"""

from typing import Any

import numpy as np


def unbroadcast(v: Any, like: Any) -> Any:
    """`v` summed down to the shape of `like`, which may have leading axes of length 1 more."""
    shape = np.shape(like)
    if np.shape(v) == shape:
        # A number is one of its own, which no later statement adds to in place.
        return v if shape or not isinstance(v, np.ndarray) else v[()]
    if np.ndim(v) < len(shape):
        v = np.reshape(v, (1,) * (len(shape) - np.ndim(v)) + np.shape(v))
    v = np.sum(v, axis=tuple(range(np.ndim(v) - len(shape))))
    repeated = tuple(k for k, n in enumerate(shape) if n == 1 and v.shape[k] != 1)
    return np.sum(v, axis=repeated, keepdims=True) if repeated else v

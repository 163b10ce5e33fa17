"""What adjointgen differentiates without a rule: syntax, and functions that it reads or rewrites.

A small function for each name, of an array with three entries; `test_coverage.py` checks them all.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Witness = Callable[[Any], Any]


def augmented(x):
    z = np.zeros(3)
    z[1] += x[0] * x[1]
    return np.sum(z * x)


def by_slice(x):
    z = 2.0 * x
    z[1:] = x[0] * x[1]
    return np.sum(z * z)


def by_mask(x):
    z = 2.0 * x
    z[x > 0.5] = x[0] * x[1]
    return np.sum(z * z)


def by_indices(x):
    z = 2.0 * x
    z[np.array([2, 0])] = x[0] * x[:2]
    return np.sum(z * z)


def printed(x):
    print(end="")
    return np.sum(x * x)


def quiet(x):
    with np.errstate(all="ignore"):
        return np.sum(np.log(x))


def drawn(x: Any) -> Any:
    """The draw is constant: the same at every call."""
    np.random.seed(3)
    return np.sum(x * x * np.random.random(3)) * np.random.random()


WITNESSES: dict[str, Witness] = {
    "augassign.subscript": augmented,
    "builtins.filter": lambda x: sum(filter(lambda v: v > 0.5, x * x)),
    "builtins.map": lambda x: sum(map(np.sin, x * x)),
    "builtins.print": printed,
    "functools.reduce": lambda x: functools.reduce(lambda a, b: a * b, x),
    "getitem.basic": lambda x: x[0] * np.sum(x[1:]),
    "getitem.fancy": lambda x: np.sum(x[np.array([2, 0, 0])] ** 2),
    "getitem.mask": lambda x: np.sum(x[x > 0.5] ** 2),
    "ndarray.dtype": lambda x: np.sum(x.astype(x.dtype) ** 2),
    "ndarray.flat": lambda x: sum(v * v for v in x.flat),
    "ndarray.mT": lambda x: np.sum(x[None, :].mT[0] * np.sum(x * x)),
    "ndarray.ndim": lambda x: np.sum(x * x) * x.ndim,
    "ndarray.shape": lambda x: np.sum(x * x) / x.shape[0],
    "ndarray.size": lambda x: np.sum(x * x) / x.size,
    "numpy.c_": lambda x: np.sum(np.c_[x, x * x] ** 2),
    "numpy.errstate": quiet,
    "numpy.inf": lambda x: np.sum(np.where(x < np.inf, x * x, 0.0)),
    "numpy.nan": lambda x: np.sum(np.where(x == np.nan, 0.0, x * x)),
    "numpy.newaxis": lambda x: np.sum(x[:, np.newaxis] * x * x),
    "numpy.pi": lambda x: np.sum(np.pi * x * x),
    "numpy.r_": lambda x: np.sum(np.r_[x, x * x] ** 2),
    "numpy.s_": lambda x: np.sum(x[np.s_[1:]] ** 2),
    "numpy.random.random": drawn,
    "numpy.real_if_close": lambda x: np.sum(np.real_if_close(x) ** 2),
    "setitem.basic": by_slice,
    "setitem.fancy": by_indices,
    "setitem.mask": by_mask,
}

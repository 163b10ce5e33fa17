"""Functions of `numpy.polynomial` that are defined by others: series at numbers.

Clenshaw's recurrences, in the order of NumPy's own. (Clenshaw 1955.)
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


def polyval(x, c, tensor=True):
    return np.polyval(np.asarray(c)[::-1], x)


def chebval(x, c, tensor=True):
    c = np.asarray(c)
    n = len(c)
    if n == 1:
        return c[0] + 0.0 * x
    if n == 2:
        return c[0] + c[1] * x
    x2 = 2 * x
    c0 = c[-2] + 0.0 * x
    c1 = c[-1] + 0.0 * x
    for i in range(3, n + 1):
        tmp = c0
        c0 = c[n - i] - c1
        c1 = tmp + c1 * x2
    return c0 + c1 * x


def legval(x, c, tensor=True):
    c = np.asarray(c)
    n = len(c)
    if n == 1:
        return c[0] + 0.0 * x
    c0 = c[-2] + 0.0 * x
    c1 = c[-1] + 0.0 * x
    nd = n
    for i in range(3, n + 1):
        tmp = c0
        nd = nd - 1
        c0 = c[n - i] - c1 * ((nd - 1) / nd)
        c1 = tmp + c1 * x * ((2 * nd - 1) / nd)
    return c0 + c1 * x

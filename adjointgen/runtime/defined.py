"""Functions of NumPy by simpler ones: what has no rule is lowered as if the user had written this.

Only what is differentiated is; the rest is called as it stands. The names are NumPy's, and so are
the parameters, less those that concern storage alone.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


def piecewise(x, condlist, funclist):
    """Each function where its condition holds; one more function is for the rest."""
    result = np.zeros_like(x)
    rest = np.ones_like(x, dtype=bool)
    for condition in condlist:
        rest = rest & ~condition
    for condition, function in zip([*condlist, rest], funclist, strict=False):
        result[condition] = function(x[condition]) if callable(function) else function
    return result


def polyder(p, m=1):
    """The coefficients of the derivative."""
    for _ in range(m):
        p = np.asarray(p)
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def resize(a, new_shape):
    """The entries over and over, as many as the shape has."""
    flat = np.ravel(a)
    count = np.prod(new_shape)
    return np.reshape(flat[np.arange(int(count)) % len(flat)], new_shape)


def geomspace(start, stop, num=50):
    """Numbers with equal quotients."""
    return start * (stop / start) ** np.linspace(0.0, 1.0, num)


def ediff1d(ary):
    """Differences of neighbours."""
    flat = np.ravel(ary)
    return flat[1:] - flat[:-1]


def row_stack(tup):
    """Stacked row on row."""
    return np.vstack(tup)


def diagflat(v):
    """A matrix with these on its diagonal."""
    return np.diag(np.ravel(v))


def divmod(x1, x2):
    """Quotient and remainder."""
    return np.floor_divide(x1, x2), np.mod(x1, x2)


def modf(x):
    """What is after the point, and what is before it."""
    return x - np.trunc(x), np.trunc(x)


def ldexp(x1, x2):
    """A number times a power of two."""
    return x1 * 2.0**x2


def remainder(x, y):
    """What is left of the nearest multiple."""
    return x - y * round(x / y)


def unwrap(p):
    """Angles without jumps of a turn."""
    steps = p[1:] - p[:-1]
    wrapped = np.mod(steps + np.pi, 2.0 * np.pi) - np.pi
    wrapped = np.where((wrapped == -np.pi) & (steps > 0.0), np.pi, wrapped)
    jumps = np.where(np.abs(steps) < np.pi, 0.0, wrapped - steps)
    return np.concatenate((p[:1], p[1:] + np.cumsum(jumps)))


def dist(p, q):
    """The distance of two points."""
    total = 0.0
    for one, other in zip(p, q, strict=True):
        total = total + (one - other) ** 2
    return total**0.5


def bisplev(x, y, tck, *, dx=0, dy=0):
    """A spline of two numbers, as the sum of products of B-splines."""
    tx, ty, c, kx, ky = tck
    in_x, first_x = b_splines(x, tx, kx)
    in_y, first_y = b_splines(y, ty, ky)
    count = len(ty) - ky - 1
    total = 0.0
    for a in range(kx + 1):
        for b in range(ky + 1):
            total += in_x[a] * in_y[b] * c[(first_x + a) * count + first_y + b]
    return total


def b_splines(x, t, k):
    """The B-splines of degree `k` that are not zero at `x`, and the number of the first.

    Cox 1972, de Boor 1972. Beyond the knots the value at the end is taken.
    """
    last = len(t) - k - 2
    x = min(max(x, t[k]), t[last + 1])
    place = k
    while place < last and x >= t[place + 1]:
        place += 1
    found = np.zeros(k + 1)
    found[0] = 1.0
    for degree in range(1, k + 1):
        left_over = 0.0
        for r in range(degree):
            low, high = t[place + 1 - degree + r], t[place + r + 1]
            part = found[r] / (high - low)
            found[r] = left_over + (high - x) * part
            left_over = (x - low) * part
        found[degree] = left_over
    return found, place - k


def jacobian(jvp, f, x):
    """One column for each entry of the argument."""
    if np.ndim(x) == 0:
        return jvp(f, (x,), (1.0,))[1]
    shape = np.shape(f(x))
    columns = np.zeros((np.size(x), *shape))
    for k in range(np.size(x)):
        direction = np.zeros(np.size(x))
        direction[k] = 1.0
        columns[k] = jvp(f, (x,), (direction.reshape(np.shape(x)),))[1]
    return np.moveaxis(columns, 0, -1).reshape((*shape, *np.shape(x)))

"""Functions of NumPy by simpler ones: what has no rule is lowered as if the user had written this.

Only what is differentiated is; the rest is called as it stands. The names are NumPy's, and so are
the parameters, less those that concern storage alone.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


def select(condlist, choicelist, default=0.0):
    """The first choice whose condition holds."""
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = np.where(condition, choice, result)
    return result


def piecewise(x, condlist, funclist):
    """Each function where its condition holds; one more function is for the rest."""
    result = np.zeros_like(x)
    rest = np.ones_like(x, dtype=bool)
    for condition in condlist:
        rest = rest & ~condition
    for condition, function in zip([*condlist, rest], funclist, strict=False):
        result[condition] = function(x[condition]) if callable(function) else function
    return result


def polyval(p, x):
    """Horner's scheme, from the highest power on."""
    result = p[0] + 0.0 * x
    for k in range(1, len(p)):
        result = result * x + p[k]
    return result


def polyder(p, m=1):
    """The coefficients of the derivative."""
    for _ in range(m):
        p = np.asarray(p)
        p = p[:-1] * np.arange(len(p) - 1, 0, -1)
    return p


def polymul(a1, a2):
    """The coefficients of the product."""
    return np.convolve(a1, a2)


def vander(x, N=None, increasing=False):
    """Powers of each number, a row for each."""
    x = np.asarray(x)
    count = len(x) if N is None else N
    result = np.ones((len(x), count))
    for k in range(1, count):
        result[:, k] = result[:, k - 1] * x
    return result if increasing else result[:, ::-1]


def resize(a, new_shape):
    """The entries over and over, as many as the shape has."""
    flat = np.ravel(a)
    count = np.prod(new_shape)
    return np.reshape(flat[np.arange(int(count)) % len(flat)], new_shape)


def geomspace(start, stop, num=50):
    """Numbers with equal quotients."""
    return start * (stop / start) ** np.linspace(0.0, 1.0, num)


def logspace(start, stop, num=50, endpoint=True, base=10.0):
    """Powers with equally spaced exponents."""
    return base ** np.linspace(start, stop, num, endpoint)


def correlate(a, v, mode="valid"):
    """The convolution with one of them reversed."""
    return np.convolve(a, v[::-1], mode)


def ediff1d(ary):
    """Differences of neighbours."""
    flat = np.ravel(ary)
    return flat[1:] - flat[:-1]


def dstack(tup):
    """Stacked along a third axis."""
    if np.ndim(tup[0]) == 1:
        return np.stack(tup, axis=1)[None]
    return np.concatenate(tup, axis=2) if np.ndim(tup[0]) == 3 else np.stack(tup, axis=2)


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


def multi_dot(arrays):
    """The product of several."""
    result = arrays[0]
    for one in arrays[1:]:
        result = result @ one
    return result


def matrix_power(a, n):
    """A product of `n` equal factors."""
    base = np.linalg.inv(a) if n < 0 else a
    result = np.eye(len(a))
    for _ in range(abs(n)):
        result = result @ base
    return result


def convolve(a, v, mode="full"):
    """The sum of shifted multiples of the longer one."""
    if len(v) > len(a):
        a, v = v, a
    n, m = len(a), len(v)
    result = np.zeros(n + m - 1)
    for k in range(m):
        result[k : k + n] += v[k] * a
    if mode == "same":
        return result[(m - 1) // 2 : (m - 1) // 2 + n]
    return result[m - 1 : n] if mode == "valid" else result


def gradient(f, spacing=1.0):
    """Differences of both neighbours, of one at the ends."""
    if np.ndim(spacing) == 0:
        inner = (f[2:] - f[:-2]) / (2.0 * spacing)
        return np.concatenate(((f[1:2] - f[:1]) / spacing, inner, (f[-1:] - f[-2:-1]) / spacing))
    h, slopes = spacing[1:] - spacing[:-1], (f[1:] - f[:-1]) / (spacing[1:] - spacing[:-1])
    inner = (h[1:] * slopes[:-1] + h[:-1] * slopes[1:]) / (h[1:] + h[:-1])
    return np.concatenate((slopes[:1], inner, slopes[-1:]))


def quantile(a, q):
    """Between the entries of the sorted array."""
    ordered = np.sort(np.ravel(a))
    place = np.asarray(q * (len(ordered) - 1.0))
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def percentile(a, q):
    """The quantile of a hundredth."""
    return quantile(a, np.asarray(q) / 100.0)


def kron(a, b):
    """Every product, in blocks."""
    if np.ndim(a) == 1:
        return np.ravel(a[:, None] * b[None, :])
    blocks = a[:, None, :, None] * b[None, :, None, :]
    return np.reshape(blocks, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))


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

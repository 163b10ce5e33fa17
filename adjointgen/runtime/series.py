"""Taylor coefficients of products, quotients and elementary functions.

The coefficients of degree 1, 2, ... K of a value stand along the first axis of an array, that of
degree 0 is the value itself. Each function follows from a differential equation, whose coefficient
of degree n has those of lower degree on its right-hand side: K * K products in all. Nothing here
imports the package: the source is copied into the generated modules that call it. (Griewank and
Walther 2008, chapter 13.)
"""

from typing import Any

import numpy as np


def same_degrees(n: int, m: int) -> int:
    """`n`, which `m` has to be too. Raises ValueError."""
    if n != m:
        raise ValueError("all arguments have Taylor coefficients up to the same degree")
    return n


def degrees(like: Any) -> Any:
    """1, 2, ... K along the first axis of `like`, in its dtype."""
    return np.arange(1, len(like) + 1).reshape(-1, *(1,) * (like.ndim - 1)).astype(like.dtype)


def convolved(a: Any, b: Any, k: int) -> Any:
    """`a[0] * b[k-1] + ... + a[k-1] * b[0]`."""
    return np.sum(a[:k] * b[:k][::-1], axis=0)


def series_slope(x: Any) -> Any:
    """The coefficients of degree 1 to K of the derivative, of which the last is left at 0."""
    slope = np.zeros_like(x)
    slope[:-1] = degrees(x)[1:] * x[1:]
    return slope


def series_integral(first: Any, rest: Any) -> Any:
    """The coefficients of what has the derivative with the coefficients `first`, then `rest`."""
    slope = np.empty_like(rest)
    slope[0], slope[1:] = first, rest[:-1]
    return slope / degrees(rest)


def series_product(a: Any, a_s: Any, b: Any, b_s: Any) -> Any:
    """`a * b`."""
    y_s = a * b_s + b * a_s
    for k in range(1, len(y_s)):
        y_s[k] += convolved(a_s, b_s, k)
    return y_s


def series_quotient(y: Any, a_s: Any, b: Any, b_s: Any) -> Any:
    """`y = a / b`: `y_n = (a_n - sum(b_i * y_(n-i))) / b`."""
    y_s = a_s - y * b_s
    for k in range(len(y_s)):
        y_s[k] = (y_s[k] - convolved(b_s, y_s, k)) / b
    return y_s


def series_exponential(y: Any, x_s: Any) -> Any:
    """`y = exp(x)`: `y' = y * x'`."""
    n = degrees(x_s)
    slope = n * x_s
    y_s = y * slope
    for k in range(len(y_s)):
        y_s[k] = (y_s[k] + convolved(slope, y_s, k)) / n[k]
    return y_s


def series_oscillation(y: Any, z: Any, x_s: Any, sign: float) -> Any:
    """`y' = z * x'` and `z' = sign * y * x'`: sine, cosine, and the hyperbolic ones."""
    n = degrees(x_s)
    slope = n * x_s
    y_s, z_s = z * slope, sign * y * slope
    for k in range(len(y_s)):
        y_more, z_more = convolved(slope, z_s, k), sign * convolved(slope, y_s, k)
        y_s[k], z_s[k] = (y_s[k] + y_more) / n[k], (z_s[k] + z_more) / n[k]
    return y_s


def series_logarithm(x: Any, x_s: Any) -> Any:
    """`y = log(x)`: `x * y' = x'`."""
    n = degrees(x_s)
    y_s = x_s.copy()
    for k in range(len(y_s)):
        y_s[k] = (x_s[k] - convolved(n[:k] * y_s[:k], x_s, k) / n[k]) / x
    return y_s


def series_root(y: Any, x_s: Any) -> Any:
    """`y = sqrt(x)`: `y * y = x`."""
    y_s = x_s.copy()
    for k in range(len(y_s)):
        y_s[k] = (x_s[k] - convolved(y_s, y_s, k)) / (2 * y)
    return y_s


def series_riccati(y: Any, x_s: Any, sign: float) -> Any:
    """`y' = (1 + sign * y * y) * x'`: tangents."""
    n = degrees(x_s)
    slope = n * x_s
    w = 1 + sign * y * y
    y_s, w_s = w * slope, w * slope
    for k in range(len(y_s)):
        y_s[k] = (y_s[k] + convolved(slope, w_s, k)) / n[k]
        w_s[k] = sign * (2 * y * y_s[k] + convolved(y_s, y_s, k))
    return y_s


def series_composition(slopes: Any, x_s: Any) -> Any:
    """`f(x)` by the derivatives of `f` of order 1 to K at `x`: Horner's rule, K products."""
    scaled = slopes / np.cumprod(degrees(slopes), axis=0)
    y, y_s = scaled[-1], np.zeros_like(x_s)
    for slope in [*scaled[-2::-1], np.zeros_like(y)]:
        # The degree 0 of `x_s` as a factor is 0.
        y, y_s = slope, series_product(y, y_s, np.zeros_like(y), x_s)
    return y_s


def series_recurrence(z: Any, a: Any, a_s: Any, u_s: Any, axis: int) -> Any:
    """`z[k] = a[k] * z[k - 1] + u[k]` along an axis, from `z[-1] = 0`."""
    axis %= z.ndim
    z, a = np.moveaxis(z, axis, 0), np.moveaxis(a, axis, 0)
    a_s, u_s = np.moveaxis(a_s, axis + 1, 0), np.moveaxis(u_s, axis + 1, 0)
    z_s = u_s * np.ones_like(a_s)
    for k in range(1, len(z)):
        z_s[k] += series_product(a[k], a_s[k], z[k - 1], z_s[k - 1])
    return np.moveaxis(z_s, 0, axis + 1)


def series_products(z: Any, a: Any, a_s: Any, axis: int) -> Any:
    """`z = np.cumprod(a)` along an axis."""
    axis %= z.ndim
    first = np.zeros_like(a_s)
    np.moveaxis(first, axis + 1, 0)[:1] = np.moveaxis(a_s, axis + 1, 0)[:1]
    return series_recurrence(z, a, a_s, first, axis)


def series_power(y: Any, x: Any, x_s: Any, p: Any) -> Any:
    """`y = x ** p` of a constant `p`: products for integers, else `x * y' = p * y * x'`."""
    n = degrees(x_s)
    x, p = x * np.ones_like(x_s[0]), p * np.ones_like(n[0].real)
    x_s = x_s + np.zeros_like(x * p)
    whole = p == np.round(p)
    y_s = np.zeros_like(x_s)
    for each in np.unique(p[whole]):
        y_s = np.where(whole & (p == each), _whole_power(x, x_s, int(each)), y_s)
    if np.all(whole):
        return y_s
    base = np.where(whole, 1, x)
    other = np.zeros_like(x_s)
    for k in range(len(x_s)):
        up, down = n[: k + 1], n[k] - n[: k + 1]
        later = np.concatenate([(y * np.ones_like(x))[None], other[:k]])
        terms = (p * up - down) * x_s[: k + 1] * later[::-1]
        other[k] = np.sum(terms, axis=0) / (n[k] * base)
    return np.where(whole, y_s, other)


def _whole_power(x: Any, x_s: Any, p: int) -> Any:
    """`x ** p` of an integer, by products; where that is negative, a quotient."""
    if p < 0:
        below, below_s = x**-p, _whole_power(x, x_s, -p)
        return series_quotient(1 / below, np.zeros_like(x_s), below, below_s)
    y, y_s = np.ones_like(x), np.zeros_like(x_s)
    while p:
        if p % 2:
            y, y_s = y * x, series_product(y, y_s, x, x_s)
        p //= 2
        if p:
            x, x_s = x * x, series_product(x, x_s, x, x_s)
    return y_s

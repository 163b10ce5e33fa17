"""Quotients by the gaps between values that may coincide, and rotations that need no gap.

Where eigenvalues or singular values coincide, the vectors that belong to them are known up to a
rotation, and have no derivative; computed, such values differ by rounding, and what is divided by
their difference is noise. Nothing here imports the package: the source is copied into the generated
modules that call it. (Golub and Van Loan 2013, section 8.1.2, for what gaps do to vectors; Horn and
Johnson 1991, section 6.6, for divided differences.)
"""

from typing import Any

import numpy as np


def gaps(values: Any) -> Any:
    """`1 / (v[j] - v[i])`, 0 on the diagonal, and NaN where values coincide, up to rounding."""
    n, size = values.shape[-1], np.max(np.abs(values), axis=-1, initial=0.0)
    found = values[..., None, :] - values[..., :, None]
    least = 16.0 * n * np.finfo(found.dtype).eps * size[..., None, None]
    equal = np.abs(found) <= least
    found = np.where(equal, np.nan, 1.0 / np.where(equal, 1.0, found))
    found[..., np.arange(n), np.arange(n)] = 0.0
    return found


def quotients(a: Any, below: Any, size: Any, values: Any, cancels: Any) -> Any:
    """`a / below`, 0 on the diagonal; `a` is a difference of numbers as large as `size`.

    Where `a` is no more than the rounding of these it is 0 if it `cancels`: if it has to, wherever
    the quotient exists at all. Else nothing is known of a quotient by a small number, which is NaN,
    as it is where `below`, of sums or differences of `values`, is no more than its own rounding.
    """
    n, precision = a.shape[-1], np.finfo(below.dtype).eps
    widest = np.max(np.abs(values), axis=-1, initial=0.0)[..., None, None]
    equal = np.abs(below) <= 16.0 * n * precision * widest
    noise = np.abs(a) <= 64.0 * n * precision * np.max(size, initial=0.0)
    near = noise & (np.abs(below) <= np.sqrt(precision) * widest)
    found = np.where(equal | near, np.nan, a / np.where(equal, 1.0, below))
    found = np.where(noise & cancels, 0.0, found)
    found[..., np.arange(n), np.arange(n)] = 0.0
    return found


def turned(h: Any, c: Any) -> Any:
    """The antisymmetric X with `X H + H X = C`, for a symmetric H and an antisymmetric C."""
    values, vectors = np.linalg.eigh(0.5 * (h + np.swapaxes(h, -1, -2)))
    back = np.swapaxes(vectors, -1, -2)
    inner = 0.5 * (back @ (c - np.swapaxes(c, -1, -2)) @ vectors)
    n = values.shape[-1]
    sums = values[..., :, None] + values[..., None, :]
    sums[..., np.arange(n), np.arange(n)] = 1.0
    inner[..., np.arange(n), np.arange(n)] = 0.0
    return vectors @ (inner / sums) @ back


def divided(g: Any, slope: Any, values: Any) -> Any:
    """`(g[j] - g[i]) / (v[j] - v[i])`; the mean of both slopes where values are as good as equal.

    That is right up to the square of the gap, relative to the values.
    """
    gaps = values[..., None, :] - values[..., :, None]
    sizes = np.maximum(np.abs(values[..., None, :]), np.abs(values[..., :, None]))
    equal = np.abs(gaps) <= 1e-5 * sizes
    quotient = (g[..., None, :] - g[..., :, None]) / np.where(equal, 1.0, gaps)
    return np.where(equal, 0.5 * (slope[..., None, :] + slope[..., :, None]), quotient)

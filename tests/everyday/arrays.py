"""Functions of NumPy and SciPy that are defined by others, and what `itertools` runs over."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any

import numpy as np
import scipy.integrate
from scipy.integrate import cumulative_trapezoid
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist, squareform

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, -1.3, 2.1, 0.4])
A = np.array([[2.0, 0.3, -0.5], [0.4, 1.5, 0.2], [0.1, -0.6, 3.0]])
B = np.array([0.5, -1.0, 2.0])
PLACES = np.array([0, 2, 1, 2])


@at(V)
def filtered(x: Any) -> Any:
    return sum(list(filter(lambda z: z > 0, [x[0], x[1], x[2]]))) ** 2


@at(V)
def taken_in_turn(x: Any) -> Any:
    it = iter([x[0], x[1], x[2]])
    a = next(it)
    return a * next(it) ** 2 + sum(v**3 for v in it)


@at(V)
def first_that_holds(x: Any) -> Any:
    return next((v * v for v in x if v < 0.0), 0.0) * x[0]


@at(V)
def chained(x: Any) -> Any:
    total = list(itertools.chain([x[0]], [x[1] * x[0]]))[1]
    for v in itertools.chain(x[:2], x[1:]):
        total += v * v
    return total


@at(V)
def all_pairs(x: Any) -> Any:
    total = 0.0
    for a, b in itertools.combinations([x[0], x[1], x[2]], 2):
        total += a * b * b
    for i, j in itertools.product(range(3), repeat=2):
        total += x[i] * x[j] ** 2
    return total


@at(V)
def product_of_many(x: Any) -> Any:
    total = 0.0
    for a, i in itertools.product(x, range(len(x))):
        total += a * x[i] ** (i + 1)
    return total


@at(A)
def by_index(x: Any) -> Any:
    total = 0.0
    for i, j in np.ndindex(x.shape):
        total += (i + 1) * x[i, j] ** 2
    for (i, j), v in np.ndenumerate(x):
        total += v**3 * (i - j)
    return total


@at(A)
def other_views(x: Any) -> Any:
    return np.sum(x.mT[0] * x[1]) + np.sum(x.view() ** 2) * x.strides[1]


@at(A)
def along_an_axis(x: Any) -> Any:
    first = np.apply_along_axis(lambda r: np.sum(r * r), 0, x)
    return np.sum(first**2) + np.sum(np.apply_along_axis(lambda r: r / np.sum(r), 1, x) ** 2 * B)


@at(V)
def of_a_type(x: Any) -> Any:
    y = np.require(np.real_if_close(np.astype(x, np.float64)), requirements=["C"])
    z = np.complex128(y[0]) * np.exp(1j * y[1])
    return np.real(z) * np.sum(y**2) / np.iinfo(np.int8).max


@at(A)
def diagonals(x: Any) -> Any:
    y, z = x * x, x.copy()
    np.fill_diagonal(y, x[0, 1])
    np.fill_diagonal(z, x[0])
    return np.sum(y**2) + np.sum(z**3)


@at(V)
def of_indices(x: Any) -> Any:
    grid = np.fromfunction(lambda i, j: x[0] * i + x[1] * j**2, (2, 3))
    return np.sum(grid**2) + np.sum(np.mgrid[0:3] * x[2] ** 2) / math.factorial(4)


@at(V, np.array([0.1, 0.5, 0.6, 0.9]))
def counted(x: Any, w: Any) -> Any:
    counts, edges = np.histogram(x, bins=3)
    weights = np.histogram(x, bins=3, weights=w)[0]
    return np.sum(counts * edges[1:] ** 2) + np.sum(weights**3) * x[0]


@at(V)
def written_in_turn(x: Any) -> Any:
    y, z, w = x * x, x * 2.0, x**3
    np.place(y, x > 0, x[:3])
    np.put(z, [0, 2], x[1:3])
    np.putmask(w, x > 0, x * 3)
    return np.sum(y**2) + np.sum(z**3) + np.sum(w * w)


@at(V)
def side_by_side(x: Any) -> Any:
    return np.sum(np.r_[x, 0.0, x[0] ** 2, 1:3, 0:1:3j] ** 2) + np.sum(np.c_[x, x**2][1])


@at(V)
def windows(x: Any) -> Any:
    narrow = np.hanning(4) + np.hamming(4) + np.blackman(4) + np.bartlett(4)
    neighbours = np.lib.stride_tricks.sliding_window_view(x, 2)
    return np.sum(narrow * x * x) + np.sum(np.prod(neighbours, axis=1)) + np.nextafter(x[0], 9.0)


@at(V)
def methods_of_ufuncs(x: Any) -> Any:
    y, z, w = np.zeros(4), np.ones(4), np.zeros(4)
    np.subtract.at(y, PLACES, x)
    np.multiply.at(z, PLACES, x)
    np.maximum.at(w, PLACES, x)
    total = np.sum(y**3) + np.sum(z**3) + np.sum(w**3) + np.sum(np.maximum.accumulate(x) ** 2)
    total += np.sum(np.multiply.outer(x, x**2)[0] ** 2) + np.sum(np.subtract.outer(x, x**2) ** 3)
    return total + np.sum(np.add.reduceat(x, [0, 2]) ** 2)


@at(V)
def operators(x: Any) -> Any:
    y = x.copy()
    y = operator.iadd(y, x)
    y = operator.imul(y, x)
    operator.setitem(y, 0, x[1])
    return operator.getitem(y, 0) * np.sum(y) * functools.reduce(lambda a, c: a * c, [x[0], x[1]])


def bent(z: float) -> float:
    return z * z if z > 0 else math.sin(z)


spread = np.vectorize(bent)


@at(V)
def vectorized(x: Any) -> Any:
    pairs = np.vectorize(lambda a, b: a * b * b, otypes=[float])(x, x[0])
    return np.sum(spread(x) ** 2) + np.sum(pairs)


@at(V)
def eigenvectors(x: Any) -> Any:
    matrix = x.reshape(2, 2)
    values, vectors = np.linalg.eig(matrix @ np.array([[1.0, 2.0], [0.5, -1.0]]))
    total = np.sum(np.abs(values) ** 2) + np.abs(np.sum(vectors[:, 0] * B[:2])) ** 2
    return total + np.sum(np.real(np.linalg.eigvals(matrix)) ** 2)


@at(np.array([1.0, -3.0, 1.5]))
def zeros(p: Any) -> Any:
    return np.sum(np.abs(np.roots(p)) ** 3)


@at(0.7)
def factorials(x: float) -> float:
    return math.gamma(x) * math.lgamma(x + 1.5)


@at(V, 0.3)
def integrals(y: Any, dx: float) -> Any:
    total = scipy.integrate.trapezoid(y**2, dx=0.5) + scipy.integrate.simpson(y**2, dx=dx)
    total += scipy.integrate.simpson(y**2, x=np.cumsum(np.abs(y)))
    total += np.sum(cumulative_trapezoid(y**2, dx=dx, initial=0) ** 2)
    return total + scipy.integrate.romb(np.r_[y, dx] ** 2, dx=dx)


@at(1.3)
def of_nodes(x: float) -> Any:
    return scipy.integrate.fixed_quad(lambda u: np.exp(-x * u * u), 0.0, x, n=4)[0]


@at(A)
def distances(x: Any) -> Any:
    passive, _ = cKDTree(np.eye(3)).query(B)
    return np.sum(squareform(pdist(x))[0] ** 3) * float(passive)


def filled_by_masks(x: Any) -> Any:
    low = x < 0.5
    out = np.empty(x.shape, dtype=float)
    out[low] = x[low] * 12.0
    out[~low] = x[~low] ** 2.4
    return out


@at(0.6)
@at(0.3)
def masks_of_an_array_without_axes(x: float) -> Any:
    return filled_by_masks(np.asarray(x, dtype=float))


@at(0.6)
@at(0.3)
def an_array_without_axes(x: float) -> Any:
    out = np.zeros_like(np.asarray(x))
    out[np.asarray(x > 0.5)] = x * x
    out[...] += x
    return out


@at(0.4)
def methods_of_converted_numbers(x: float) -> Any:
    z = np.radians(x).astype(complex)
    row = np.sqrt(x).astype(float).reshape(-1)
    return (
        z.reshape(-1)[0].real * row[0] + np.float64(x).astype(float).ravel()[0] + z.conjugate().real
    )

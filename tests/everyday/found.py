"""What random programs have found (`tests/fuzz`), made small."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at


@at(-1.4)
def product_of_a_list_of_lists(k: float) -> float:
    """A sum spreads its adjoint over a matrix, which is no operand that a product broadcasts."""
    p = np.sum(np.dot([[1.4, k], [1.0, k * k]], np.eye(2) + 1.0))
    return float(p * p)


@at(-1.4)
def product_of_matrices_that_are_summed(k: float) -> float:
    p = np.sum(np.array([[0.5, k], [k * k, 2.0]]) @ np.full((2, 2), 1.5))
    q = np.sum(np.full((2, 2), 1.5) @ np.array([[0.5, k], [k * k, 2.0]]))
    return float(p * q)


def _first_above(field: Array, least: float) -> Array:
    for i in range(3):
        if np.min(field[:, None]) >= least + i:
            return field[:, None] * field
    return np.ones((1, 1))


@at(np.array([-1.2]), 0.69)
@at(np.array([1.2]), 0.69)
def return_from_a_loop_that_is_not_taken(field: Array, least: float) -> float:
    """What a loop returns early is no value to ask for a shape where it did not."""
    return float(np.sum(_first_above(field, least) * field))


@at(np.array([-1.2, 0.5, 0.3]), 0.69)
@at(np.array([1.2, 0.8, 0.9]), 0.69)
def number_or_matrix(x: Array, least: float) -> float:
    """A product with what is still a number has the shape of the other factor."""
    t: Array | float
    t = x[:, None] * x if np.min(x) >= least else 2.0
    return float(np.sum(t * x))


@at(np.array([-1.2, 0.5, 0.3]), 0.0)
@at(np.array([-1.2, 0.5, 0.3]), 0.6)
def number_until_some_iteration(x: Array, least: float) -> float:
    t: Array | float = 2.0
    for i in range(3):
        if x[i] > least:
            t = t * x[:, None]
    return float(np.sum(t * x))


@at(np.array([[0.1, 0.4, -0.3], [0.7, 0.2, 0.5]]), 0.3)
def number_that_varies(A: Array, rho: float) -> float:
    """The first `rho * s` is a number: its adjoint is a sum, now or in the end."""
    s: Array | float = 0.5
    for row in A:
        s = rho * s + row
        t = rho * s
        s = t + np.sum(t) * row
    return float(np.sum(s * s))


@at(np.array([-1.2, 0.5, 0.3]), 0.1)
@at(np.array([-1.2, 0.5, 0.3]), 2.0)
def number_as_an_argument(x: Array, least: float) -> float:
    t = _squared_above(x, least)
    return _mixed(t, x) + _mixed(x, x) * x[0]


def _squared_above(x: Array, least: float) -> Array | float:
    if x[1] > least:
        return x[:, None] * x
    return 3.0


def _mixed(t: Array | float, x: Array) -> float:
    u = np.sum(t) if isinstance(t, float) else 2.0 * x[0]
    for k in range(2):
        u = u + k * np.sum(t * x) * np.ndim(t)
    return float(u * u)


@at(np.array([[0.5], [0.4]]), 0.3)
@at(np.array([[0.5], [0.4]]), 0.9)
def row_that_a_loop_may_return(W: Array, least: float) -> float:
    return float(np.sum(_row_below(W, least) * W[0]))


def _row_below(W: Array, least: float) -> Array:
    for row in W:
        if row[0] < least:
            return row
    return np.array([least, 0.7]) * W[1][0]


class Point(NamedTuple):
    x: float
    y: float = 2.0

    @property
    def square(self) -> float:
        return self.x**2 + self.y**2

    def scaled(self, by: float) -> Point:
        return self._replace(x=self.x * by)

    @classmethod
    def on_curve(cls, t: float) -> Point:
        return cls(t, t * t)


@at(0.3)
def named_tuple_with_methods(t: float) -> float:
    p = Point.on_curve(t).scaled(t)
    for _ in range(2):
        p = Point(p.y, p.scaled(0.5).x)
    x, y = p
    return p.square + x * y + Point(t).square


class Field:
    def __init__(self, u: Array, c: float) -> None:
        self.u = u.copy()
        self.c = c

    def smooth(self) -> None:
        for i in range(1, len(self.u)):
            self.u[i] = 0.5 * self.u[i] + self.c * self.u[i - 1]


@at(np.array([0.5, 0.4, -0.3]), 0.3)
def array_of_an_instance(x: Array, c: float) -> float:
    """A method writes in a loop into what other names lead to through the instance alone."""
    field = Field(x, c)
    for _ in range(2):
        field.smooth()
        field.c *= 0.5
    return float(np.sum(field.u * field.u))


@at(np.array([0.5, 0.4, -0.3, 0.2]))
def stars_of_unknown_length(x: Array) -> float:
    first, *middle, last = x
    *most, _ = middle
    (*all_of_it,) = x.tolist()
    kept = all_of_it
    all_of_it[0] = last
    return first * sum(most) * last + len(middle) * kept[0] + sum(x.tolist())


@at(0.3)
@at(0.8)
def list_that_shrinks(a: float) -> float:
    items = [a, a * a, 0.5]
    t = a
    while items:
        p = items.pop()
        t = t * p if p > 0.25 else t - p
    else:
        t = 7.0 * t
    while len(items) < 4:
        items.append(t * a)
    return t + sum(items) * len(items)


@at(0.3)
def array_of_at_least_one_axis(a: float) -> float:
    x = np.array(a * a, ndmin=1)
    return float(np.sum(x * x) + np.array([a, x[0]], ndmin=2)[0, 1])


@at(np.array([0.5, 0.4, -0.3]), 0.3)
def value_of_a_structure(x: Array, c: float) -> float:
    """What a tuple, list or dict holds keeps its name when a variable is bound to it."""
    pair, items, table = (c, x[1]), [c, x[2]], {"a": x[0] * c}
    a, b, d = pair[1], items[1], table["a"]
    match (c, x[1]):
        case (p, q) if p > q:
            t = q
        case (p, q):
            t = p * q
    return a * pair[1] + b * items[1] + d * table["a"] + t


@at(np.array([0.5, 0.4, -0.3]), 3)
@at(np.array([0.5, 0.4, -0.3]), 2)
def arrays_of_a_list_swapped(x: Array, n: int) -> float:
    both = [x * 2.0, x * x]
    for k in range(n):
        both[0], both[1] = both[1], both[0]
        both[0][k] += x[k]
    return float(np.sum(both[0] * both[1] * x))


@at(np.array([0.3, 0.7, -0.4]), 0.9)
@at(np.array([0.3, 0.7, -0.4]), 0.2)
def number_beside_what_it_is_multiplied_with(x: Array, c: float) -> float:
    """The sum over the entries of `t * c` is one over as many as the other term has."""
    t = x * c if x[1] > c else 0.5
    return float(np.sum((t * c) * x + t * c) + c * x[0])


@at(np.array([[0.3, 0.7, -0.4], [0.1, 0.2, 0.5]]), np.array([0.3, 0.6, 0.2]), 2)
@at(np.array([[0.3, 0.7, -0.4], [0.1, 0.2, 0.5]]), np.array([0.3, 0.6, 0.2]), 0)
def sum_of_rows_that_may_be_none(A: Array, x: Array, n: int) -> float:
    s: Array | float = 0.5
    for k in range(n):
        s = s + A[k] ** 2
    return float(np.sum(s * x) + np.sum(x + s))

"""`[*a, b]` and `(*a, b)` of whatever can be run over, and whose length is known or found out."""

import itertools
from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.structures.oracle import derivatives_agree


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b

    def __iter__(self) -> Any:
        return iter((self.a, self.b))


def mapped(x: Any) -> Any:
    return sum([*map(lambda t: t * x, [x, 2.0])])  # noqa: C417


def zipped(x: Any) -> Any:
    a, b = [*zip([x, 1.0], [2.0, x], strict=True)]
    return a[0] * b[1]


def columns(x: Any) -> Any:
    cols = [*itertools.zip_longest(*[[x, 1.0], [2.0, x]])]
    return cols[0][1] * cols[1][1] * cols[0][0]


def generated(x: Any) -> Any:
    ys = (*(x * k for k in range(3)), *[x**k for k in range(2)], 4.0)
    return ys[1] * ys[3] * ys[4] + ys[5]


def what_is_left(x: Any) -> Any:
    it = iter([x, 2.0, 3.0])
    first = [next(it), *it, *it]
    return sum(first) * len(first) * x


def of_an_object(x: Any) -> Any:
    return sum([*Pair(x, x * x), x]) + len([*{"a": x, "b": 1.0}, *"abc"]) * x


def rows_are_views(x: Any) -> Any:
    A = np.outer(np.array([x, 2.0]), np.array([1.0, x]))
    rows = [*A, np.array([x, x])]
    rows[0][0] = 5.0 * x
    return A[0, 0] * x + rows[2][1] * rows[1][1]


def a_copy_of_a_list(x: Any) -> Any:
    old = [x, 2.0]
    new = [*old, 3.0]
    new[0] = 7.0
    old[1] = x
    return sum(old) * sum(new)


CASES = (
    *(mapped, zipped, columns, generated, what_is_left, of_an_object),
    *(rows_are_views, a_copy_of_a_list),
)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_the_entries_stand_in_the_display(f: Any) -> None:
    derivatives_agree(f, 0.4)


def padded(xs: Any) -> Any:
    ys = [*xs, *[1.5] * (4 - len(xs))]
    return ys[0] * ys[3] + sum(ys) * ys[1]


@pytest.mark.parametrize("kind", [np.array, list, tuple])
def test_the_length_of_an_argument_is_found_out(kind: Any) -> None:
    slope = grad(padded)
    for xs in ([0.4, 0.7], [0.4, 0.7, 1.1], [0.4], [0.2, 0.3, 0.5, 0.8]):
        units = np.eye(len(xs)) * 1e-6
        wanted = [(padded(list(xs + u)) - padded(list(xs - u))) / 2e-6 for u in units]
        np.testing.assert_allclose(slope(kind(xs)), wanted, rtol=1e-6)

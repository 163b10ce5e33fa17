"""What functions of NumPy take objects for: by `__array__`, or as lists of their entries."""

import contextlib
import itertools
import numbers
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad
from tests.structures.oracle import derivatives_agree


class Point:
    def __init__(self, *coordinates: Any) -> None:
        self.coordinates = np.array([*coordinates, 1.0])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.coordinates, dtype)


class Vector:
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, k: Any) -> Any:
        return self.items[k]

    def __iter__(self) -> Any:
        return iter(self.items)


class Dispatched(Point):
    def __array_function__(self, function: Any, *rest: Any) -> Any:
        return 7.0

    def __array_ufunc__(self, function: Any, *rest: Any, **options: Any) -> Any:
        return 7.0


class Plain:
    def __init__(self, x: Any) -> None:
        self.x = x


class Scale:
    def __init__(self, factor: Any) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return self.factor * x


def reduced(x: Any) -> Any:
    return np.sum(np.sin(Point(x, x * x)) ** 2) + np.linalg.norm(Point(x, 2.0))


def converted(x: Any) -> Any:
    p = Point(x, x * x)
    return np.sum(np.asarray(p) * np.array(p)) + np.asarray(p, dtype=float)[1]


def copied(x: Any) -> Any:
    p = Point(x, x * x)
    other = np.array(p)
    other[0] = 5.0
    return np.sum(other * np.asarray(p))


def shared(x: Any) -> Any:
    p = Point(x, x * x)
    same = np.asarray(p)
    same[0] = 3.0 * x
    return np.sum(p.coordinates**2)


def stacked(x: Any) -> Any:
    points = [Point(x, k * x) for k in range(3)]
    return np.sum(np.array(points) ** 2) + np.vstack((points[0], points[1]))[1, 1] * x


def listed(x: Any) -> Any:
    v, w = Vector(x, 2.0, x * x), Vector(1.0, x, 3.0)
    return np.dot(v, w) * np.sum(np.array([v, w]) ** 3)


def kinds(x: Any) -> Any:
    asked = (Plain(x), Point(x), Vector(x, 2.0), Scale(x), [x], x, np.array([x]), None, np.sin)
    scalars = [np.isscalar(one) for one in asked[:7]]
    found = [np.iterable(one) for one in asked]
    called = [callable(one) for one in asked]
    bits = [*scalars, *found, *called]
    return sum(x**k for k, bit in enumerate(bits) if bit)


CASES = (reduced, converted, copied, shared, stacked, listed, kinds)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_an_object_is_the_array_that_it_says(f: Any) -> None:
    derivatives_agree(f, 0.7)


def dispatched(x: Any) -> Any:
    return np.sum(Dispatched(x)) + x


def not_an_array(x: Any) -> Any:
    return np.sum(np.asarray(Plain(x), dtype=object).shape) + x


@pytest.mark.parametrize("f", [dispatched, not_an_array])
def test_an_object_that_is_more_or_none_is_refused_or_right(f: Any) -> None:
    with contextlib.suppress(AdjointgenError):
        assert grad(f)(0.7) == pytest.approx(1.0)


class Ranked(Plain):
    pass


def asked(x: Any) -> Any:
    return x * 2.0 if np.isscalar(Ranked(x)) else x


def test_a_class_may_be_registered_as_one_of_numbers() -> None:
    assert grad(asked)(3.0) == 1.0
    numbers.Number.register(Ranked)
    function = asked if np.isscalar(Ranked(1.0)) else None
    assert function is not None
    assert function(3.0) == 6.0


def test_pairs_of_a_sequence_of_the_users() -> None:
    def f(x: Any) -> Any:
        return sum(a * b for a, b in itertools.pairwise(Vector(x, x * x, 2.0)))

    derivatives_agree(f, 0.7)

"""Lists of objects, functions and entries of dicts that loops of known length make."""

import itertools
from typing import Any

import numpy as np
import pytest

from adjointgen import grad, value_and_grad
from tests.structures.oracle import derivatives_agree


class Node:
    def __init__(self, x: Any, weight: Any) -> None:
        self.x, self.weight = x, weight

    def value(self) -> Any:
        return self.weight * self.x**2


def comprehended(x: Any) -> Any:
    nodes = [Node(x, k + 1.0) for k in range(3)]
    return sum(n.value() for n in nodes) + nodes[0].x * nodes[2].weight * x


def appended(x: Any) -> Any:
    nodes = []
    for k in range(3):
        for j in range(2):
            nodes.append(Node(x * j, k + x))
    total = 0.0
    for one, other in itertools.pairwise(nodes):
        total += one.weight * other.x
    return total


def chosen(x: Any) -> Any:
    nodes = [Node(x, k + x) for k in range(4) if k != 1]
    nodes.extend([Node(1.0, x * k) for k in range(2)])
    return sum(n.value() for n in nodes)


def written(x: Any) -> Any:
    nodes = [Node(x, 1.0) for _ in range(3)]
    for k, node in enumerate(nodes):
        node.weight = k * x
    return nodes[1].value() + nodes[2].value()


def functions(x: Any) -> Any:
    powers = [lambda t, k=k: t**k for k in range(3)]
    return sum(power(x) for power in powers)


def under_keys(x: Any) -> Any:
    held = {}
    for k in range(3):
        held[k] = x**k
    return sum(held[k] for k in range(3)) + sum([held[2 * k] for k in range(2)])


def made_in_a_method(x: Any) -> Any:
    class Chain:
        def __init__(self, count: int) -> None:
            self.nodes = [Node(x, 1.0 + k) for k in range(count)]

        def total(self) -> Any:
            return sum(node.value() for node in self.nodes)

    return Chain(3).total()


CASES = (comprehended, appended, chosen, written, functions, under_keys, made_in_a_method)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_each_object_is_one_of_its_own(f: Any) -> None:
    derivatives_agree(f, 0.7)


def over(xs: Any) -> Any:
    nodes = [Node(x, k + x) for k, x in enumerate(xs)]
    return sum(n.value() for n in nodes)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("kind", [np.array, list, tuple])
def test_one_object_for_each_number_of_an_argument(kind: Any, count: int) -> None:
    xs = [0.7, -1.3, 2.1][:count]
    wanted = [2.0 * (k + x) * x + x**2 for k, x in enumerate(xs)]
    found = grad(over)(kind(xs))
    assert type(found) is type(kind(xs))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_other_lengths_have_other_programs() -> None:
    slope = value_and_grad(over)
    for count in (2, 3, 2):
        xs = np.arange(1.0, count + 1.0)
        value, bar = slope(xs)
        assert value == over(xs)
        np.testing.assert_allclose(bar, 2.0 * (np.arange(count) + xs) * xs + xs**2)


def shared(x: Any) -> Any:
    one = Node(x, 1.0)
    nodes = [one for _ in range(3)]
    nodes[0].weight = x
    return sum(n.value() for n in nodes)


def test_an_object_may_stand_in_all_places() -> None:
    derivatives_agree(shared, 0.7)

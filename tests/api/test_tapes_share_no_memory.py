"""Arguments and results may change before the reverse sweep runs, whatever structure they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from adjointgen import vjp


class Pair:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


def arrays() -> list[Any]:
    return [np.array([1.0, 2.0]), np.array([3.0, 4.0])]


def entries(rows: Any) -> Any:
    return np.sum(rows[0] * rows[1])


def in_a_loop(rows: Any) -> Any:
    total = 0.0
    for row in rows:
        total += np.sum(row * row)
    return total


def nested(rows: Any) -> Any:
    total = 0.0
    for row in rows:
        for a in row:
            total += np.sum(a**2)
    return total


def keyed(held: Any) -> Any:
    return np.sum(held["w"][0] * held["w"][1])


def of_an_object(pair: Any) -> Any:
    return sum(np.sum(q * q * pair.a) for q in pair.b)


def in_place(rows: Any) -> Any:
    for k in range(2):
        rows[k] = rows[k] * rows[0]
    return np.sum(rows[0] * rows[1])


def two_results(rows: Any) -> Any:
    made = [row * row for row in rows]
    return made, np.sum(made[0] * made[1])


def by_a_test(x: Any) -> Any:
    return np.exp(x) if x[0] > 0 else np.cos(x)


def by_nested_tests(x: Any) -> Any:
    if x[0] > 0:
        if x[1] > 0:
            y = np.exp(x)
            z = y * x
        else:
            y = z = np.cos(x)
    else:
        y = z = x * 2
    return y, {"z": z}


def by_a_handler(x: Any) -> Any:
    try:
        y = np.exp(x)
        if y[0] > 1e9:
            raise ValueError
        z = np.sqrt(y)
    except ValueError:
        y = z = x * 2
    return [y, z]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield value
    held = value.values() if isinstance(value, dict) else getattr(value, "__dict__", {}).values()
    for each in value if isinstance(value, list | tuple) else held:
        yield from leaves(each)


def seeds(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(seeds, value))
    if isinstance(value, dict):
        return {key: seeds(each) for key, each in value.items()}
    return np.ones_like(value) if isinstance(value, np.ndarray) else 1.0


@pytest.mark.parametrize(
    ("f", "make"),
    [
        (entries, arrays),
        (in_a_loop, arrays),
        (nested, lambda: [arrays(), arrays()]),
        (keyed, lambda: {"w": arrays()}),
        (of_an_object, lambda: Pair(np.ones(2), arrays())),
        (in_place, arrays),
        (two_results, arrays),
        *((f, lambda: np.array([0.5, 1.0])) for f in (by_a_test, by_nested_tests, by_a_handler)),
    ],
)
def test_the_reverse_sweep_is_that_of_the_call(f: Any, make: Callable[[], Any]) -> None:
    argument = make()
    result, pullback = vjp(f, argument)
    bar = seeds(result)
    before = [leaf.copy() for leaf in leaves(pullback(bar))]
    for leaf in (*leaves(argument), *leaves(result)):
        leaf[...] = 100.0
    after = list(leaves(pullback(bar)))
    assert before
    assert all(map(np.array_equal, before, after))

"""Running over things: generators with conditions, `map`, `filter`, `reduce`, `any` and `all`."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])


@at(V)
def sum_of_some(x: Any) -> Any:
    v = 2.0
    total = sum(v * v for v in x if v > 0 if v < 1.0) + sum([v**3 for v in x if v < 0])
    return total * v


@at(V)
def sum_over_pairs(x: Any) -> Any:
    return sum(a * b**2 for i, a in enumerate(x) for b in x[:i] if a * b < 0.0)


@at(V)
def mapped(x: Any) -> Any:
    pairs = map(lambda a, b: a * b, x[1:], x)
    return sum(map(math.exp, x)) + sum(pairs, start=1.0) * sum(map(abs, (x[0], x[2])))


@at(V)
def filtered(x: Any) -> Any:
    return sum(filter(lambda v: v > 0, x)) ** 2


@at(V)
def reduced(x: Any) -> Any:
    product = functools.reduce(lambda a, b: a * b, x)
    return product * functools.reduce(lambda a, b: a * b + b, [x[0], x[1]], 2.0)


@at(V)
def products(x: Any) -> Any:
    return math.prod(v * v for v in x if v > 0) * math.prod([x[0], x[2]])


@at(V)
@at(-V)
def tests(x: Any) -> Any:
    if any(v > 1 for v in x) and not all(v > 0 for v in x if v != 0.25):
        return np.sum(x * x)
    if any(a * b > 0.5 for a in x for b in x if a < b):
        return np.sum(x)
    return np.sum(x**3)


@at(V)
def count(x: Any) -> Any:
    n = sum(1 for v in x if v > 0)
    return n * np.sum(x * x)


@at(V)
def truths(x: Any) -> Any:
    """A sum begins with 0, so truth values are counted."""
    return np.sum(sum([x > 0.3, True, x]) ** 2) + sum([True, x[0] > 0]) * x[0]

"""Calling conventions: keywords, defaults, several results, functions as values."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, -0.4])


def two(x: float, y: float = 2.0, *, z: float = 3.0) -> tuple[float, float]:
    return x * y, x * z


def square(x: float) -> float:
    return x * x


@at(1.2)
def several_results(x: float) -> float:
    a, b = two(x, z=x)
    c, _ = two(x, y=x)
    return a * b + c


@at(1.2, 0.3)
def keyword_only(x: float, /, y: float, *, a: float = 2.0) -> float:
    return x * x * y * a


def repeated(f: Callable[[float], float], x: float, n: int = 2) -> float:
    for _ in range(n):
        x = f(x)
    return x


@at(0.4)
def functions_as_arguments(x: float) -> float:
    return repeated(math.sin, x) + repeated(square, x) + repeated(lambda t: t * x, x, n=3)


def power(p: float) -> Callable[[float], float]:
    def raised(x: float) -> float:
        return x**p

    return raised


CUBE = power(3.0)


@at(1.4)
def factories(x: float) -> float:
    return CUBE(x) + power(2.0)(x) + power(x)(2.0)


@at(1.4)
def nested(x: float) -> float:
    def g(y: float, k: float = 2.0) -> float:
        def h(z: float) -> float:
            return z * x * k

        return h(y) + y

    return g(x) + g(x, k=x)


half = functools.partial(two, y=0.5)
WEIGHTS = np.array([1.0, 2.0, 0.5])
weigh = functools.partial(functools.partial(np.dot, WEIGHTS))


@at(1.4)
def partial_functions(x: float) -> float:
    by_x = functools.partial(two, y=x)
    powers = functools.partial(pow, x)
    return half(x)[0] * by_x(x)[0] + functools.partial(two, x)(3.0, z=x)[1] + powers(3)


@at(V)
def partial_of_arrays(x: Any) -> Any:
    scaled = functools.partial(np.multiply, x)
    return weigh(x) * np.sum(scaled(x)) + repeated(functools.partial(operator.mul, x[0]), x[1])


@at(V)
def operators(x: Any) -> Any:
    total = functools.reduce(operator.add, x)
    return total * operator.truediv(x[0], x[1]) if operator.lt(x[2], x[0]) else total


KINDS = {"line": lambda t: t, "square": square, "sine": np.sin}
STAGES = [square, np.cos, functools.partial(operator.mul, 2.0)]


@at(1.2, "square")
@at(1.2, "sine")
@at(1.2, "other")
def dispatch(x: float, kind: str) -> float:
    if kind in KINDS:
        return KINDS[kind](x) * x
    return KINDS.get(kind, power(3.0))(x)


@at(1.2)
def all_of_a_table(x: float) -> float:
    total = 1.0
    for stage in STAGES:
        total = total * stage(x)
    for name, function in KINDS.items():
        if name != "line":
            total += function(total)
    return total * STAGES[0](x)

"""Calling conventions: keywords, defaults, several results, functions as values."""

from __future__ import annotations

import math
from collections.abc import Callable

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

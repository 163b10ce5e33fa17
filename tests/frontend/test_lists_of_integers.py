"""Lists of integers whose entries become floats by `op=`: they hold what they get."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjointgen import check


def sums(p: list[float], t: float) -> Any:
    point = [0] * len(p)
    for j in range(len(point)):
        point[j] += t * p[j]
    return point[0] * point[1]


def sums_of_rows(p: list[float], t: float) -> Any:
    point = [0] * len(p)
    for i in range(3):
        for j in range(len(point)):
            point[j] += t**i * p[j]
    return point[0] * point[1]


def other_operators(p: list[float], t: float) -> Any:
    point = [1] * len(p)
    for j in range(len(point)):
        point[j] -= t * p[j]
        point[j] *= p[0]
        point[j] /= t
    return point[0] * point[1]


def on_one_path(p: list[float], t: float) -> Any:
    point = [0] * len(p)
    for _ in range(3):
        for j in range(len(point)):
            if p[j] > 1.5:
                point[j] += t * p[j]
            else:
                point[j] += 1
    return point[0] * point[1]


def counted(p: list[float], t: float) -> Any:
    count, total = [0] * len(p), 0.0
    for j in range(len(count)):
        count[j] += 2
        total += count[j] * p[j] * t
    return total


@pytest.mark.parametrize("f", [sums, sums_of_rows, other_operators, on_one_path, counted])
def test_entries_become_floats(f: Callable[..., Any]) -> None:
    check(f, [[1.0, 2.0], 0.5]).raise_on_failure()

"""What a function does to a list of the caller's, its primal program does as well.

The oracle is the function itself. A list of integers that gets floats is the same list in Python.
"""

from __future__ import annotations

from typing import Any

import pytest

from adjointgen.api.calls.modes import primal


def extended(x, rows):
    rows.extend([x, x * 2])
    return sum(rows)


def cleared(x, rows):
    rows.clear()
    rows.append(x)
    return rows[0] * x


def added(x, rows):
    rows += [x]
    return rows[0] * x


def replaced(x, rows):
    rows[0] = x
    return rows[0] * x


def in_a_loop(x, rows):
    for i in range(3):
        rows.append(x * i)
    return sum(rows)


def on_one_path(x, rows):
    if x > 0:
        rows.append(x)
    return rows[-1]


def under_another_name(x, rows):
    other = rows
    other.insert(0, x)
    other.pop()
    return rows[-1] * x


PROGRAMS = [extended, cleared, added, replaced, in_a_loop, on_one_path, under_another_name]


@pytest.mark.parametrize("given", [[3, 1, 2], [3.5, 1, 2], [3.5, 1.5]], ids=str)
@pytest.mark.parametrize("function", PROGRAMS)
def test_the_list_is_what_the_function_leaves(function: Any, given: list[Any]) -> None:
    mine, other = list(given), list(given)
    assert primal(function)(0.4, mine) == function(0.4, other)
    assert (mine, [*map(type, mine)]) == (other, [*map(type, other)])

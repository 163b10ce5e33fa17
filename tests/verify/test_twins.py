"""Copies that share storage where the originals do, and with these none."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from adjointgen.verify.twins import tied, twins, uncopied


@dataclass
class Box:
    held: Any


GRID = np.arange(24.0).reshape(4, 6)
VIEWS = {
    "itself": lambda a: a,
    "row": lambda a: a[1],
    "steps": lambda a: a[::2, 1::3],
    "backwards": lambda a: a[::-1, ::-1],
    "transposed": lambda a: a.T,
    "diagonal": lambda a: np.einsum("ii->i", a[:4, :4]),
    "spread": lambda a: np.broadcast_to(a[0], (3, 6)),
    "one": lambda a: a[2, 3, ...],
    "none": lambda a: a[:0],
    "view of a view": lambda a: a[1:].ravel()[3:].reshape(3, 5),
    "as strided": lambda a: np.lib.stride_tricks.as_strided(a, (3, 3), (8, 16)),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_views_stay_views(name: str, order: Any) -> None:
    whole = GRID.copy(order)
    part = VIEWS[name](whole)
    for given in ({"w": whole, "p": [part]}, {"p": (part, 1.0), "w": whole}):
        made = twins(given)
        large, small = made["w"], made["p"][0]
        assert np.array_equal(small, part) and small.strides == part.strides
        assert not np.shares_memory(large, whole) and not np.shares_memory(small, whole)
        assert np.shares_memory(large, small) == np.shares_memory(whole, part)
        large += 1.0
        assert np.array_equal(small, part + 1.0 if np.shares_memory(whole, part) else part)


def test_an_attribute_stays_a_view() -> None:
    box, whole = twins((Box(GRID[1]), GRID))
    whole[:] = 5.0
    assert np.array_equal(box.held, np.full(6, 5.0)) and GRID[0, 0] == 0.0


def test_a_view_of_what_is_not_given_is_a_copy() -> None:
    made = twins((GRID[1:3, 2:4],))[0]
    assert np.array_equal(made, GRID[1:3, 2:4]) and not np.shares_memory(made, GRID)


def test_lists_that_are_one_stay_one() -> None:
    entry = [1.0]
    one, other = twins((entry, {"a": entry}))
    one.append(2.0)
    assert other["a"] is one and entry == [1.0]


def test_what_holds_itself_is_copied() -> None:
    loop: list[Any] = [1.0]
    loop.append(loop)
    made = twins(loop)
    assert made is not loop and made[1] is made


def test_what_cannot_be_copied_is_passed_along_and_named() -> None:
    stream = (x for x in "ab")
    values = np.ones(2)
    made = twins(({"s": stream, "v": values}, 1.0))
    assert made[0]["s"] is stream and made[0]["v"] is not values
    assert uncopied(({"s": stream}, [np.sin, 1.0, "a", None])) == ("[0]['s']",)


def test_what_is_tied() -> None:
    a = np.zeros(6)
    entry = [a]
    found = tied({"x": (a[:3], a[3:], a[1:4]), "y": {"b": entry, "c": (entry, 1.0)}})
    assert ("x[0]", "x[2]") in found and ("x[1]", "x[2]") in found and ("x[0]", "x[1]") not in found
    assert ("y['b']", "y['c'][0]") in found and ("x[0]", "y['b'][0]") in found
    assert not tied({"x": (1.0, "a", (), np.zeros(0)), "y": (1.0, "a", (), np.zeros(0))})


def test_views_that_interleave_are_apart() -> None:
    a = np.zeros(6)
    assert not tied({"x": a[::2], "y": a[1::2]})

"""One of several objects, which depends on values: written to, and seen through what holds it."""

from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, value_and_grad


class Item:
    def __init__(self, y: Any) -> None:
        self.y = y
        self.row = np.array([y, 1.0])


def largest_of_a_list(x: Any) -> Any:
    items = [Item(x), Item(2.0 * x)]
    best = max(items, key=lambda item: item.y)
    best.y = best.y * x
    return sum(item.y for item in items)


def largest_of_a_comprehension(x: Any) -> Any:
    items = [Item(x * k) for k in range(3)]
    best = min(items, key=lambda item: -item.y)
    best.y = best.y * x
    return sum(item.y for item in items) + items[2].y


def largest_list(x: Any) -> Any:
    rows = [[x], [2.0 * x]]
    best = max(rows, key=lambda row: row[0])
    best[0] = 7.0 * x
    return rows[0][0] + rows[1][0]


def first_of_the_sorted(x: Any) -> Any:
    items = [Item(x), Item(2.0 * x)]
    order = sorted(items, key=lambda item: -item.y)
    order[0].y = 7.0 * x
    return items[0].y + items[1].y


def array_of_the_largest(x: Any) -> Any:
    items = {"a": Item(x), "b": Item(2.0 * x)}
    best = max(items.values(), key=lambda item: item.y)
    best.row[0] = 7.0 * x
    return items["a"].row[0] + items["b"].row[0]


def held_by_an_object(x: Any) -> Any:
    owner = Item(x)
    owner.row = [Item(x), Item(3.0 * x)]  # type: ignore[assignment]
    best = owner.row[0] if owner.row[0].y * x > 1.0 else owner.row[1]
    best.y = 5.0 * x
    return owner.row[0].y + owner.row[1].y * x


def written_by_the_other_name(x: Any) -> Any:
    items = [Item(x), Item(2.0 * x)]
    best = max(items, key=lambda item: item.y)
    items[1].y = 5.0 * x
    return best.y * items[0].y


CASES = (
    *(largest_of_a_list, largest_of_a_comprehension, largest_list, first_of_the_sorted),
    *(array_of_the_largest, held_by_an_object, written_by_the_other_name),
)


@pytest.mark.parametrize("x", [0.4, -0.4])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_a_write_is_seen_through_what_holds_it_or_refused(f: Any, x: float) -> None:
    try:
        found = value_and_grad(f)(x)
    except AdjointgenError:
        return
    wanted = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert found == pytest.approx((f(x), wanted), rel=1e-6)


def only_read(x: Any) -> Any:
    items = [Item(x), Item(2.0 * x)]
    best = max(items, key=lambda item: item.y)
    order = sorted(items, key=lambda item: -item.y)
    return best.y * best.row[0] * order[1].y


def test_what_is_only_read_is_not_refused() -> None:
    assert value_and_grad(only_read)(0.4) == pytest.approx((0.256, 1.92))

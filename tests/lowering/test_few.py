"""Products whose rows have few entries add to all of them at once, and hand them on as they are."""

import re
from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad

pytest.importorskip("numba", reason="the compiled target needs Numba")
RNG = np.random.default_rng(5)
TURN, PLACES = RNG.standard_normal((3, 3)), RNG.standard_normal((6, 3))
STACK = RNG.standard_normal((5, 2, 3))


def turned(turn: Any, places: Any) -> Any:
    moved = np.zeros_like(places)
    for _ in range(4):
        moved += places @ turn
    return np.sum(moved**3)


def stacked(turn: Any, places: Any) -> Any:
    made = places @ turn
    total = 0.0
    for k in range(len(places)):
        total += np.sum(np.sin(made[k] @ turn) * k)
    return total


def along(turn: Any, places: Any) -> Any:
    total = np.zeros(3)
    for k in range(len(places)):
        total = np.tanh(turn @ total + places[k])
    return np.sum(total * total)


@pytest.mark.parametrize(
    "f, places",
    [(turned, PLACES), (stacked, STACK), (along, PLACES)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_the_numbers_are_those_of_numpy(f: Any, places: Any) -> None:
    value, bars = value_and_grad(f, wrt="turn,places")(TURN, places)
    made = value_and_grad(f, wrt="turn,places", compile="numba")
    found, found_bars = made(TURN, places)
    assert found == pytest.approx(value, rel=1e-13)
    for a, b in zip(found_bars, bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


def test_a_row_of_few_is_added_to_at_once() -> None:
    made = value_and_grad(stacked, wrt="turn,places", compile="numba")
    made(TURN, STACK)
    numbers = re.findall(
        r"^ +(\w+) = 0\.0\n +(\w+) = 0\.0\n +(\w+) = 0\.0\n +for ", made.source, re.MULTILINE
    )
    assert numbers and all(len(set(three)) == 3 for three in numbers)


def test_what_was_stored_is_not_read_again() -> None:
    made = value_and_grad(
        turned, wrt="turn,places", compile="numba", disable=["matmul-before-loop", "licm"]
    )
    made(TURN, PLACES)
    assert re.search(
        r"\[\w+, 0\] \+= \w+\n +\w+\[\w+, 1\] \+= \w+\n +\w+\[\w+, 2\] \+= ", made.source
    )


def longer(turn: Any, places: Any) -> Any:
    return np.sum((places @ turn) ** 2)


def test_longer_rows_stay_loops() -> None:
    wide = RNG.standard_normal((3, 40))
    made = value_and_grad(longer, wrt="turn,places", compile="numba")
    made(wide, PLACES)
    assert not re.search(r"(^ +\w+ = 0\.0\n){3}", made.source, re.MULTILINE)


def rounded_in_turn(x: Any) -> Any:
    kept = np.zeros(3, dtype=np.int64)
    total = 0.0
    for k in range(len(x)):
        kept[0] = x[k]
        kept[1] = 2.5 * x[k]
        kept[2] = 1.5 * x[k]
        for j in range(3):
            total += x[k] * kept[j]
    return total


def counted_back_in_turn(x: Any) -> Any:
    kept = np.zeros(3)
    total = 0.0
    for k in range(len(x)):
        kept[0] = x[k]
        kept[1] = 2.0 * x[k]
        kept[2] = x[k] * x[k]
        kept[-1] = np.sin(x[k])
        for j in range(3):
            total += kept[j] * x[k]
    return total


def rounded(x: Any) -> Any:
    kept = np.zeros(3, dtype=np.int64)
    total = 0.0
    for k in range(len(x)):
        kept[0] = x[k]
        kept[1] = 2.5 * x[k]
        total += x[k] * kept[0] * kept[1]
    return total


def counted_back(x: Any) -> Any:
    kept = np.zeros(3)
    total = 0.0
    for k in range(len(x)):
        kept[2] = x[k] * x[k]
        kept[-1] = np.sin(x[k])
        total += kept[2] * x[k]
    return total


def kept(turn: Any, places: Any) -> Any:
    full = np.zeros((3, 3))
    full[:] = turn
    return np.sum((places @ full) ** 2)


def test_a_small_product_of_long_axes_is_added_to_as_a_whole() -> None:
    places = RNG.standard_normal((25, 2, 3))
    value, bars = value_and_grad(kept, wrt="turn,places")(TURN, places)
    made = value_and_grad(kept, wrt="turn,places", compile="numba")
    found, found_bars = made(TURN, places)
    assert found == pytest.approx(value, rel=1e-12)
    for a, b in zip(found_bars, bars, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-11)
    assert re.search(r"(^ +\w+ = 0\.0\n){9} +for ", made.source, re.MULTILINE)


@pytest.mark.parametrize("f", [rounded, counted_back, rounded_in_turn, counted_back_in_turn])
def test_what_a_store_rounds_or_overwrites_is_not_handed_on(f: Any) -> None:
    x = np.array([1.7, -2.9, 3.2])
    value, bar = value_and_grad(f)(x)
    found, found_bar = value_and_grad(f, compile="numba")(x)
    assert found == pytest.approx(value, rel=1e-14) == f(x.copy())
    np.testing.assert_allclose(found_bar, bar, rtol=1e-14)

"""Lengths of arguments that are known to a program where it needs them."""

from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from adjointgen.api.specialize.length_guards import holding
from adjointgen.api.specialize.length_relations import beside, meetings, related
from adjointgen.ir.types import Dim, array
from tests.lowering.loops import text_of, uncompiled

TYPES = {"x": array("float64", "x.0", "x.1"), "w": array("float64", "w.0", "w.1")}
VALUES = {"x": np.zeros((5, 11)), "w": np.zeros((11, 11))}


def pair(one: str, other: str) -> tuple[Dim, Dim]:
    return Dim(one), Dim(other)


def test_lengths_that_meet_are_one() -> None:
    pairs = [pair("x.1", "w.0"), pair("w.1", "x.1")]
    found = meetings(pairs, TYPES, VALUES)
    assert set(found) == {(("w", 1), ("x", 1), 0), (("w", 0), ("x", 1), 0)}
    assert all(holding(found, VALUES))
    made = related(TYPES, found)
    assert made["x"].shape[1] == made["w"].shape[0] == made["w"].shape[1]


def test_lengths_that_differ_are_left_alone() -> None:
    assert meetings([pair("x.0", "w.0")], TYPES, VALUES) == ()
    assert meetings([pair("x.1", "n")], TYPES, VALUES) == ()
    assert meetings([(Dim("x.1", -1), Dim("w.0"))], TYPES, VALUES) == ()


def test_slices_meet_where_their_arrays_do() -> None:
    found = meetings([(Dim("x.1", -1), Dim("w.0", -1))], TYPES, VALUES)
    assert found == ((("w", 0), ("x", 1), 0),)


def test_short_lengths_are_numbers() -> None:
    found = meetings([pair("x.0", "x.0"), pair("x.1", "x.1")], TYPES, VALUES, 8)
    assert found == ((("x", 0), None, 5),)


@pytest.mark.parametrize(
    ("found", "fixed", "expected"),
    [
        ([(("a", 0), ("b", 0), 2)], [(("b", 0), ("c", 0), 0)], {(("a", 0), ("c", 0), 2)}),
        ([(("a", 0), ("b", 0), 2)], [(("b", 0), None, 3)], {(("a", 0), None, 5)}),
        ([(("b", 0), ("a", 0), 2)], [(("b", 0), ("c", 0), 0)], set()),
        ([(("c", 0), ("b", 0), 0)], [(("b", 0), ("c", 0), 0)], set()),
        (
            [(("c", 0), None, 4)],
            [(("b", 0), ("c", 0), 0)],
            {(("c", 0), None, 4), (("b", 0), None, 4)},
        ),
    ],
)
def test_relations_beside_others_hold_with_them(found: Any, fixed: Any, expected: Any) -> None:
    assert set(beside(found, fixed)) == expected


def test_a_compiler_is_told_short_lengths() -> None:
    """It multiplies small matrices line by line, and large ones at once."""

    def f(x: Any, w: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            total += np.sum(np.sin(x[i] @ w))
        return total

    rng = np.random.default_rng(3)
    with uncompiled():
        for n, calls in ((3, 0), (11, 1)):
            x, w = rng.uniform(-1.0, 1.0, (6, n)), rng.uniform(-1.0, 1.0, (n, n))
            made = value_and_grad(f, wrt=(0, 1), compile="numba")
            _, found = made(x, w)
            forward, _, _ = text_of(made).partition("# Reverse sweep")
            assert forward.count("@") == calls
            _, plain = value_and_grad(f, wrt=(0, 1), disable=["matmul-before-loop"])(x, w)
            for bar, other in zip(found, plain, strict=True):
                np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-14)


def test_integers_that_have_to_be_known_are_asked_of_programs_that_are_made_again() -> None:
    """The program for the lengths at hand is made of the same integers as the one before it."""

    def f(a: Any, b: Any, k: Any) -> Any:
        c = np.zeros_like(b)
        c[1:-1] = a[1:-1] * b[1:-1]
        return np.sum(np.sum(np.stack([a, b, a * b]) * c, axis=k)[0] * c)

    a = np.arange(1.0, 9.0)
    made = value_and_grad(f, wrt="a")
    for k in (1, 0, -1, 0):
        value, found = made(a, a + 0.5, k)
        assert value == f(a, a + 0.5, k)
        ends = [(f(a + h, a + 0.5, k) - f(a - h, a + 0.5, k)) / 2e-6 for h in 1e-6 * np.eye(8)]
        np.testing.assert_allclose(found, ends, rtol=1e-6)

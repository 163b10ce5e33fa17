"""Products of stacks are one product of matrices for a compiler."""

from typing import Any

import numpy as np
import pytest

from adjointgen import value_and_grad
from tests.lowering.loops import text_of, uncompiled

RNG = np.random.default_rng(9)


def lines(a: Any, c: Any) -> Any:
    y = a @ c
    return np.sum(np.sin(y))


def of_three(a: Any, b: Any) -> Any:
    return np.sum(np.sin(np.tensordot(a, b, axes=((0, 1), (0, 1)))))


def drawn(*shape: int) -> Any:
    return RNG.uniform(-1.0, 1.0, shape)


ODD = drawn(4, 6, 18)[:, ::2, ::2]
CASES = [
    (lines, (drawn(3, 4, 11), drawn(11, 12))),
    (lines, (drawn(2, 3, 4, 11), drawn(11, 9))),
    (lines, (drawn(0, 4, 11), drawn(11, 9))),
    (lines, (drawn(3, 4, 0), drawn(0, 9))),
    (lines, (drawn(3, 2, 1), drawn(1, 9))),
    (lines, (ODD, drawn(9, 12))),
    (lines, (drawn(9, 3, 4).T, drawn(9, 12).T[::2].T)),
    (of_three, (drawn(3, 4, 11), drawn(3, 4, 12))),
    (of_three, (ODD, drawn(4, 3, 10))),
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_gradients_are_those_of_arrays(f: Any, args: Any) -> None:
    with uncompiled():
        made = value_and_grad(f, wrt=(0, 1), compile="numba")
        value, found = made(*args)
    expected, plain = value_and_grad(f, wrt=(0, 1))(*args)
    assert value == pytest.approx(expected, rel=1e-12)
    for bar, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-12)
    assert "reshape" in text_of(made)


def test_small_matrices_are_multiplied_in_loops() -> None:
    def small(a: Any) -> Any:
        return np.sum(np.sin(a @ np.ones((3, 4))))

    with uncompiled():
        made = value_and_grad(small, compile="numba")
        made(drawn(5, 4, 3))
    assert "@" not in text_of(made)


def test_they_are_compiled() -> None:
    """What is not in order is copied."""
    for args in (CASES[0][1], (ODD, drawn(9, 12))):
        value, found = value_and_grad(lines, wrt=(0, 1), compile="numba")(*args)
        expected, plain = value_and_grad(lines, wrt=(0, 1))(*args)
        assert value == pytest.approx(expected, rel=1e-12)
        for bar, other in zip(found, plain, strict=True):
            np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-12)

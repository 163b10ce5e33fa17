"""A program and its transpose agree to rounding, however much the sums cancel."""

from typing import Any

import numpy as np
import pytest

from adjointgen.verify.dotproduct import dot_product, dot_product_test

RNG = np.random.default_rng(7)
MATRIX = RNG.normal(size=(4, 3))


def forward(args: Any, dots: Any) -> Any:
    (x, _), (x_dot,) = args, dots
    return MATRIX @ x, MATRIX @ x_dot


def backward(args: Any, y_bar: Any) -> Any:
    x, _ = args
    return MATRIX @ x, (MATRIX.T @ y_bar,)


ARGS = (RNG.normal(size=3), "passive")
DOTS = (RNG.normal(size=3),)
Y_BAR = RNG.normal(size=4)


def test_a_transpose_is_accepted() -> None:
    found = dot_product_test(forward, backward, ARGS, DOTS, Y_BAR)
    assert found.mismatch < 1e-15
    assert found.of_results == pytest.approx(Y_BAR @ MATRIX @ DOTS[0])


def test_what_is_no_transpose_is_not() -> None:
    def wrong(args: Any, y_bar: Any) -> Any:
        y, (x_bar,) = backward(args, y_bar)
        return y, (x_bar * [1.0, 1.0, 1.0 + 1e-9],)

    assert dot_product_test(forward, wrong, ARGS, DOTS, Y_BAR).mismatch > 1e-11


def test_programs_may_write_to_what_they_are_given() -> None:
    def greedy(args: Any, y_bar: Any) -> Any:
        y, x_bars = backward(args, y_bar)
        args[0][:] = y_bar[:] = np.nan
        return y, x_bars

    def alias(args: Any, dots: Any) -> Any:
        return args[0], dots[0]

    assert dot_product_test(forward, greedy, ARGS, DOTS, Y_BAR).mismatch < 1e-15
    identity = dot_product_test(alias, lambda args, y_bar: (args[0], (y_bar,)), ARGS, DOTS, DOTS[0])
    assert identity.mismatch == 0.0


def test_cancelling_sums_are_measured_by_their_summands() -> None:
    x_bar, y_bar = np.array([1e8, -1e8 + 1e-3]), np.array([1e8, -1e8])
    ones = np.ones(2)
    found = dot_product(x_bar, ones, y_bar, ones)
    assert found.of_results == 0.0 and found.size == 2e8
    assert found.mismatch == pytest.approx(5e-12, rel=1e-3)


def test_complex_adjoints_have_no_conjugate() -> None:
    factor, z_dot, y_bar = 2 - 3j, 0.5 + 1j, -1 + 0.25j
    right = dot_product(factor * y_bar, z_dot, y_bar, factor * z_dot)
    wrong = dot_product(np.conj(factor) * y_bar, z_dot, y_bar, factor * z_dot)
    assert right.mismatch < 1e-15 < 0.1 < wrong.mismatch


def test_nothing_equals_nothing() -> None:
    assert dot_product(0.0, 1.0, 1.0, 0.0).mismatch == 0.0
    assert dot_product((), (), (), ()).mismatch == 0.0


def test_a_zero_adjoint_hides_what_is_not_finite() -> None:
    found = dot_product(2.0, 1.0, np.array([0.0, 1.0]), np.array([np.nan, 2.0]))
    assert found.mismatch == 0.0 and found.of_results == 2.0

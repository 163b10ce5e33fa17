"""Limits of tables whose error is known, and noise whose size is known."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from adjointgen.verify.extrapolate import CENTRAL, JUMP, ONE_SIDED, extrapolate
from adjointgen.verify.line import line_through
from adjointgen.verify.noise import rounding_noise

STEPS = 2.0 ** -np.arange(6)


@pytest.mark.parametrize("powers", [CENTRAL, ONE_SIDED, JUMP])
def test_every_power_is_removed(powers: tuple[int, ...]) -> None:
    rows = 3.0 + sum((k + 1.0) * STEPS**p for k, p in enumerate(powers[:4]))
    value, error = extrapolate(rows[:, np.newaxis], np.zeros((6, 1)), powers)
    assert abs(value[0] - 3.0) < 1e-12 and abs(value[0] - 3.0) <= error[0] < 1e-2


def test_columns_are_independent() -> None:
    rows = np.stack([1.0 + STEPS**2, np.full(6, 5.0), np.full(6, np.nan)], axis=1)
    value, error = extrapolate(rows, np.full((6, 3), 1e-15), CENTRAL)
    assert value[:2] == pytest.approx([1.0, 5.0], abs=1e-14)
    assert error[1] == 2e-15 and error[2] == math.inf


def test_a_wild_entry_costs_only_the_entries_made_from_it() -> None:
    rows = 2.0 + STEPS**2
    rows[0] = np.nan
    value, error = extrapolate(rows[:, np.newaxis], np.zeros((6, 1)), CENTRAL)
    assert abs(value[0] - 2.0) < 1e-14 and error[0] < 1e-3


def test_the_error_is_never_below_the_noise() -> None:
    _, error = extrapolate(np.ones((5, 1)), 1e-9 * np.ones((5, 1)), CENTRAL)
    assert error[0] == 2e-9


def test_one_row_has_no_error_estimate() -> None:
    value, error = extrapolate(np.ones((1, 1)), np.zeros((1, 1)), CENTRAL)
    assert value[0] == 1.0 and error[0] == math.inf


def test_chance_agreement_of_two_rows_is_not_believed() -> None:
    # The last two rows agree to the bit, the rows before say that this means little.
    rows = np.array([1.0, 1.8, 1.3, 1.3])[:, np.newaxis]
    _, error = extrapolate(rows, np.zeros((4, 1)), CENTRAL)
    assert error[0] > 0.01


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (math.exp, 0.0, 1e-15),
        (lambda x: abs(x) ** 1.5 + math.sin(3.0 * x), 0.0, 1e-15),
        (lambda x: (1e6 + math.sin(x)) - 1e6, 1e-11, 3e-10),
        (lambda x: math.sin(x) + 1e-7 * math.sin(1e14 * x), 1e-8, 3e-7),
        (lambda x: float(np.float32(math.sin(x))), 3e-9, 1e-7),
        (lambda x: abs(x - 1.0), 0.0, 1e-15),
        (lambda x: math.floor(x) + x, 0.0, 1e-15),
    ],
)
@pytest.mark.parametrize("x", [1.0, 0.7])
def test_noise_has_its_size(
    function: Callable[[float], float], low: float, high: float, x: float
) -> None:
    noise = rounding_noise(line_through(function, (x,), (0,), (x,)))
    assert low <= noise[0] <= high


def test_noise_is_measured_on_the_side_that_is_defined() -> None:
    rough = rounding_noise(
        line_through(lambda x: math.asin(x) + 1e-6 * math.sin(1e14 * x), (1.0,), (0,), (1.0,))
    )
    assert 1e-7 < rough[0] < 3e-6

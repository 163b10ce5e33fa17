"""What random programs have found (`tests/fuzz`), made small."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at


@at(-1.4)
def product_of_a_list_of_lists(k: float) -> float:
    """A sum spreads its adjoint over a matrix, which is no operand that a product broadcasts."""
    p = np.sum(np.dot([[1.4, k], [1.0, k * k]], np.eye(2) + 1.0))
    return float(p * p)


@at(-1.4)
def product_of_matrices_that_are_summed(k: float) -> float:
    p = np.sum(np.array([[0.5, k], [k * k, 2.0]]) @ np.full((2, 2), 1.5))
    q = np.sum(np.full((2, 2), 1.5) @ np.array([[0.5, k], [k * k, 2.0]]))
    return float(p * q)


def _first_above(field: Array, least: float) -> Array:
    for i in range(3):
        if np.min(field[:, None]) >= least + i:
            return field[:, None] * field
    return np.ones((1, 1))


@at(np.array([-1.2]), 0.69)
@at(np.array([1.2]), 0.69)
def return_from_a_loop_that_is_not_taken(field: Array, least: float) -> float:
    """What a loop returns early is no value to ask for a shape where it did not."""
    return float(np.sum(_first_above(field, least) * field))

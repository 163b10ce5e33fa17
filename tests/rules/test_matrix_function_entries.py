"""Functions of matrices that are real for some real matrices, complex for others, and of none."""

from typing import Any

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, logm, sqrtm

from adjointgen import grad, jvp, trace

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
REAL = np.array([[2.0, 0.5], [0.3, 1.5]])
COMPLEX = np.array([[-2.0, 0.5], [0.3, 1.5]])


def root_sum(a: Any) -> Any:
    return np.sum(sqrtm(a).real)


def root_entry(a: Any) -> Any:
    return sqrtm(a)[0, 1].real


def logarithm_entry(a: Any) -> Any:
    return logm(a)[1, 0].real


def power_entry(a: Any) -> Any:
    return fractional_matrix_power(a, 0.3)[1, 1].real


@pytest.mark.sampled(2)
@pytest.mark.parametrize("a", [TURN, REAL, COMPLEX])
@pytest.mark.parametrize("f", [root_sum, root_entry, logarithm_entry, power_entry])
def test_real_parts_of_functions_of_matrices(f: Any, a: Any) -> None:
    differences = np.zeros((2, 2))
    for k in np.ndindex(2, 2):
        unit = np.zeros((2, 2))
        unit[k] = 1e-5
        differences[k] = (f(a + unit) - f(a - unit)) / 2e-5
    np.testing.assert_allclose(grad(f)(a), differences, atol=1e-7)
    assert jvp(f, (a,), (a,))[1] == pytest.approx(np.sum(differences * a), abs=1e-7)


def determinant(a: Any) -> Any:
    return np.linalg.det(a) * 2.0


def test_the_determinant_of_a_matrix_without_entries() -> None:
    none = np.zeros((0, 0))
    assert grad(determinant)(none).shape == (0, 0)
    assert jvp(determinant, (none,), (none,)) == (2.0, 0.0)
    assert trace(determinant, none).gradient[0].shape == (0, 0)

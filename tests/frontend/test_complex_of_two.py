"""`complex(real, imag)`: a number of two parts, with the zeros and infinities of each."""

import cmath
import math
from typing import Any

import numpy as np
import pytest

from adjointgen import AdjointgenError, grad, value_and_grad
from tests.structures.oracle import derivatives_agree


def modulus(x: Any) -> Any:
    return abs(complex(x, 2.0 * x) ** 2) + complex(x * x).real


def inverse(x: Any) -> Any:
    return (1.0 / complex(imag=x, real=1.0)).imag


def of_constants(x: Any) -> Any:
    return abs(1.0 / 3.0 - complex(0, 1) * x)


def of_a_complex_part(x: Any) -> Any:
    return abs(complex(x, x * 1j) + complex(1j * x, 2.0))


def iterated(x: Any) -> Any:
    z = complex(0.0, 0.0)
    for _ in range(3):
        z = z * z + complex(x, -0.3)
    return abs(z)


def in_an_array(x: Any) -> Any:
    z = np.array([complex(x, k) for k in range(3)])
    return np.sum(np.abs(z) ** 2) + z.imag[1] * x


def under_the_cut(x: Any) -> Any:
    return np.sqrt(complex(-x, -0.0)).imag * x


CASES = (modulus, inverse, of_constants, of_a_complex_part, iterated, in_an_array, under_the_cut)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_both_parts_vary(f: Any) -> None:
    derivatives_agree(f, 0.4)


def infinite(x: Any) -> Any:
    z = complex(x, math.inf)
    return z.real if cmath.isinf(z) else 0.0


def test_an_infinite_part_leaves_the_other_alone() -> None:
    assert value_and_grad(infinite)(2.0) == (2.0, 1.0)


def of_arrays(x: Any) -> Any:
    return abs(complex(x, x))


def test_arrays_are_refused_or_fail_as_python_does() -> None:
    with pytest.raises((AdjointgenError, TypeError)):
        grad(of_arrays)(np.ones(2))

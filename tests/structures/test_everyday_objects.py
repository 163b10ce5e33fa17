"""Gradients of functions of objects as people write them, beside differences."""

import numpy as np
import pytest

from adjointgen import grad
from tests.structures.everyday_objects import CASES


@pytest.mark.parametrize(("f", "x", "make"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_gradient_is_that_of_differences(f, x, make):  # type: ignore[no-untyped-def]
    h = 1e-6
    rest = (lambda: (make(),)) if make else tuple
    wanted = (f(x + h, *rest()) - f(x - h, *rest())) / (2.0 * h)
    found = grad(f)(x, *rest())
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-7)

"""Functions that compilers vectorise, against arithmetic of fifty digits."""

import math
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from adjointgen.runtime.vectors import vector_exp, vector_tanh

RNG = np.random.default_rng(11)
SCALES = (1e-300, 1e-12, 1e-3, 0.1, 1.0, 30.0, 300.0)
POINTS = [float(x) for s in SCALES for x in s * RNG.standard_normal(200)]
ENDS = [0.0, -0.0, 5e-324, 709.78, 709.79, 710.5, -708.5, -744.0, -745.2, -800.0, 1e300, -1e300]
ENDS += [math.inf, -math.inf]
FUNCTIONS = [(vector_exp, mpmath.exp, 1.001), (vector_tanh, mpmath.tanh, 3.0)]


@pytest.mark.parametrize(("ours", "exact", "units"), FUNCTIONS, ids=["exp", "tanh"])
def test_the_last_place_is_nearly_right(
    ours: Callable[[float], float], exact: Callable[[float], mpmath.mpf], units: float
) -> None:
    with mpmath.workdps(50), np.errstate(over="ignore"):
        for x in POINTS:
            found, wanted = float(ours(x)), exact(mpmath.mpf(x))
            assert abs(mpmath.mpf(found) - wanted) <= units * math.ulp(float(wanted)), x


@pytest.mark.parametrize("x", ENDS)
def test_the_ends_are_those_of_the_library(x: float) -> None:
    with np.errstate(over="ignore", under="ignore"):
        for ours, theirs in ((vector_exp, np.exp), (vector_tanh, np.tanh)):
            found, wanted = float(ours(x)), float(theirs(x))
            assert found == pytest.approx(wanted, rel=4e-16, abs=5e-324)
            assert math.copysign(1.0, found) == math.copysign(1.0, wanted)


def test_what_is_no_number_stays_none() -> None:
    assert math.isnan(vector_exp(math.nan)) and math.isnan(vector_tanh(math.nan))

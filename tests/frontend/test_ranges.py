"""Ranges where NumPy takes positions, and ranges that no integer of NumPy holds."""

import numpy as np
import pytest

from adjointgen import jvp
from adjointgen.errors import AdjointgenError


def test_an_empty_range_of_positions_is_one_of_integers() -> None:
    def f(x: float) -> float:
        (a,) = np.ix_(range(0))
        (b,) = np.ix_(range(2))
        return x * ((a.dtype.kind == "i") + (b.dtype.kind == "i"))

    assert jvp(f, (1.5,), (1.0,)) == (f(1.5), 2.0)


def test_what_is_too_large_is_refused() -> None:
    def f(x: float) -> float:
        r = range(-9223372036854775807, 9223372036854775807)
        return x * (r[0] + 9223372036854775808)

    with pytest.raises(AdjointgenError, match="AG102"):
        jvp(f, (1.5,), (1.0,))

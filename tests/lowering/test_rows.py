"""What rows contribute is summed in a loop, also where types do not tell the lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjointgen import grad
from tests.lowering.loops import text_of, uncompiled


def rows_of(x: Any, scales: Any, n: int) -> float:
    """A row that all rows are multiplied by, of a length that types do not tell."""
    return float(np.sum((x * scales[:n]) ** 2))


def test_the_adjoint_of_a_row_needs_no_helper() -> None:
    x, scales = np.arange(12.0).reshape(4, 3) + 0.5, np.linspace(0.3, 1.2, 5)
    expected = np.zeros(5)
    expected[:3] = 2.0 * np.sum(x * x, axis=0) * scales[:3]
    made = grad(rows_of, wrt="scales", compile="numba")
    with uncompiled():
        assert made(x.copy(), scales.copy(), 3) == pytest.approx(expected, rel=1e-13)
        assert "_unbroadcast" not in text_of(made)
        with pytest.raises(ValueError, match="equal lengths"):
            made(x.copy(), scales.copy(), 2)

"""Constructs that sweeps over packages met: what stands in published code, in small."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.everyday.cases import Cases

Array = NDArray[np.float64]
CASES = Cases()
at = CASES.at


@at(0.7)
def numbers_with_new_axes(x: float) -> Any:
    """Entries of an array are numbers, which may be given axes again."""
    rows = np.array([x, 2.0 * x, x * x])
    stacked = np.concatenate([row[..., np.newaxis] for row in rows], axis=-1)
    return np.sum(stacked[1:] ** 2) + stacked[0] * rows[None, :, None][0, 2, 0]

"""Richardson extrapolation with error estimates: the limit of a(h) as h goes to 0.

    a(h) = a + c_1 h^p1 + c_2 h^p2 + ...    from a(h), a(h/2), a(h/4), ...
    a[k, j] = a[k, j-1] + (a[k, j-1] - a[k-1, j-1]) / (2^pj - 1)

Each column of the table removes one power.  As in Ridders' method the answer is the entry with the
smallest estimated error, which balances truncation against rounding without a choice of h.  The
estimate of an entry is the change that its column brought.  One such change can be small by chance,
so it counts as at least a quarter of the change in the row above, and no less than the noise.

Sources: L. F. Richardson (1911), Phil. Trans. A 210, 307-357; C. J. F. Ridders (1982), "Accurate
computation of F'(x) and F'(x)F''(x)", Advances in Engineering Software 4(2), 75-76.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from adjointgen.verify.structures import Vector

Table: TypeAlias = NDArray[np.float64]

# The powers that remain in the error of each kind of difference quotient.
CENTRAL = (2, 4, 6, 8, 10, 12)
ONE_SIDED = (1, 2, 3, 4, 5, 6)
JUMP = (1, 3, 5, 7, 9, 11)


def extrapolate(rows: Table, noise: Table, powers: Sequence[int]) -> tuple[Vector, Vector]:
    """The limit and its estimated error for every column of `rows`, whose steps halve downwards.

    `noise` is the rounding error of every entry.  The error is infinite where no two entries
    are finite.
    """
    column = rows
    value, error = rows[-1].copy(), np.full(rows.shape[1], np.inf)
    for power in powers[: len(rows) - 1]:
        with np.errstate(all="ignore"):
            factor = 2.0**power
            change = column[1:] - column[:-1]
            column = column[1:] + change / (factor - 1.0)
            doubt = np.abs(change) * factor / (factor - 1.0)
        doubt[1:] = np.maximum(doubt[1:], doubt[:-1] / 4.0)
        doubt = np.maximum(doubt, 2.0 * noise[-len(doubt) :])
        doubt[~np.isfinite(column) | ~np.isfinite(doubt)] = np.inf
        pick = np.argmin(doubt, axis=0)[np.newaxis]
        least = np.take_along_axis(doubt, pick, axis=0)[0]
        better = least < error
        value = np.where(better, np.take_along_axis(column, pick, axis=0)[0], value)
        error = np.where(better, least, error)
    return value, error

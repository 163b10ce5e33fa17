"""The complex step: phi'(0) = Im phi(ih) / h, without subtraction and so without cancellation.

With h = 1e-20 the truncation error vanishes and the derivative is as accurate as the function.
That needs a program that is analytic, operation by operation.  `abs`, `np.real`, comparisons,
`np.maximum` and casts are not, and most of them say nothing: they return a number.  So a slope
counts only where the result is complex, its real part is the function's value, and two
steps agree; what is found here is then held against differences by the caller.

Two steps whose ratio is no power of two round differently throughout, and the difference of their
slopes shows what rounding does inside of the function.

Sources: W. Squire, G. Trapp (1998), "Using complex variables to estimate derivatives of real
functions", SIAM Review 40(1), 110-112; J. R. R. A. Martins, P. Sturdza, J. J. Alonso (2003), "The
complex-step derivative approximation", ACM Trans. Math. Softw. 29(3), 245-262, which also lists
the operations that break it.
"""

import warnings

import numpy as np

from adjointgen.verify.line import Line
from adjointgen.verify.noise import rounding
from adjointgen.verify.quotients import Estimate
from adjointgen.verify.structures import Vector, flatten, leaves, precision, sizes, unflatten

STEPS = (1e-20, 0.7e-20)


def complex_step(line: Line, noise: Vector) -> Estimate:
    """The slope at t = 0 and its rounding error, infinite where the step does not apply."""
    (first, shift), (second, _) = (_slope(line, noise, h) for h in STEPS)
    usable = np.isfinite(first) & np.isfinite(second)
    first, second = np.where(usable, first, 0.0), np.where(usable, second, 0.0)
    apart = np.abs(first - second)
    # Complex solvers pivot and round otherwise than real ones; the real part shows how much.
    rough = np.maximum(np.maximum(apart, shift), precision(line.result) * np.abs(first))
    # Rounding changes some of the last digits; more than that is no derivative.
    usable &= apart <= rounding(first, noise, 1e-6)
    return Estimate(first, np.where(usable, 64.0 * rough, np.inf))


def _slope(line: Line, noise: Vector, h: float) -> tuple[Vector, Vector]:
    """Im phi(ih) / h, and how far the real part is from phi(0).

    NaN where the result is not complex or its real part is another value.
    """
    unknown = np.full(line.here.shape, np.nan)
    try:
        with warnings.catch_warnings():
            # NumPy only warns when a real array drops the imaginary part that is stored into it.
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            result = line.call(1j * h)
        shape = unflatten(line.result, line.here.astype(np.complex128))
        both = flatten(result, like=shape)
    except Exception:  # whatever complex arguments make a function raise: it does not accept them
        return unknown, unknown
    found = list(leaves(result))
    if [path for path, _ in found] != [path for path, _ in leaves(line.result)]:
        return unknown, unknown
    kinds = np.asarray([np.iscomplexobj(leaf) for _, leaf in found], dtype=bool)
    lifted = np.repeat(kinds, sizes(line.result))
    with np.errstate(all="ignore"):
        shift = np.abs(both[0::2] - line.here)
        same = shift <= rounding(line.here, noise, 1e-10)
        return np.where(lifted & same, both[1::2] / h, np.nan), shift

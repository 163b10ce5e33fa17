"""How much of a function's value is noise: what no cubic explains in a few nearby values.

    sigma^2 = mean of (n . phi)^2    over unit vectors n orthogonal to 1, t, t^2, t^3 at the points

A smooth function is a cubic at this distance, up to a relative 1e-20, so the rest is rounding.  A
function that subtracts large numbers, iterates to a tolerance or works in single precision inside
is far noisier than its result shows, and differences of it would look more certain than they are.
The points lie on one side of t = 0 and thousands of their distances away, so that what is special
about the point, a kink or a branch such as that of x^1.5, is not taken for noise.  Their distance
is large beside the grid of single precision.  They are irregular: on regular ones, and at halving
steps too, neighbouring values often round alike and seem to have no noise.

Source: J. J. Moré, S. M. Wild (2011), "Estimating computational noise", SIAM J. Sci. Comput. 33(3),
1292-1314, which takes high differences on a regular grid.
"""

import numpy as np

from adjointgen.verify.line import Line
from adjointgen.verify.structures import Mask, Vector

START = 1.1 * 2.0**-9
DISTANCE = 2.0**-20
CLOSER = 2.0**-6
SUSPECT = 1e-9
POINTS = (1.0, 2.31, 3.17, 4.73, 5.59, 7.11)


def rounding_noise(line: Line) -> Vector:
    """The standard deviation of the noise of every result; 0 where the values are not finite.

    What looks like noise may be a function that is faster than the points are close.  So noise that
    is large beside the values has to show on closer points too, unless all values are equal there,
    as those of a function that rounds to single precision inside may be.
    """
    found, _ = _noise(line, DISTANCE)
    size = np.maximum.reduce([np.abs(value) for value in line.seen.values()])
    if np.any(found > SUSPECT * size):
        closer, flat = _noise(line, DISTANCE * CLOSER)
        found = np.where(flat, found, np.minimum(found, closer))
    return found


def _noise(line: Line, distance: float) -> tuple[Vector, Mask]:
    """The noise seen at one distance, and where all values are equal."""
    steps = [START + distance * point for point in POINTS]
    inside = np.all(np.isfinite(line.at(steps[0])) | ~np.isfinite(line.here))
    values = np.stack([line.at(step if inside else -step) for step in steps])
    cubics = np.vander(np.asarray(POINTS) - np.mean(POINTS), 4)
    rest = np.linalg.qr(cubics, mode="complete")[0][:, 4:].T
    with np.errstate(all="ignore"):
        # Without the common part, whose rounding in the product would look like noise.
        changes = values - values[0]
        sigma = np.sqrt(np.mean((rest @ changes) ** 2, axis=0))
    return np.where(np.isfinite(sigma), sigma, 0.0), np.all(changes == 0.0, axis=0)


def rounding(value: Vector, noise: Vector, relative: float) -> Vector:
    """What results computed to `relative` may be off by, given the rounding inside of them."""
    allowed: Vector = relative * np.where(np.isfinite(value), np.abs(value), 0.0) + 64.0 * noise
    return allowed

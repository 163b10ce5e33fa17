"""How exact right programs can be, and so how far apart they may be before one is wrong.

    value       1e-13 of itself
    tangent     8 times the estimated error of its reference
    products    1e-11 of the summands of <x_bar, x_dot> and <y_bar, y_dot>

and in each what rounding costs: of the result, of single precision, and of what happens inside of
the function, as far as its noise shows it.  A tolerance that is too small blames the program for
the arithmetic, one that is too large hides faults; a measured noise is neither.
"""

from typing import Any

import numpy as np

from adjointgen.verify.differences import Reference
from adjointgen.verify.noise import rounding
from adjointgen.verify.structures import Vector, flatten, precision, spread

DOUBLE = 2.0**-52
VALUE = 1e-13
PRODUCTS = 1e-11


def of_value(y: Any, noise: Vector) -> Vector:
    """How far the value of a program may be from that of the function."""
    coarsest = _coarseness(y)
    relative = VALUE if coarsest == DOUBLE else 64.0 * coarsest
    return rounding(flatten(y), noise * (coarsest / DOUBLE), relative)


def of_products(y: Any, x: Any) -> float:
    """How far both inner products may be apart, relative to their summands."""
    coarsest = _coarseness(y, x)
    return PRODUCTS if coarsest == DOUBLE else 1024.0 * coarsest


def of_rounding(found: Reference, y: Any, x_dots: Any, noise: Vector) -> Vector:
    """How far a right derivative may be off for what rounding costs the function.

    A result that is all noise, and a zero with the slope zero, may be a difference of numbers of
    any size, such as those of the arguments.
    """
    coarsest = _coarseness(y, x_dots)
    here, slope = (np.where(np.isfinite(v), np.abs(v), 0.0) for v in (flatten(y), found.value))
    empty = 1e3 * noise >= np.maximum(here, slope)
    least = 4096.0 * coarsest * float(np.max(np.abs(flatten(x_dots)), initial=0.0))
    # Derivatives amplify rounding, by the degree of a polynomial for one.
    inside = rounding(here, 4.0 * noise * (coarsest / DOUBLE), 64.0 * coarsest)
    return inside + np.where(empty, least, 0.0)


def of_tangent(found: Reference, y: Any, x_dots: Any, lost: Vector) -> Vector:
    """How far a right tangent may be from its reference, `lost` being the cost of rounding."""
    size = np.maximum(np.abs(found.low), np.abs(found.high))
    own = 512.0 * _coarseness(y, x_dots) * np.where(np.isfinite(size), size, 0.0)
    return 8.0 * found.error + own + lost


def of_both(y: Any, y_dot: Vector, noise: Vector, lost: Vector) -> Vector:
    """How far right tangents and adjoints may differ in a slope for the cost of rounding.

    They share the rounding of the result, which so costs nothing unless the slope is no larger.
    """
    inside = noise > DOUBLE * np.abs(flatten(y))
    return np.where(inside | (np.abs(y_dot) <= lost), lost, 0.0)


def asked_for(relative: float, y: Any, vector: Vector) -> Vector:
    """What a relative tolerance allows for each number, or for the size that its leaf has."""
    size = np.maximum(np.abs(vector), spread(y, vector))
    return relative * np.where(np.isfinite(size), size, 0.0)


def natural_size(y: Any, y_dot: Vector, x_dots: Any, noise: Vector) -> Vector:
    """By how much to divide each result for all to count alike.

    That is its slope, unless so small a slope has rounding in it by which a larger one of its leaf
    would not be judged; a tenth of the tolerance of products may be rounding.
    """
    working = noise * (_coarseness(y, x_dots) / DOUBLE)
    leaf = spread(y, y_dot)
    least = np.minimum(10.0 * working / of_products(y, x_dots), leaf)
    natural = np.maximum(np.where(np.isfinite(y_dot), np.abs(y_dot), 0.0), least)
    return np.where(natural > 0.0, natural, np.where(leaf > 0.0, leaf, 1.0))


def _coarseness(*trees: Any) -> float:
    """The largest machine epsilon in some trees, at least that of double precision."""
    return max(DOUBLE, *(float(np.max(precision(tree), initial=0.0)) for tree in trees))

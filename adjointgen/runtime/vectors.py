"""Functions of one number that a compiler turns into vector instructions.

Libraries compute one number at a time; these are straight lines of arithmetic, so that a loop over
an array computes as many entries at once as the processor has room for. Nothing here imports the
package: the source is copied into the generated modules that call it.
"""

import numpy as np


def plus(a: float, b: float) -> float:
    """`a + b` in a sum whose order is free: a compiler may add in several places at once."""
    return a + b


def vector_exp(x: float) -> float:
    """The exponential within one unit of its last place, by Cody and Waite's reduction."""
    x = 710.0 if x > 710.0 else x
    x = -746.0 if x < -746.0 else x
    # Added to 1.5 * 2**52, a number is rounded to the whole number in its last bits.
    moved = x * 1.4426950408889634 + 6755399441055744.0
    n = moved - 6755399441055744.0
    r = x - n * 6.93147180369123816490e-01 - n * 1.90821492927058770002e-10
    p = 1.1470745597729725e-11 * r + 1.6059043836821613e-10
    p = ((p * r + 2.08767569878681e-09) * r + 2.505210838544172e-08) * r
    p = ((p + 2.755731922398589e-07) * r + 2.7557319223985893e-06) * r
    p = ((p + 2.48015873015873e-05) * r + 1.984126984126984e-04) * r
    p = ((p + 1.388888888888889e-03) * r + 8.333333333333333e-03) * r
    p = ((p + 4.1666666666666664e-02) * r + 1.6666666666666666e-01) * r
    p = (p + 0.5) * r * r + r + 1.0
    # Times 2**n, in two steps, so that neither is too large or too small for a number.
    k = np.float64(moved).view(np.int64) - 4843621399236968448
    first = np.int64((k >> 1) + 1023 << 52).view(np.float64)
    return p * first * np.int64(k - (k >> 1) + 1023 << 52).view(np.float64)


def vector_tanh(x: float) -> float:
    """The hyperbolic tangent within three units of its last place: `(e**2x - 1) / (e**2x + 1)`."""
    y = 2.0 * x if x > 0.0 else -2.0 * x
    y = 44.0 if y > 44.0 else y
    moved = y * 1.4426950408889634 + 6755399441055744.0
    n = moved - 6755399441055744.0
    r = y - n * 6.93147180369123816490e-01 - n * 1.90821492927058770002e-10
    p = 1.1470745597729725e-11 * r + 1.6059043836821613e-10
    p = ((p * r + 2.08767569878681e-09) * r + 2.505210838544172e-08) * r
    p = ((p + 2.755731922398589e-07) * r + 2.7557319223985893e-06) * r
    p = ((p + 2.48015873015873e-05) * r + 1.984126984126984e-04) * r
    p = ((p + 1.388888888888889e-03) * r + 8.333333333333333e-03) * r
    p = ((p + 4.1666666666666664e-02) * r + 1.6666666666666666e-01) * r
    p = (p + 0.5) * r * r + r
    # e**y - 1, whose leading digits do not cancel for small y.
    k = np.float64(moved).view(np.int64) - 4843621399236968448
    scale = np.int64(k + 1023 << 52).view(np.float64)
    m = p * scale + (scale - 1.0)
    found = m / (m + 2.0)
    return found if x > 0.0 else -found if x < 0.0 else x

"""Functions of `cmath` by those of NumPy and `math`."""

# mypy: ignore-errors

from __future__ import annotations

import math

import numpy as np


def phase(x):
    """The angle in radians."""
    return float(np.angle(x))


def polar(x):
    """The absolute value and the angle."""
    return abs(x), float(np.angle(x))


def rect(r, phi):
    """The number of this absolute value and angle."""
    return complex(r * math.cos(phi), r * math.sin(phi))


def exp(z):
    """`np.exp` of a complex number."""
    return complex(np.exp(complex(z)))


def sqrt(z):
    """`np.sqrt` of a complex number."""
    return complex(np.sqrt(complex(z)))


def sin(z):
    """`np.sin` of a complex number."""
    return complex(np.sin(complex(z)))


def cos(z):
    """`np.cos` of a complex number."""
    return complex(np.cos(complex(z)))


def tan(z):
    """`np.tan` of a complex number."""
    return complex(np.tan(complex(z)))


def sinh(z):
    """`np.sinh` of a complex number."""
    return complex(np.sinh(complex(z)))


def cosh(z):
    """`np.cosh` of a complex number."""
    return complex(np.cosh(complex(z)))


def tanh(z):
    """`np.tanh` of a complex number."""
    return complex(np.tanh(complex(z)))


def asin(z):
    """`np.arcsin` of a complex number."""
    return complex(np.arcsin(complex(z)))


def acos(z):
    """`np.arccos` of a complex number."""
    return complex(np.arccos(complex(z)))


def atan(z):
    """`np.arctan` of a complex number."""
    return complex(np.arctan(complex(z)))


def asinh(z):
    """`np.arcsinh` of a complex number."""
    return complex(np.arcsinh(complex(z)))


def acosh(z):
    """`np.arccosh` of a complex number."""
    return complex(np.arccosh(complex(z)))


def atanh(z):
    """`np.arctanh` of a complex number."""
    return complex(np.arctanh(complex(z)))


def log(z, base=None):
    """The logarithm, natural if no base is given; there is none of zero."""
    if z == 0:
        raise ValueError("math domain error")
    if base is None:
        return complex(np.log(complex(z)))
    return complex(np.log(complex(z)) / np.log(complex(base)))


def log10(z):
    """The logarithm to the base of ten; there is none of zero."""
    if z == 0:
        raise ValueError("math domain error")
    return complex(np.log10(complex(z)))

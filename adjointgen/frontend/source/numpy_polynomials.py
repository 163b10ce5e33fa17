"""Polynomials of NumPy, as a user would write them: what is known of their instances.

A call of `np.polynomial.Polynomial` or `np.poly1d` in a function makes one of these instead, and
one that the module holds is taken for one with its coefficients. The methods are lowered like those
of any class.

How many coefficients a result has depends on which of them vanish. So they can be asked for where
they were given, and what arithmetic gives is evaluated only. The class has no attribute
`trimmed_coefficients`, so a read of it refuses the program. Which class an object is of is asked of
NumPy's own alone.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


class Operators:
    """What both kinds have, by their `+`, `*` and unary `-`."""

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __rmul__(self, other):
        return self * other

    def __eq__(self, other):
        return self.trimmed_coefficients

    def __ne__(self, other):
        return self.trimmed_coefficients

    def __bool__(self):
        return self.trimmed_coefficients

    def __getitem__(self, key):
        return self.trimmed_coefficients


class RisingValues(Operators):
    """What is made of polynomials in rising powers; some of the last coefficients may be zero."""

    domain = window = symbol = property(lambda self: self.trimmed_coefficients)

    def __init__(self, coef):
        self._all = coef

    def __call__(self, arg):
        return np.polyval(self._all[::-1], arg)

    def deriv(self, m=1):
        return RisingValues(derived(self._all[::-1], m)[::-1])

    def integ(self, m=1):
        return RisingValues(integrated(self._all[::-1], m, 0.0)[::-1])

    def __neg__(self):
        return RisingValues(-self._all)

    def __add__(self, other):
        return RisingValues(added(self._all[::-1], coefficients(self, other)[::-1])[::-1])

    def __mul__(self, other):
        return RisingValues(np.convolve(self._all, coefficients(self, other)))

    def __truediv__(self, other):
        return RisingValues(self._all / divisor(self, other))


class Polynomial(RisingValues):
    """Coefficients of rising powers, as they were given."""

    def __init__(self, coef):
        if len(coef) == 0:
            raise ValueError("Coefficient array is empty")
        self._all = np.asarray(coef, dtype=float)

    @property
    def coef(self):
        return self._all

    def __len__(self):
        return len(self._all)

    def degree(self):
        return len(self._all) - 1


class Poly1d(Operators):
    """Coefficients of falling powers, with those that NumPy leaves out as they are zero."""

    c = coef = coeffs = coefficients = property(lambda self: self.trimmed_coefficients)
    o = order = r = roots = variable = property(lambda self: self.trimmed_coefficients)

    def __init__(self, c_or_r):
        self._all = np.asarray(c_or_r)

    def __call__(self, val):
        return np.polyval(self._all, val)

    def deriv(self, m=1):
        return Poly1d(derived(self._all, m))

    def integ(self, m=1, k=0.0):
        return Poly1d(integrated(self._all, m, number(self, k)))

    def __neg__(self):
        return Poly1d(-self._all)

    def __add__(self, other):
        return Poly1d(added(self._all, coefficients(self, other)))

    def __mul__(self, other):
        return Poly1d(np.convolve(self._all, coefficients(self, other)))

    def __truediv__(self, other):
        return Poly1d(self._all / number(self, other))


def coefficients(own, other):
    """Those of another polynomial, or of a number."""
    if isinstance(other, (RisingValues, Poly1d)):
        return other._all
    return np.ones(1) * number(own, other)


def number(own, value):
    """A number that stands beside a polynomial."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        return own.number_beside_it
    return value


def divisor(own, value):
    """A number that a polynomial in rising powers is divided by."""
    if number(own, value) == 0.0:
        raise ZeroDivisionError("float division by zero")
    return value


def added(a, b):
    """The sum of coefficients of falling powers."""
    n, m = len(a), len(b)
    if n == m:
        return a + b
    if n > m:
        return np.concatenate((a[: n - m], a[n - m :] + b))
    return np.concatenate((b[: m - n], a + b[m - n :]))


def derived(coeffs, m):
    """The coefficients of a derivative, by falling powers."""
    if m < 0:
        raise ValueError("The order of derivation must be non-negative")
    for _ in range(m):
        n = len(coeffs)
        coeffs = coeffs[:-1] * np.arange(n - 1, 0, -1) if n > 1 else 0.0 * coeffs
    return coeffs


def integrated(coeffs, m, k):
    """The coefficients of an antiderivative, by falling powers; its constant is `k`."""
    if m < 0:
        raise ValueError("The order of integration must be non-negative")
    for _ in range(m):
        whole = coeffs / np.arange(float(len(coeffs)), 0.0, -1.0)
        coeffs = np.concatenate((whole, np.ones(1) * k))
    return coeffs


POLYNOMIALS = (RisingValues, Poly1d)

"""Polynomials of NumPy, as a user would write them: what is known of their instances.

A call of `np.polynomial.Polynomial` or `np.poly1d` in a function makes one of these instead, and
one that the module holds is taken for one with its coefficients. The methods are lowered like those
of any class.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


class Polynomial:
    """Coefficients of rising powers."""

    def __init__(self, coef):
        self.coef = np.atleast_1d(np.asarray(coef, dtype=float))

    def __call__(self, arg):
        return np.polyval(self.coef[::-1], arg)

    def __len__(self):
        return len(self.coef)

    def degree(self):
        return len(self.coef) - 1

    def deriv(self, m=1):
        coef = self.coef
        for _ in range(m):
            n = len(coef)
            coef = coef[1:] * np.arange(1.0, n) if n > 1 else 0.0 * coef
        return Polynomial(coef)

    def integ(self, m=1):
        coef = self.coef
        for _ in range(m):
            coef = np.concatenate((np.zeros(1), coef / np.arange(1.0, len(coef) + 1.0)))
        return Polynomial(coef)

    def __neg__(self):
        return Polynomial(-self.coef)

    def __add__(self, other):
        if not isinstance(other, Polynomial):
            other = Polynomial(other)
        a, b = self.coef, other.coef
        n, m = len(a), len(b)
        if n == m:
            return Polynomial(a + b)
        if n > m:
            return Polynomial(np.concatenate((a[:m] + b, a[m:])))
        return Polynomial(np.concatenate((a + b[:n], b[n:])))

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, Polynomial):
            return Polynomial(np.convolve(self.coef, other.coef))
        return Polynomial(self.coef * other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return Polynomial(self.coef / other)


class Poly1d:
    """Coefficients of falling powers, with those that NumPy leaves out as they are zero."""

    def __init__(self, c_or_r):
        self._all = np.atleast_1d(np.asarray(c_or_r, dtype=float))

    def __call__(self, val):
        return np.polyval(self._all, val)

    def deriv(self, m=1):
        coeffs = self._all
        for _ in range(m):
            n = len(coeffs)
            coeffs = coeffs[:-1] * np.arange(n - 1.0, 0.0, -1.0) if n > 1 else 0.0 * coeffs
        return Poly1d(coeffs)

    def integ(self, m=1, k=0.0):
        coeffs = self._all
        for _ in range(m):
            n = len(coeffs)
            whole = coeffs / np.arange(float(n), 0.0, -1.0)
            coeffs = np.concatenate((whole, np.ones(1) * k))
        return Poly1d(coeffs)

    def __neg__(self):
        return Poly1d(-self._all)

    def __add__(self, other):
        if not isinstance(other, Poly1d):
            other = Poly1d(other)
        a, b = self._all, other._all
        n, m = len(a), len(b)
        if n == m:
            return Poly1d(a + b)
        if n > m:
            return Poly1d(np.concatenate((a[: n - m], a[n - m :] + b)))
        return Poly1d(np.concatenate((b[: m - n], a + b[m - n :])))

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, Poly1d):
            return Poly1d(np.convolve(self._all, other._all))
        return Poly1d(self._all * other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        return Poly1d(self._all / other)

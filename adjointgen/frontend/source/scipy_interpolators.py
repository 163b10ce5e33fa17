"""Interpolators of SciPy, as a user would write them: what is known of their instances.

A call of `scipy.interpolate.CubicSpline` in a function makes one of these instead, whose methods
are lowered like those of any class. Points and values may both depend on what is differentiated.
(Fritsch and Butland 1984; Akima 1970; de Boor 1978, chapter IV.)
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


class Cubic:
    """Cubics between points, of which the slopes at the points are known."""

    def pieces(self, at):
        """The number of the interval, the place in it, and the coefficients there."""
        x, y, s = self.x, self.y, self.s
        i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
        dx = x[i + 1] - x[i]
        slope = (y[i + 1] - y[i]) / dx
        t = (s[i] + s[i + 1] - 2.0 * slope) / dx
        return at - x[i], t / dx, (slope - s[i]) / dx - t, s[i], y[i]

    def __call__(self, x, nu=0, extrapolate=None):
        at = np.asarray(x)
        beyond = self.extrapolate if extrapolate is None else extrapolate
        if beyond == "periodic":
            at = self.x[0] + np.mod(at - self.x[0], self.x[-1] - self.x[0])
        h, a, b, c, d = self.pieces(at)
        if nu == 0:
            found = ((a * h + b) * h + c) * h + d
        elif nu == 1:
            found = (3.0 * a * h + 2.0 * b) * h + c
        elif nu == 2:
            found = 6.0 * a * h + 2.0 * b
        else:
            found = 6.0 * a if nu == 3 else 0.0 * h
        if beyond:
            return found
        return np.where((at < self.x[0]) | (at > self.x[-1]), np.nan, found)


class CubicSpline(Cubic):
    """Slopes that make the second derivative continuous."""

    def __init__(self, x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
        self.x = np.asarray(x)
        self.y = np.asarray(y)
        self.extrapolate = True if extrapolate is None else extrapolate
        self.s = self.slopes(bc_type)

    def slopes(self, bc_type):
        n = len(self.x)
        dx = self.x[1:] - self.x[:-1]
        slope = (self.y[1:] - self.y[:-1]) / dx
        matrix = np.zeros((n, n))
        right = np.zeros(n)
        for i in range(1, n - 1):
            matrix[i, i - 1] = dx[i]
            matrix[i, i] = 2.0 * (dx[i - 1] + dx[i])
            matrix[i, i + 1] = dx[i - 1]
            right[i] = 3.0 * (dx[i] * slope[i - 1] + dx[i - 1] * slope[i])
        if bc_type == "natural":
            matrix[0, 0], matrix[0, 1], right[0] = 2.0, 1.0, 3.0 * slope[0]
            matrix[-1, -1], matrix[-1, -2], right[-1] = 2.0, 1.0, 3.0 * slope[-1]
        elif bc_type == "clamped":
            matrix[0, 0], matrix[-1, -1] = 1.0, 1.0
        else:
            self.without_knots(dx, slope, matrix, right)
        return np.linalg.solve(matrix, right)

    def without_knots(self, dx, slope, matrix, right):
        """The first two cubics are one, and the last two; of three points it is a parabola."""
        if len(self.x) == 3:
            matrix[0, 0], matrix[0, 1], right[0] = 1.0, 1.0, 2.0 * slope[0]
            matrix[-1, -1], matrix[-1, -2], right[-1] = 1.0, 1.0, 2.0 * slope[-1]
        else:
            d, e = self.x[2] - self.x[0], self.x[-1] - self.x[-3]
            matrix[0, 0], matrix[0, 1] = dx[1], d
            right[0] = ((dx[0] + 2.0 * d) * dx[1] * slope[0] + dx[0] ** 2 * slope[1]) / d
            matrix[-1, -1], matrix[-1, -2] = dx[-2], e
            last = dx[-1] ** 2 * slope[-2] + (2.0 * e + dx[-1]) * dx[-2] * slope[-1]
            right[-1] = last / e


class PchipInterpolator(Cubic):
    """Slopes that make no new extremes."""

    def __init__(self, x, y, axis=0, extrapolate=None):
        self.x = np.asarray(x)
        self.y = np.asarray(y)
        self.extrapolate = True if extrapolate is None else extrapolate
        self.s = self.slopes()

    def slopes(self):
        dx = self.x[1:] - self.x[:-1]
        slope = (self.y[1:] - self.y[:-1]) / dx
        s = np.zeros(len(self.x))
        for i in range(1, len(s) - 1):
            before, after = slope[i - 1], slope[i]
            if before * after > 0.0:
                first = 2.0 * dx[i] + dx[i - 1]
                second = dx[i] + 2.0 * dx[i - 1]
                s[i] = (first + second) / (first / before + second / after)
        s[0] = self.at_end(dx[0], dx[1], slope[0], slope[1])
        s[-1] = self.at_end(dx[-1], dx[-2], slope[-1], slope[-2])
        return s

    def at_end(self, h, other, slope, next_slope):
        """A parabola through three points, as far as it keeps the shape."""
        d = ((2.0 * h + other) * slope - h * next_slope) / (h + other)
        if np.sign(d) != np.sign(slope):
            d = 0.0 * slope
        elif np.sign(slope) != np.sign(next_slope) and abs(d) > 3.0 * abs(slope):
            d = 3.0 * slope
        return d


class Akima1DInterpolator(Cubic):
    """Slopes that follow the nearest points."""

    def __init__(self, x, y, axis=0, *, method="akima", extrapolate=None):
        self.x = np.asarray(x)
        self.y = np.asarray(y)
        self.extrapolate = False if extrapolate is None else extrapolate
        self.s = self.slopes()

    def slopes(self):
        slope = (self.y[1:] - self.y[:-1]) / (self.x[1:] - self.x[:-1])
        first = 2.0 * slope[0] - slope[1]
        last = 2.0 * slope[-1] - slope[-2]
        before = np.stack((2.0 * first - slope[0], first))
        after = np.stack((last, 2.0 * last - slope[-1]))
        m = np.concatenate((before, slope, after))
        change = np.abs(m[1:] - m[:-1])
        left, right = change[2:], change[:-2]
        total = left + right
        bent = total > 1e-9 * np.max(total)
        weighted = (left * m[1:-2] + right * m[2:-1]) / np.where(bent, total, 1.0)
        return np.where(bent, weighted, 0.5 * (m[3:] + m[:-3]))


class Interpolated(Cubic):
    """`interp1d`: lines, or a cubic spline."""

    def __init__(
        self,
        x,
        y,
        kind="linear",
        axis=-1,
        copy=True,
        bounds_error=None,
        fill_value=np.nan,
        assume_sorted=False,
    ):
        order = np.arange(len(x)) if assume_sorted else np.argsort(np.asarray(x))
        self.x = np.asarray(x)[order]
        self.y = np.asarray(y)[order]
        self.fails = (bounds_error is None and fill_value != "extrapolate") or bounds_error
        self.fill = np.nan if fill_value is None else fill_value
        self.kind = kind
        if kind == "cubic":
            self.spline = CubicSpline(self.x, self.y)

    def __call__(self, x):
        at = np.asarray(x)
        if self.kind == "cubic":
            found = self.spline(at)
        else:
            i = np.clip(np.searchsorted(self.x, at) - 1, 0, len(self.x) - 2)
            slope = (self.y[i + 1] - self.y[i]) / (self.x[i + 1] - self.x[i])
            found = slope * (at - self.x[i]) + self.y[i]
        return self.limited(at, found)

    def limited(self, at, found):
        """Beyond the points: an error, the line that was last, or what was given for it."""
        if self.fill == "extrapolate":
            return found
        outside = (at < self.x[0]) | (at > self.x[-1])
        if self.fails and np.any(outside):
            raise ValueError("A value in x_new is outside of the interpolation range.")
        return np.where(outside, self.fill, found)


class Grid:
    """Lines along each axis of a grid, one after the other: `RegularGridInterpolator`."""

    def __init__(self, points, values, method="linear", bounds_error=True, fill_value=np.nan):
        self.points = [np.asarray(p) for p in points]
        self.values = np.ravel(values)
        self.fails, self.fill = bounds_error, fill_value

    def __call__(self, xi):
        if isinstance(xi, tuple):
            return self.at(np.broadcast_arrays(*xi))
        at = np.asarray(xi)
        if at.ndim == 1:
            at = at[None, :]
        return self.at([at[..., k] for k in range(len(self.points))])

    def at(self, places):
        axes = list(zip(self.points, places, strict=True))
        cells = [self.cell(p, x) for p, x in axes]
        parts = [(x - p[i]) / (p[i + 1] - p[i]) for (p, x), i in zip(axes, cells, strict=True)]
        outside = np.zeros(np.shape(places[0]), dtype=bool)
        for p, x in axes:
            outside = outside | (x < p[0]) | (x > p[-1])
        if self.fails and np.any(outside):
            raise ValueError("One of the requested xi is out of bounds.")
        total = self.corners(cells, parts)
        return total if self.fails or self.fill is None else np.where(outside, self.fill, total)

    def cell(self, p, x):
        """The number of the interval in which a place is."""
        if np.any(p[1:] <= p[:-1]):
            raise ValueError("The points must be strictly ascending.")
        return np.clip(np.searchsorted(p, x, side="right") - 1, 0, len(p) - 2)

    def corners(self, cells, parts):
        """The values around, each with its weight."""
        total = np.zeros_like(parts[0])
        for corner in range(2 ** len(self.points)):
            place, weight = 0, 1.0
            for k, (p, i, t) in enumerate(zip(self.points, cells, parts, strict=True)):
                upper = corner // 2**k % 2
                place = place * len(p) + i + upper
                weight = weight * (1.0 - t + upper * (2.0 * t - 1.0))
            total = total + weight * self.values[place]
        return total


CURVES = frozenset({CubicSpline, PchipInterpolator, Akima1DInterpolator, Interpolated})
"""Those of one variable, of which a call gives an array without axes for a number."""

"""Functions with an equation: loops whose derivative is that of what they converge to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import fsolve

from adjointgen import custom
from tests.everyday.cases import Cases

CASES = Cases()
at = CASES.at
V = np.array([0.7, 1.3, 2.1])
M = np.array([[3.0, 0.5, 0.2], [0.1, 2.5, 0.4], [0.3, 0.2, 3.5]])
Q = np.linspace(0.1, 1.5, 12).reshape(3, 4)


def cubic(z: float, a: float, b: float) -> float:
    cube = z**3
    return cube + b * z - a


@at(1.3, 0.4)
@custom(residual=cubic)
def newton(a: float, b: float, start: float = 1.0, steps: int = 40) -> float:
    z = start
    for _ in range(steps):
        z = z - cubic(z, a, b) / (3.0 * z * z + b)
    return z


@at(1.3, 0.4)
def from_here_and_there(a: float, b: float) -> float:
    """The start has no influence, by whatever it is given."""
    near = newton(a * b, 2.0 * b)
    return newton(b=a, a=near, start=near * a) ** 2 * a + near


@at(1.3)
def in_a_loop(a: float) -> float:
    total = 0.0
    for k in range(3):
        total += newton(a * k + 0.5, total + 1.0) * a
    return total


def relaxed(z: Any, a: Any, m: Any) -> Any:
    return z - 0.2 * (m @ z + 0.1 * np.sin(z) - a)


@custom(step=relaxed)
def iterated(a: Any, m: Any, *, tolerance: float = 1e-15) -> Any:
    z = np.zeros(len(a))
    while True:
        after = relaxed(z, a, m)
        if np.max(np.abs(after - z)) <= tolerance:
            return after
        z = after


@at(V, M)
def around(a: Any, m: Any) -> Any:
    z = iterated(a * a, m)
    return np.sum(iterated(z, m, tolerance=1e-14) * z)


@at(2.3)
@custom(step=lambda z, a: 0.5 * (z + a / z))
def babylonian(a: float) -> float:
    z = a
    while abs(z * z - a) > 1e-14:
        z = 0.5 * (z + a / z)
    return z


def heated(u: Any, q: Any) -> Any:
    v = np.zeros_like(u)
    v[1:-1, 1:-1] = 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return v + q * np.cos(u)


@custom(step=heated)
def field(q: Any) -> Any:
    """Unknowns of two axes; the loop writes into its own array."""
    u = np.zeros_like(q)
    for _ in range(3000):
        u[:] = 0.5 * (u + heated(u, q))
    return u


@at(Q)
def energy(q: Any) -> Any:
    return np.sum(field(q * q) ** 2)


@at(1.3, 0.4)
def inside(a: float, b: float) -> float:
    """Names of the function around it, which the equation reads too."""
    scale = math.sin(b)

    @custom(residual=lambda z, c: z**3 + scale * z - c)
    def solve(c: float) -> float:
        z = 1.0
        for _ in range(60):
            z -= (z**3 + scale * z - c) / (3.0 * z * z + scale)
        return z

    t = solve(2.0 * a)
    return t + solve(t)


def made(k: float) -> Any:
    def equation(z: float, a: float) -> float:
        return z**3 + k * z - a

    @custom(residual=equation)
    def solve(a: float) -> float:
        z = 1.0
        for _ in range(60):
            z -= equation(z, a) / (3.0 * z * z + k)
        return z

    return solve


CASES.at(1.3, name="of_a_factory")(made(0.5))


class Spring:
    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    def force(z: float, self: Any, load: float) -> float:
        return self.stiffness * z + z**3 - load

    @custom(residual=force)
    def rest(self, load: float) -> float:
        z = 0.0
        for _ in range(60):
            z -= (self.stiffness * z + z**3 - load) / (self.stiffness + 3.0 * z * z)
        return z


@at(1.3, 0.4)
def method(k: float, load: float) -> float:
    return Spring(k).rest(load) * load


@at(V)
@custom(residual=lambda z, c: (c[2] * z + c[1]) * z - c[0])
def not_read(c: Any) -> float:
    """What finds the root is code without a rule."""
    return float(np.max(np.polynomial.Polynomial([-c[0], c[1], c[2]]).roots()))


@custom(residual=lambda z, a: z + 0.1 * z**3 - a)
def bent(a: Any) -> Any:
    return fsolve(lambda z: z + 0.1 * z**3 - a, a, xtol=1e-14)


@at(V)
def by_scipy(a: Any) -> Any:
    z = bent(a)
    return z @ z + z[1]

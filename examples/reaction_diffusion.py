"""The Brusselator on a square: stiff equations of 512 unknowns, by an implicit method.

Radau solves linear systems with the Jacobian, of which 6 entries in a row are not zero.
"""

import numpy as np
from measured import Counted, compare, measured
from scipy.integrate import solve_ivp

from adjointgen import jacobian, sparsity

SIDE = 16


def rate(t, u, alpha=0.1):
    """The change of both species; opposite sides of the square are one."""
    a, b = u.reshape(2, SIDE, SIDE)
    spread = alpha * SIDE**2
    found = np.empty((2, SIDE, SIDE))
    found[0] = 1.0 + a * a * b - 4.4 * a + spread * laplacian(a)
    found[1] = 3.4 * a - a * a * b + spread * laplacian(b)
    return found.ravel()


def laplacian(c):
    rows = np.roll(c, 1, 0) + np.roll(c, -1, 0)
    return rows + np.roll(c, 1, 1) + np.roll(c, -1, 1) - 4.0 * c


def start():
    x, y = np.meshgrid(*2 * [np.arange(SIDE) / SIDE], indexing="ij")
    a = 22.0 * (y * (1.0 - y)) ** 1.5
    b = 27.0 * (x * (1.0 - x)) ** 1.5
    return np.concatenate([a.ravel(), b.ravel()])


def solved(rate, **more):
    return solve_ivp(
        rate, (0.0, 1.0), start(), method="Radau", rtol=1e-5, atol=1e-7, **more
    )


def main():
    rates = [Counted(rate) for _ in range(3)]
    matrix = Counted(jacobian(rate, wrt="u", sparse=True))
    exact = measured(
        "sparse Jacobian",
        lambda: solved(rates[0], jac=matrix),
        rates[0],
        matrix,
        twice=True,
    )
    pattern = sparsity(rate, 0.0, start(), wrt="u")
    grouped = measured(
        "differences, pattern",
        lambda: solved(rates[1], jac_sparsity=pattern),
        rates[1],
    )
    dense = measured("differences", lambda: solved(rates[2]), rates[2])
    for found, _, _ in (grouped, dense):
        apart = np.max(np.abs(found.y[:, -1] - exact[0].y[:, -1]))
        print(f"distance from the first solution {apart:.1e}")
    compare(exact, grouped)
    compare(exact, dense)


if __name__ == "__main__":
    main()

"""Which initial temperatures lead to a wanted profile? Gradient descent on the start of `heat`.

The gradient comes from heat_ad.py, which is generated and needs nothing but NumPy.
"""

import numpy as np
from heat_ad import heat_adjoint

ALPHA = 0.02


def fit(wanted, rounds=200):
    """The initial temperatures between the ends after so many rounds, and the misfits on the way."""
    u0 = wanted.copy()
    # A step of the heat equation enlarges nothing between the ends, so that the curvature of the
    # misfit is 2 / n at most.
    length = 0.5 * len(u0)
    misfits = []
    for _ in range(rounds):
        misfit, u0_bar, _ = heat_adjoint(u0, ALPHA, wanted)
        misfits.append(float(misfit))
        u0[1:-1] -= length * u0_bar[1:-1]
    return u0, misfits


def main():
    x = np.linspace(0.0, 1.0, 41)
    wanted = np.exp(-100.0 * (x - 0.4) ** 2)
    u0, misfits = fit(wanted)
    for k in (0, 10, 50, len(misfits) - 1):
        print(f"round {k:3d}: misfit {misfits[k]:.2e}")
    _, _, alpha_bar = heat_adjoint(u0, ALPHA, wanted)
    print(f"The start has its peak at {u0.max():.2f}, the wanted profile at {wanted.max():.2f}.")
    print(f"The misfit changes by {alpha_bar:.2e} per unit of the diffusion number.")


if __name__ == "__main__":
    main()

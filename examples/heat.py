"""The heat equation on a rod, stepped in place, and how far it ends from a wanted profile."""

import numpy as np

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]


def heat(u0: Vector, alpha: float, wanted: Vector, steps: int = 100):
    """Mean squared misfit after `steps` explicit steps; `alpha` is the diffusion number."""
    u = u0.copy()
    for _ in range(steps):
        # The ends are held at their temperature.
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    misfit = u - wanted
    return np.mean(misfit * misfit)

"""Problems with sparse Jacobians, each with arguments of small size."""

from collections.abc import Callable
from typing import Any

import numpy as np

RNG = np.random.default_rng(11)


def brusselator(u: Any, alpha: float = 0.02) -> Any:
    """Two species on a line, whose ends are held."""
    n = len(u) // 2
    a, b = u[:n], u[n:]
    rate = np.zeros(2 * n)
    rate[:n] = 1.0 + a * a * b - 4.0 * a
    rate[n:] = 3.0 * a - a * a * b
    rate[1 : n - 1] += alpha * (n - 1) ** 2 * (a[2:] - 2.0 * a[1:-1] + a[:-2])
    rate[n + 1 : 2 * n - 1] += alpha * (n - 1) ** 2 * (b[2:] - 2.0 * b[1:-1] + b[:-2])
    return rate


def brusselator_plane(u: Any) -> Any:
    """Two species on a square whose opposite sides are one."""
    a, b = u
    rate = np.zeros(u.shape)
    for k, c in enumerate((a, b)):
        around = np.roll(c, 1, 0) + np.roll(c, -1, 0) + np.roll(c, 1, 1) + np.roll(c, -1, 1)
        rate[k] = 0.1 * (around - 4.0 * c)
    rate[0] += 1.0 + a * a * b - 4.4 * a
    rate[1] += 3.4 * a - a * a * b
    return rate


def tridiagonal(x: Any) -> Any:
    """Broyden's system, number by number."""
    found = np.zeros(len(x))
    for i in range(len(x)):
        found[i] = (3.0 - 2.0 * x[i]) * x[i] + 1.0
        if i > 0:
            found[i] -= x[i - 1]
        if i < len(x) - 1:
            found[i] -= 2.0 * x[i + 1]
    return found


def arrow(x: Any) -> Any:
    """Each equation has the first unknown and its own; the first has all."""
    found = x[0] * x**2
    found[0] = np.sum(np.sin(x))
    return found


CAMERAS, POINTS = 3, 5
SEEN = np.array([(k, j) for j in range(POINTS) for k in range(CAMERAS) if (k + j) % 3])


def bundle(cameras: Any, points: Any) -> Any:
    """Residuals of points that some of the cameras see: a shift and a length of each camera."""
    found = np.zeros((len(SEEN), 2))
    for i in range(len(SEEN)):
        camera = cameras[SEEN[i, 0]]
        x, y, z = points[SEEN[i, 1]] - camera[:3]
        found[i] = camera[3] * np.array([x, y]) / z
    return found


ELEMENTS = np.array([[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]])


def elements(u: Any) -> Any:
    """Forces of triangles that are put together at their corners."""
    forces = np.zeros(6)
    for corners in ELEMENTS:
        local = u[corners]
        np.add.at(forces, corners, local * np.sum(local**2) - np.roll(local, 1))
    return forces


def control(z: Any, steps: int = 6) -> Any:
    """Defects of a pendulum between the nodes of a transcription: two states and a torque each."""
    angle, speed, torque = z[:steps], z[steps : 2 * steps], z[2 * steps :]
    h = 1.0 / (steps - 1)
    middle = 0.5 * (speed[1:] + speed[:-1])
    pull = -np.sin(angle) + torque
    defects = (
        angle[1:] - angle[:-1] - h * middle,
        np.diff(speed) - 0.5 * h * (pull[1:] + pull[:-1]),
    )
    return np.concatenate([*defects, [angle[0], speed[0]]])


def by_matrix(x: Any) -> Any:
    """A product with a constant matrix has the entries of this matrix."""
    second = np.diag(np.full(7, 2.0)) - np.diag(np.ones(6), 1) - np.diag(np.ones(6), -1)
    return second @ x + np.convolve(x, [1.0, -1.0], "same") * (np.arange(7) > 3)


def chained(x: Any) -> Any:
    """Memory that is written again, read as a view, and moved."""
    u = x.copy()
    for _ in range(2):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - u[:-2])
    v = u.reshape(2, -1).T.ravel()
    v = np.concatenate([np.zeros(3), v[3:]])
    return np.where(np.arange(len(v)) % 2 == 0, v, np.cumsum(v))


def few_rows(x: Any) -> Any:
    """Two numbers of many."""
    return np.array([np.sum(x[:4] ** 2), np.max(x) + x[0] * x[-1]])


PROBLEMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "brusselator": (brusselator, (RNG.normal(size=12),)),
    "brusselator_plane": (brusselator_plane, (RNG.normal(size=(2, 4, 5)),)),
    "tridiagonal": (tridiagonal, (RNG.normal(size=9),)),
    "arrow": (arrow, (RNG.normal(size=6),)),
    "bundle": (bundle, (RNG.normal(size=(CAMERAS, 4)), RNG.normal(size=(POINTS, 3)))),
    "elements": (elements, (RNG.normal(size=6),)),
    "control": (control, (RNG.normal(size=18),)),
    "by_matrix": (by_matrix, (RNG.normal(size=7),)),
    "chained": (chained, (RNG.normal(size=8),)),
    "few_rows": (few_rows, (RNG.normal(size=8),)),
}

GROUPS = {
    "brusselator": 5,
    "brusselator_plane": 11,
    "tridiagonal": 3,
    "bundle": 8,
    "elements": 6,
    "control": 6,
    "by_matrix": 3,
}
"""At most so many sweeps. The fullest row of most has as many entries, or one fewer; on a torus of
four by five, where the fullest has six, nobody knows the least number."""


def coupled(x: Any) -> Any:
    """Rosenbrock's function in many unknowns."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def hub(x: Any) -> Any:
    """One unknown meets all others."""
    return np.sum(x[0] * x[1:] ** 3) + np.sum(np.exp(x))


def springs(x: Any) -> Any:
    """Places of a chain in the plane."""
    total = 0.0
    for k in range(len(x) - 1):
        total += (np.sqrt(np.sum((x[k + 1] - x[k]) ** 2)) - 1.0) ** 2
    return total + 0.1 * np.sum(x[:, 1])


def separable(x: Any) -> Any:
    return np.sum(np.cos(x) * x)


ENERGIES: dict[str, tuple[Callable[..., Any], Any, int]] = {
    "coupled": (coupled, RNG.normal(size=10), 3),
    "hub": (hub, RNG.normal(size=9), 2),
    "springs": (springs, RNG.normal(size=(6, 2)), 6),
    "separable": (separable, RNG.normal(size=5), 1),
}
"""Each with its argument, and how many products of the Hessian are enough."""

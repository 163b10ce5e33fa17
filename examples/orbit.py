"""A satellite around the Earth by the classical Runge–Kutta method."""

import math


def distance(
    x: float,
    y: float,
    vx: float,
    vy: float,
    mu: float = 398600.4418,
    step: float = 10.0,
    steps: int = 200,
):
    """Distance from the Earth's centre in km after `steps` steps of `step` seconds.

    Position in km, velocity in km/s, `mu` in km^3/s^2.
    """
    for _ in range(steps):
        ax1, ay1 = acceleration(x, y, mu)
        ax2, ay2 = acceleration(x + 0.5 * step * vx, y + 0.5 * step * vy, mu)
        vx2, vy2 = vx + 0.5 * step * ax1, vy + 0.5 * step * ay1
        ax3, ay3 = acceleration(x + 0.5 * step * vx2, y + 0.5 * step * vy2, mu)
        vx3, vy3 = vx + 0.5 * step * ax2, vy + 0.5 * step * ay2
        ax4, ay4 = acceleration(x + step * vx3, y + step * vy3, mu)
        vx4, vy4 = vx + step * ax3, vy + step * ay3
        x += step / 6.0 * (vx + 2.0 * vx2 + 2.0 * vx3 + vx4)
        y += step / 6.0 * (vy + 2.0 * vy2 + 2.0 * vy3 + vy4)
        vx += step / 6.0 * (ax1 + 2.0 * ax2 + 2.0 * ax3 + ax4)
        vy += step / 6.0 * (ay1 + 2.0 * ay2 + 2.0 * ay3 + ay4)
    return math.sqrt(x * x + y * y)


def acceleration(x, y, mu):
    """Two-body gravity."""
    r2 = x * x + y * y
    factor = -mu / (r2 * math.sqrt(r2))
    return factor * x, factor * y

"""The functions with NumPy's functions of numbers, which are those that tangent knows."""

import numpy as np
from scipy.special import erf

from tests.benchmarks.scalars.programs import recurrence


def formula(x, y):
    r = np.sqrt(x * x + y * y + 1.0)
    s = np.sin(x * y) * np.exp(-0.5 * r)
    t = np.log(r + 2.0) / (1.0 + s * s)
    return t * np.cos(x - y) + s * r - 0.25 * x


def pendulum(angle, speed, drag, steps):
    h = 0.01
    for _ in range(steps):
        a1 = -np.sin(angle) - drag * speed
        v2 = speed + 0.5 * h * a1
        a2 = -np.sin(angle + 0.5 * h * speed) - drag * v2
        v3 = speed + 0.5 * h * a2
        a3 = -np.sin(angle + 0.5 * h * v2) - drag * v3
        v4 = speed + h * a3
        a4 = -np.sin(angle + h * v3) - drag * v4
        angle = angle + h / 6.0 * (speed + 2.0 * v2 + 2.0 * v3 + v4)
        speed = speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return 0.5 * speed * speed - np.cos(angle)


def black_scholes(spot, strike, rate, volatility, years):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    first = 0.5 * (1.0 + erf(d1 / 2.0**0.5))
    second = 0.5 * (1.0 + erf(d2 / 2.0**0.5))
    return spot * first - strike * np.exp(-rate * years) * second


FUNCTIONS = {f.__name__: f for f in (formula, recurrence, pendulum, black_scholes)}

"""The price of a European call option, in closed form and on a binomial tree."""

import math

import numpy as np


def black_scholes(
    spot: float, strike: float, rate: float, volatility: float, years: float
):
    """Price of a European call (Black and Scholes 1973)."""
    spread = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    return spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d2)


def normal_cdf(x):
    """Probability that a standard normal variable is below `x`."""
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def binomial(
    spot: float,
    strike: float,
    rate: float,
    volatility: float,
    years: float,
    steps: int = 50,
):
    """Price of an American put on a tree (Cox, Ross and Rubinstein 1979)."""
    dt = years / steps
    up = math.exp(volatility * math.sqrt(dt))
    discount = math.exp(-rate * dt)
    p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    prices = spot * up ** (2.0 * np.arange(steps + 1) - steps)
    value = np.maximum(strike - prices, 0.0)
    for step in range(steps - 1, -1, -1):
        # One level down the tree, in place.
        value[: step + 1] = discount * (
            p * value[1 : step + 2] + (1.0 - p) * value[: step + 1]
        )
        exercise = strike - spot * up ** (2.0 * np.arange(step + 1) - step)
        value[: step + 1] = np.maximum(value[: step + 1], exercise)
    return value[0]

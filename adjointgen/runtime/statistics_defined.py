"""Functions of `statistics`, by sums that are rounded once, as those of `scipy_defined.py`.

Python computes them in fractions. This is read as text: nothing imports it.
"""

# mypy: ignore-errors

from __future__ import annotations

import math
import statistics

import scipy.special


def mean(data):
    """The mean."""
    values = list(data)
    if len(values) < 1:
        raise statistics.StatisticsError("mean requires at least one data point")
    return math.fsum(values) / len(values)


def fmean(data, weights=None):
    """The mean, which may be weighted."""
    values = list(data)
    if len(values) < 1:
        raise statistics.StatisticsError("fmean requires at least one data point")
    if weights is None:
        return math.fsum(values) / len(values)
    factors = list(weights)
    if len(factors) != len(values):
        raise statistics.StatisticsError("data and weights must be the same length")
    whole = math.fsum(factors)
    if whole == 0.0:
        raise statistics.StatisticsError("sum of weights must be non-zero")
    return math.fsum([v * w for v, w in zip(values, factors, strict=True)]) / whole


def squares(values, center):
    """The sum of squared distances from the center; None stands for the mean."""
    if center is not None:
        return math.fsum([(v - center) ** 2 for v in values])
    middle = math.fsum(values) / len(values)
    distances = [v - middle for v in values]
    # What the mean lacks of its digits is taken off: the two-pass algorithm of Chan and others.
    return math.fsum([d * d for d in distances]) - math.fsum(distances) ** 2 / len(values)


def variance(data, xbar=None):
    """The variance of a sample."""
    values = list(data)
    if len(values) < 2:
        raise statistics.StatisticsError("variance requires at least two data points")
    return squares(values, xbar) / (len(values) - 1)


def pvariance(data, mu=None):
    """The variance of a population."""
    values = list(data)
    if len(values) < 1:
        raise statistics.StatisticsError("pvariance requires at least one data point")
    return squares(values, mu) / len(values)


def stdev(data, xbar=None):
    """The standard deviation of a sample."""
    values = list(data)
    if len(values) < 2:
        raise statistics.StatisticsError("stdev requires at least two data points")
    return math.sqrt(squares(values, xbar) / (len(values) - 1))


def pstdev(data, mu=None):
    """The standard deviation of a population."""
    values = list(data)
    if len(values) < 1:
        raise statistics.StatisticsError("pstdev requires at least one data point")
    return math.sqrt(squares(values, mu) / len(values))


def _mean_stdev(data):
    """The mean and the standard deviation of a sample."""
    values = list(data)
    return mean(values), stdev(values)


def _normal_dist_inv_cdf(p, mu, sigma):
    """The quantile of a normal distribution."""
    return mu + sigma * scipy.special.ndtri(p)

"""The log-likelihood of a mixture of Gaussians, with a Wishart prior on the covariances.

The inverse of a covariance is Q' Q, where Q is lower triangular: `factors` holds the logarithms of
its diagonal and then what is below it, row by row.
"""

import math

import numpy as np

from tests.benchmarks.objectives.objective import Objective


def constant(n, d, k, gamma, m):
    """The part that does not depend on the parameters."""
    free = d + m + 1
    gammas = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        gammas += math.lgamma(0.5 * (free - j))
    prior = free * d * (math.log(gamma) - 0.5 * math.log(2.0)) - gammas
    return -0.5 * n * d * math.log(2.0 * math.pi) - k * prior


def arrays(alphas, means, factors, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    lower = np.zeros((k, d, d))
    for a in range(1, d):
        first = d + a * (a - 1) // 2
        lower[:, a, :a] = factors[:, first : first + a]
    diagonal = np.exp(factors[:, :d])
    sums = np.sum(factors[:, :d], axis=1)
    terms = np.zeros((n, k))
    for j in range(k):
        centred = x - means[j]
        y = centred * diagonal[j] + centred @ lower[j].T
        terms[:, j] = alphas[j] + sums[j] - 0.5 * np.sum(y * y, axis=1)
    top = np.max(terms, axis=1)
    likelihood = np.sum(np.log(np.sum(np.exp(terms - top[:, None]), axis=1)) + top)
    highest = np.max(alphas)
    weights = np.log(np.sum(np.exp(alphas - highest))) + highest
    squares = np.sum(diagonal * diagonal) + np.sum(factors[:, d:] ** 2)
    prior = 0.5 * gamma * gamma * squares - m * np.sum(sums)
    return likelihood - n * weights + prior + constant(n, d, k, gamma, m)


def _log_sum_exp(terms):
    top = terms[0]
    for j in range(1, terms.shape[0]):
        if terms[j] > top:
            top = terms[j]
    total = 0.0
    for j in range(terms.shape[0]):
        total += math.exp(terms[j] - top)
    return math.log(total) + top


def loops(alphas, means, factors, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    diagonal = np.zeros((k, d))
    sums = np.zeros(k)
    squares = 0.0
    for j in range(k):
        for a in range(d):
            diagonal[j, a] = math.exp(factors[j, a])
            sums[j] += factors[j, a]
            squares += diagonal[j, a] * diagonal[j, a]
        for a in range(d, factors.shape[1]):
            squares += factors[j, a] * factors[j, a]
    total = 0.0
    terms = np.zeros(k)
    for i in range(n):
        for j in range(k):
            size = 0.0
            for a in range(d):
                y = diagonal[j, a] * (x[i, a] - means[j, a])
                for b in range(a):
                    y += factors[j, d + a * (a - 1) // 2 + b] * (x[i, b] - means[j, b])
                size += y * y
            terms[j] = alphas[j] + sums[j] - 0.5 * size
        total += _log_sum_exp(terms)
    prior = 0.5 * gamma * gamma * squares
    for j in range(k):
        prior -= m * sums[j]
    return total - n * _log_sum_exp(alphas) + prior + constant(n, d, k, gamma, m)


def make(n, d, k):
    rng = np.random.default_rng(81)
    alphas, means = rng.standard_normal(k), rng.standard_normal((k, d))
    factors = 0.3 * rng.standard_normal((k, d + d * (d - 1) // 2))
    return alphas, means, factors, rng.standard_normal((n, d)), 1.3, 2


GMM = Objective(
    "Gaussian mixture",
    "Log-likelihood of points under a mixture of Gaussians, with a Wishart prior.",
    arrays,
    loops,
    make,
    {"tiny": (4, 3, 2), "small": (1000, 2, 5), "medium": (1000, 10, 10), "large": (2000, 20, 25)},
    3,
)

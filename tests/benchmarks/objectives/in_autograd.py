"""The objectives in autograd that it takes without arrays that are written to."""

from __future__ import annotations

from collections.abc import Callable

import autograd.numpy as anp
import numpy as np
from autograd import value_and_grad
from autograd.scipy.special import logsumexp

from tests.benchmarks.kernels.kernel import Arguments
from tests.benchmarks.objectives.gmm import constant
from tests.benchmarks.objectives.objective import Objective
from tests.benchmarks.timing import Run


def gmm(alphas, means, factors, x, gamma, m):
    n, d = x.shape
    k = alphas.shape[0]
    rows, columns = np.tril_indices(d, -1)
    places = np.zeros((len(rows), d * d))
    places[np.arange(len(rows)), rows * d + columns] = 1.0
    lower = anp.reshape(anp.dot(factors[:, d:], places), (k, d, d))
    diagonal, sums = anp.exp(factors[:, :d]), anp.sum(factors[:, :d], axis=1)
    terms = []
    for j in range(k):
        centred = x - means[j]
        y = centred * diagonal[j] + anp.dot(centred, lower[j].T)
        terms.append(alphas[j] + sums[j] - 0.5 * anp.sum(y * y, axis=1))
    squares = anp.sum(diagonal * diagonal) + anp.sum(factors[:, d:] ** 2)
    prior = 0.5 * gamma * gamma * squares - m * anp.sum(sums)
    total = anp.sum(logsumexp(anp.array(terms), axis=0)) - n * logsumexp(alphas)
    return total + prior + constant(n, d, k, gamma, m)


def lstm(weights, biases, extra, state, sequence):
    layers, width = weights.shape[0], sequence.shape[1]
    held = [(state[2 * i], state[2 * i + 1]) for i in range(layers)]
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        x = sequence[t] * extra[0]
        for i in range(layers):
            hidden, cell = held[i]
            w, b = weights[i], biases[i]
            forget = 1.0 / (1.0 + anp.exp(-(x * w[0] + b[0])))
            enter = 1.0 / (1.0 + anp.exp(-(hidden * w[1] + b[1])))
            leave = 1.0 / (1.0 + anp.exp(-(x * w[2] + b[2])))
            cell = cell * forget + enter * anp.tanh(hidden * w[3] + b[3])
            x = leave * anp.tanh(cell)
            held[i] = (x, cell)
        guess = x * extra[1] + extra[2]
        guess = guess - anp.log(anp.sum(anp.exp(guess)) + 2.0)
        total = total + anp.sum(sequence[t + 1] * guess)
    return -total / (width * (sequence.shape[0] - 1))


WRITTEN = {"Gaussian mixture": gmm, "LSTM": lstm}


def prepared(objective: Objective) -> Callable[[Arguments], Run]:
    """Calls of the value and the gradients."""
    both = value_and_grad(WRITTEN[objective.name], tuple(range(objective.count)))
    return lambda arguments: lambda: both(*arguments)

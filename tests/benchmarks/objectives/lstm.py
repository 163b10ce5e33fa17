"""A long short-term memory with diagonal weights that predicts the next entry of a sequence."""

import math

import numpy as np

from tests.benchmarks.objectives.objective import Objective


def _sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def arrays(weights, biases, extra, state, sequence):
    layers, width = weights.shape[0], sequence.shape[1]
    state = state.copy()
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        x = sequence[t] * extra[0]
        for i in range(layers):
            hidden, cell = state[2 * i], state[2 * i + 1]
            forget = _sigmoid(x * weights[i, 0] + biases[i, 0])
            enter = _sigmoid(hidden * weights[i, 1] + biases[i, 1])
            leave = _sigmoid(x * weights[i, 2] + biases[i, 2])
            change = np.tanh(hidden * weights[i, 3] + biases[i, 3])
            cell = cell * forget + enter * change
            x = leave * np.tanh(cell)
            state[2 * i], state[2 * i + 1] = x, cell
        guess = x * extra[1] + extra[2]
        guess = guess - np.log(np.sum(np.exp(guess)) + 2.0)
        total += np.sum(sequence[t + 1] * guess)
    return -total / (width * (sequence.shape[0] - 1))


def loops(weights, biases, extra, state, sequence):
    layers, width = weights.shape[0], sequence.shape[1]
    state = state.copy()
    x = np.zeros(width)
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        for b in range(width):
            x[b] = sequence[t, b] * extra[0, b]
        for i in range(layers):
            for b in range(width):
                hidden = state[2 * i, b]
                forget = 1.0 / (1.0 + math.exp(-(x[b] * weights[i, 0, b] + biases[i, 0, b])))
                enter = 1.0 / (1.0 + math.exp(-(hidden * weights[i, 1, b] + biases[i, 1, b])))
                leave = 1.0 / (1.0 + math.exp(-(x[b] * weights[i, 2, b] + biases[i, 2, b])))
                change = math.tanh(hidden * weights[i, 3, b] + biases[i, 3, b])
                cell = state[2 * i + 1, b] * forget + enter * change
                state[2 * i + 1, b] = cell
                x[b] = leave * math.tanh(cell)
                state[2 * i, b] = x[b]
        exponentials = 2.0
        for b in range(width):
            exponentials += math.exp(x[b] * extra[1, b] + extra[2, b])
        shift = math.log(exponentials)
        for b in range(width):
            total += sequence[t + 1, b] * (x[b] * extra[1, b] + extra[2, b] - shift)
    return -total / (width * (sequence.shape[0] - 1))


def make(layers, length, width):
    rng = np.random.default_rng(83)
    weights, biases = rng.standard_normal((2, layers, 4, width))
    extra, state = rng.standard_normal((3, width)), rng.standard_normal((2 * layers, width))
    return weights, biases, extra, state, rng.uniform(0.0, 1.0, (length, width))


LSTM = Objective(
    "LSTM",
    "The negative log-likelihood of a sequence, by the weights and the first state.",
    arrays,
    loops,
    make,
    {"tiny": (2, 4, 3), "small": (2, 256, 14), "medium": (2, 1024, 14), "large": (4, 1024, 14)},
    4,
)

"""A network of three layers for points in the plane, with cross-entropy as its loss."""

import numpy as np


def loss(params, points, labels):
    """Mean cross-entropy of the labels. `params` has a matrix and a vector for each layer."""
    hidden = np.tanh(points @ params["W1"] + params["b1"])
    hidden = np.tanh(hidden @ params["W2"] + params["b2"])
    scores = hidden @ params["W3"] + params["b3"]
    # The largest score is taken off, so that no exponential overflows.
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_sum = np.log(np.sum(np.exp(scores), axis=1))
    return np.mean(log_sum - scores[np.arange(len(labels)), labels])


def start(rng, sizes=(2, 32, 32, 3)):
    """Random parameters of a network with layers of these sizes."""
    params = {}
    for k, (n, m) in enumerate(zip(sizes[:-1], sizes[1:]), 1):
        params[f"W{k}"] = rng.normal(0.0, np.sqrt(1.0 / n), (n, m))
        params[f"b{k}"] = np.zeros(m)
    return params


def spirals(rng, count=100, arms=3):
    """Points on noisy arms of a spiral, and the number of the arm of each."""
    labels = np.repeat(np.arange(arms), count)
    radius = np.tile(np.linspace(0.05, 1.0, count), arms)
    angle = 4.0 * radius + labels * (2.0 * np.pi / arms) + rng.normal(0.0, 0.1, arms * count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1), labels


def example():
    """A call of `loss`, from which the kinds of its arguments are known."""
    rng = np.random.default_rng(0)
    points, labels = spirals(rng)
    return start(rng), points, labels

"""Logistic regression on arrays."""

import numpy as np

Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def loss(
    weights: Vector,
    bias: float,
    features: Matrix,
    labels: Vector,
    penalty: float = 0.01,
):
    """Mean negative log-likelihood with a ridge penalty; labels are 0 or 1."""
    scores = features @ weights + bias
    # log(1 + exp(z)) without overflow.
    softplus = np.maximum(scores, 0.0) + np.log1p(np.exp(-np.abs(scores)))
    likelihood = softplus - labels * scores
    return np.mean(likelihood) + penalty * np.sum(weights**2)

"""Layers of neural networks."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def _normalised(x):
    """Exponentials along the last axis, divided by their sum."""
    top = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - top)
    return e / np.sum(e, axis=-1, keepdims=True)


def softmax(x):
    """Softmax along the last of four axes."""
    p = _normalised(x)
    return np.sum(p * p)


def mlp(x, w1, b1, w2, b2, w3, b3):
    """Three layers with rectifiers between, and a softmax."""
    h = np.maximum(x @ w1 + b1, 0.0)
    h = np.maximum(h @ w2 + b2, 0.0)
    p = _normalised(h @ w3 + b3)
    return np.sum(p * p)


def _convolved(image, weights):
    """Images (sample, row, column, channel) under a window, position by position."""
    samples, height, width, _ = image.shape
    size, _, _, channels = weights.shape
    rows, columns = height - size + 1, width - size + 1
    out = np.zeros((samples, rows, columns, channels))
    for i in range(rows):
        for j in range(columns):
            window = image[:, i : i + size, j : j + size, :]
            out[:, i, j, :] = np.tensordot(window, weights, axes=3)
    return out


def conv2d(image, weights, bias):
    """A convolution with a bias."""
    out = _convolved(image, weights) + bias
    return np.sum(out * out)


def _pooled(x):
    """The maximum of every square of two by two pixels."""
    samples, height, width, channels = x.shape
    out = np.zeros((samples, height // 2, width // 2, channels))
    for i in range(height // 2):
        for j in range(width // 2):
            window = x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :]
            out[:, i, j, :] = np.max(window, axis=(1, 2))
    return out


def lenet(image, conv1, bias1, conv2, bias2, w1, b1, w2, b2, w3, b3):
    """Two convolutions with pooling, and three full layers."""
    x = _pooled(np.maximum(_convolved(image, conv1) + bias1, 0.0))
    x = _pooled(np.maximum(_convolved(x, conv2) + bias2, 0.0))
    x = np.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    x = np.maximum(x @ w1 + b1, 0.0)
    x = np.maximum(x @ w2 + b2, 0.0)
    out = x @ w3 + b3
    return np.sum(out * out)


def _batch_normalised(x):
    mean = np.mean(x, axis=0, keepdims=True)
    spread = np.sqrt(np.mean((x - mean) ** 2, axis=0, keepdims=True) + 1e-5)
    return (x - mean) / spread


def resnet(image, conv1, conv2, conv3):
    """A residual block: three convolutions with normalisation, and the input added."""
    x = np.maximum(_batch_normalised(_convolved(image, conv1)), 0.0)
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, x.shape[3]))
    padded[:, 1:-1, 1:-1, :] = x
    x = np.maximum(_batch_normalised(_convolved(padded, conv2)), 0.0)
    x = _batch_normalised(_convolved(x, conv3))
    out = np.maximum(x + image, 0.0)
    return np.sum(out * out)


def _softmax(a, b, c):
    return normal(61, (a, b, c, c))


def _mlp(samples, inputs, hidden, classes):
    sizes = (inputs, hidden), (hidden,), (hidden, hidden), (hidden,), (hidden, classes), (classes,)
    x, *weights = normal(62, (samples, inputs), *sizes)
    return x, *(w / np.sqrt(hidden) for w in weights)


def _conv2d(samples, pixels, size, inputs, channels):
    return normal(
        63, (samples, pixels, pixels, inputs), (size, size, inputs, channels), (channels,)
    )


def _lenet(samples, pixels, first, second, full):
    left = ((pixels - 2) // 2 - 2) // 2
    shapes = (3, 3, 1, first), (first,), (3, 3, first, second), (second,)
    layers = (left * left * second, full), (full,), (full, full), (full,), (full, 10), (10,)
    image, *weights = normal(64, (samples, pixels, pixels, 1), *shapes, *layers)
    return image, *(0.2 * w for w in weights)


def _resnet(samples, pixels, outer, inner):
    shapes = (1, 1, outer, inner), (3, 3, inner, inner), (1, 1, inner, outer)
    return normal(65, (samples, pixels, pixels, outer), *shapes)


KERNELS = (
    Kernel(softmax, _softmax, at((2, 2, 3), (8, 8, 96), (16, 16, 128))),
    Kernel(mlp, _mlp, at((3, 4, 5, 2), (64, 1000, 400, 100), (128, 2000, 800, 200))),
    Kernel(conv2d, _conv2d, at((2, 4, 2, 2, 3), (4, 32, 3, 8, 16), (8, 64, 3, 8, 16))),
    Kernel(lenet, _lenet, at((2, 10, 2, 3, 4), (8, 28, 6, 16, 84), (16, 44, 6, 16, 120))),
    Kernel(resnet, _resnet, at((3, 3, 2, 2), (4, 20, 32, 8), (8, 40, 32, 8))),
)

"""Layers of networks, line by line: windows are slices whose place is computed."""

import jax.numpy as jnp
from jax import lax

from tests.benchmarks.with_jax.direct.loops import loop


def _over(rows, columns, pixel, out):
    return loop(0, rows, lambda i, out: loop(0, columns, lambda j, out: pixel(i, j, out), out), out)


def _window(image, i, j, size):
    shape = image.shape[0], size, size, image.shape[3]
    return lax.dynamic_slice(image, (0, i, j, 0), shape)


def _convolved(image, weights):
    samples, height, width, _ = image.shape
    size, _, _, channels = weights.shape
    rows, columns = height - size + 1, width - size + 1

    def pixel(i, j, out):
        window = _window(image, i, j, size)
        return out.at[:, i, j, :].set(jnp.tensordot(window, weights, axes=3))

    return _over(rows, columns, pixel, jnp.zeros((samples, rows, columns, channels)))


def conv2d(image, weights, bias):
    out = _convolved(image, weights) + bias
    return jnp.sum(out * out)


def _pooled(x):
    samples, height, width, channels = x.shape
    rows, columns = height // 2, width // 2

    def pixel(i, j, out):
        return out.at[:, i, j, :].set(jnp.max(_window(x, 2 * i, 2 * j, 2), axis=(1, 2)))

    return _over(rows, columns, pixel, jnp.zeros((samples, rows, columns, channels)))


def lenet(image, conv1, bias1, conv2, bias2, w1, b1, w2, b2, w3, b3):
    x = _pooled(jnp.maximum(_convolved(image, conv1) + bias1, 0.0))
    x = _pooled(jnp.maximum(_convolved(x, conv2) + bias2, 0.0))
    x = jnp.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    x = jnp.maximum(x @ w1 + b1, 0.0)
    x = jnp.maximum(x @ w2 + b2, 0.0)
    out = x @ w3 + b3
    return jnp.sum(out * out)


def _batch_normalised(x):
    mean = jnp.mean(x, axis=0, keepdims=True)
    spread = jnp.sqrt(jnp.mean((x - mean) ** 2, axis=0, keepdims=True) + 1e-5)
    return (x - mean) / spread


def resnet(image, conv1, conv2, conv3):
    x = jnp.maximum(_batch_normalised(_convolved(image, conv1)), 0.0)
    padded = jnp.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, x.shape[3]))
    x = padded.at[:, 1:-1, 1:-1, :].set(x)
    x = jnp.maximum(_batch_normalised(_convolved(x, conv2)), 0.0)
    x = _batch_normalised(_convolved(x, conv3))
    out = jnp.maximum(x + image, 0.0)
    return jnp.sum(out * out)


FUNCTIONS = (conv2d, lenet, resnet)

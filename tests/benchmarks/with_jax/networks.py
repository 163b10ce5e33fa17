"""Layers of networks in JAX, with its convolution and softmax."""

import jax
import jax.numpy as jnp
from jax import lax


def softmax(x):
    p = jax.nn.softmax(x, axis=-1)
    return jnp.sum(p * p)


def mlp(x, w1, b1, w2, b2, w3, b3):
    h = jax.nn.relu(x @ w1 + b1)
    h = jax.nn.relu(h @ w2 + b2)
    p = jax.nn.softmax(h @ w3 + b3, axis=-1)
    return jnp.sum(p * p)


def _convolved(image, weights, padding="VALID"):
    layout = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(image, weights, (1, 1), padding, dimension_numbers=layout)


def conv2d(image, weights, bias):
    out = _convolved(image, weights) + bias
    return jnp.sum(out * out)


def _pooled(x):
    samples, height, width, channels = x.shape
    x = x[:, : height // 2 * 2, : width // 2 * 2, :]
    return x.reshape(samples, height // 2, 2, width // 2, 2, channels).max(axis=(2, 4))


def lenet(image, conv1, bias1, conv2, bias2, w1, b1, w2, b2, w3, b3):
    x = _pooled(jax.nn.relu(_convolved(image, conv1) + bias1))
    x = _pooled(jax.nn.relu(_convolved(x, conv2) + bias2))
    x = x.reshape(x.shape[0], -1)
    x = jax.nn.relu(x @ w1 + b1)
    x = jax.nn.relu(x @ w2 + b2)
    out = x @ w3 + b3
    return jnp.sum(out * out)


def _batch_normalised(x):
    mean = jnp.mean(x, axis=0, keepdims=True)
    spread = jnp.sqrt(jnp.mean((x - mean) ** 2, axis=0, keepdims=True) + 1e-5)
    return (x - mean) / spread


def resnet(image, conv1, conv2, conv3):
    x = jax.nn.relu(_batch_normalised(_convolved(image, conv1)))
    x = jax.nn.relu(_batch_normalised(_convolved(x, conv2, "SAME")))
    x = _batch_normalised(_convolved(x, conv3))
    out = jax.nn.relu(x + image)
    return jnp.sum(out * out)


FUNCTIONS = (softmax, mlp, conv2d, lenet, resnet)

"""Stencils that carry along an axis, line by line: every step writes to whole arrays."""

import jax.numpy as jnp

from tests.benchmarks.with_jax.direct.loops import loop


def seidel_2d(A, steps):
    n = A.shape[0]

    def cell(i, j, A):
        north = A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
        here = A[i, j - 1] + A[i, j] + A[i, j + 1]
        south = A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
        return A.at[i, j].set((north + here + south) / 9.0)

    def row(i, A):
        return loop(1, n - 1, lambda j, A: cell(i, j, A), A)

    A = loop(0, steps, lambda _, A: loop(1, n - 1, row, A), A)
    return jnp.sum(A * A)


def _adi_sweep(u, p, q, out, a, b):
    n = u.shape[0]
    out = out.at[0, 1:-1].set(1.0)
    p = p.at[1:-1, 0].set(0.0)
    q = q.at[1:-1, 0].set(1.0)

    def forward(j, state):
        p, q = state
        right = b * u[j, :-2] + (1.0 - 2.0 * b) * u[j, 1:-1] + b * u[j, 2:]
        pivot = 1.0 + 2.0 * a - a * p[1:-1, j - 1]
        p = p.at[1:-1, j].set(a / pivot)
        return p, q.at[1:-1, j].set((right + a * q[1:-1, j - 1]) / pivot)

    p, q = loop(1, n - 1, forward, (p, q))
    out = out.at[n - 1, 1:-1].set(1.0)

    def backward(k, out):
        j = n - 2 - k
        return out.at[j, 1:-1].set(p[1:-1, j] * out[j + 1, 1:-1] + q[1:-1, j])

    return p, q, loop(0, n - 2, backward, out)


def adi(u, a, b, steps):
    def step(_, state):
        u, v, p, q = state
        p, q, v = _adi_sweep(u.T, p, q, v, a, b)
        p, q, u = _adi_sweep(v.T, p, q, u, b, a)
        return u, v, p, q

    zeros = jnp.zeros_like(u)
    u, _, _, _ = loop(0, steps, step, (u, zeros, zeros, zeros))
    return jnp.sum(u * u)


def _rightwards(image, k, e, alpha, i, y):
    def pixel(j, state):
        y, x1, y1, y2 = state
        smooth = 2.0 * e * y1 - e * e * y2
        y = y.at[i, j].set(k * image[i, j] + k * e * (alpha - 1.0) * x1 + smooth)
        return y, image[i, j], y[i, j], y1

    zero = jnp.zeros(())
    y, *_ = loop(0, image.shape[1], pixel, (y, zero, zero, zero))
    return y


def _leftwards(image, k, e, alpha, i, z):
    h = image.shape[1]

    def pixel(step, state):
        z, x1, x2, y1, y2 = state
        j = h - 1 - step
        smooth = 2.0 * e * y1 - e * e * y2
        z = z.at[i, j].set(k * e * (alpha + 1.0) * x1 - k * e * e * x2 + smooth)
        return z, image[i, j], x1, z[i, j], y1

    zero = jnp.zeros(())
    z, *_ = loop(0, h, pixel, (z, zero, zero, zero, zero))
    return z


def _both_ways(image, k, e, alpha):
    def line(i, state):
        y, z = state
        y = _rightwards(image, k, e, alpha, i, y)
        return y, _leftwards(image, k, e, alpha, i, z)

    zeros = jnp.zeros(image.shape)
    y, z = loop(0, image.shape[0], line, (zeros, zeros))
    return y + z


def deriche(image, alpha):
    e = jnp.exp(-alpha)
    k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e)
    rows = _both_ways(image, k, e, alpha)
    both = _both_ways(rows.T, k, e, alpha)
    return jnp.sum(both * both)


def _downwards(wind, u, tendency, k, c, d):
    above, below = -0.25 * wind[:, :, k], 0.25 * wind[:, :, k + 1]
    jump = above * (u[:, :, k - 1] - u[:, :, k]) + below * (u[:, :, k + 1] - u[:, :, k])
    pivot = 1.0 / (3.0 - above - below - above * c[:, :, k - 1])
    c = c.at[:, :, k].set(below * pivot)
    right = 3.0 * u[:, :, k] + tendency[:, :, k] - jump
    return c, d.at[:, :, k].set((right - above * d[:, :, k - 1]) * pivot)


def vadv(wind, u, tendency):
    levels = u.shape[2]
    below = 0.25 * wind[:, :, 1]
    c = jnp.zeros_like(u).at[:, :, 0].set(below / (3.0 - below))
    first = (3.0 * u[:, :, 0] + tendency[:, :, 0]) / (3.0 - below)
    d = jnp.zeros_like(u).at[:, :, 0].set(first)
    c, d = loop(1, levels - 1, lambda k, s: _downwards(wind, u, tendency, k, *s), (c, d))
    out = jnp.zeros_like(u).at[:, :, levels - 1].set(u[:, :, levels - 1])

    def upwards(step, out):
        k = levels - 2 - step
        return out.at[:, :, k].set(d[:, :, k] - c[:, :, k] * out[:, :, k + 1])

    out = loop(0, levels - 1, upwards, out)
    return jnp.sum(out * out)


FUNCTIONS = (seidel_2d, adi, deriche, vadv)

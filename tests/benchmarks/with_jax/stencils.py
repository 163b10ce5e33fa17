"""Stencils in JAX: steps are scans, and what does not carry is done at once."""

import jax.numpy as jnp
from jax import lax


def _steps(step, start, count):
    return lax.fori_loop(0, count, lambda _, state: step(state), start)


def jacobi_1d(A, B, steps):
    def step(state):
        A, B = state
        B = B.at[1:-1].set(0.33333 * (A[:-2] + A[1:-1] + A[2:]))
        A = A.at[1:-1].set(0.33333 * (B[:-2] + B[1:-1] + B[2:]))
        return A, B

    A, _ = _steps(step, (A, B), steps)
    return jnp.sum(A * A)


def _five(A):
    return 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])


def jacobi_2d(A, B, steps):
    def step(state):
        A, B = state
        B = B.at[1:-1, 1:-1].set(_five(A))
        A = A.at[1:-1, 1:-1].set(_five(B))
        return A, B

    A, _ = _steps(step, (A, B), steps)
    return jnp.sum(A * A)


def _seven(A):
    c = A[1:-1, 1:-1, 1:-1]
    return (
        0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * c + A[:-2, 1:-1, 1:-1])
        + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * c + A[1:-1, :-2, 1:-1])
        + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * c + A[1:-1, 1:-1, :-2])
        + c
    )


def heat_3d(A, B, steps):
    def step(state):
        A, B = state
        B = B.at[1:-1, 1:-1, 1:-1].set(_seven(A))
        A = A.at[1:-1, 1:-1, 1:-1].set(_seven(B))
        return A, B

    A, _ = _steps(step, (A, B), steps)
    return jnp.sum(A * A)


def seidel_2d(A, steps):
    n = A.shape[0]

    def cell(west, other):
        new = (west + other) / 9.0
        return new, new

    def row(north, rows):
        old, south = rows
        others = north[:-2] + north[1:-1] + north[2:] + old[1:-1] + old[2:]
        others = others + south[:-2] + south[1:-1] + south[2:]
        _, inner = lax.scan(cell, old[0], others)
        new = old.at[1:-1].set(inner)
        return new, new

    def step(A):
        _, inner = lax.scan(row, A[0], (A[1 : n - 1], A[2:]))
        return A.at[1:-1].set(inner)

    A = _steps(step, A, steps)
    return jnp.sum(A * A)


def fdtd_2d(ex, ey, hz, source):
    def step(state, now):
        ex, ey, hz = state
        ey = ey.at[0, :].set(now)
        ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
        ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
        turn = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
        hz = hz.at[:-1, :-1].add(-0.7 * turn)
        return (ex, ey, hz), None

    (_, _, hz), _ = lax.scan(step, (ex, ey, hz), source)
    return jnp.sum(hz * hz)


def _adi_sweep(u, old, a, b):
    """The solution for `u`, a row per step, with the borders of `old` where nothing is written."""
    right = b * u[1:-1, :-2] + (1.0 - 2.0 * b) * u[1:-1, 1:-1] + b * u[1:-1, 2:]
    ones = jnp.ones(u.shape[0] - 2)

    def forward(carry, right):
        p, q = carry
        pivot = 1.0 + 2.0 * a - a * p
        carry = a / pivot, (right + a * q) / pivot
        return carry, carry

    def backward(after, pq):
        p, q = pq
        now = p * after + q
        return now, now

    _, pq = lax.scan(forward, (0.0 * ones, ones), right)
    _, rows = lax.scan(backward, ones, pq, reverse=True)
    return old.at[1:-1, 1:-1].set(rows).at[0, 1:-1].set(1.0).at[-1, 1:-1].set(1.0)


def adi(u, a, b, steps):
    def step(state):
        u, v = state
        v = _adi_sweep(u.T, v, a, b)
        u = _adi_sweep(v.T, u, b, a)
        return u, v

    u, _ = _steps(step, (u, jnp.zeros_like(u)), steps)
    return jnp.sum(u * u)


def _both_ways(image, k, e, alpha):
    """All lines at once, a column per step."""
    zero = jnp.zeros(image.shape[0])

    def right(carry, x):
        x1, y1, y2 = carry
        y = k * x + k * e * (alpha - 1.0) * x1 + 2.0 * e * y1 - e * e * y2
        return (x, y, y1), y

    def left(carry, x):
        x1, x2, y1, y2 = carry
        y = k * e * (alpha + 1.0) * x1 - k * e * e * x2 + 2.0 * e * y1 - e * e * y2
        return (x, x1, y, y1), y

    _, y = lax.scan(right, (zero,) * 3, image.T)
    _, z = lax.scan(left, (zero,) * 4, image.T, reverse=True)
    return (y + z).T


def deriche(image, alpha):
    e = jnp.exp(-alpha)
    k = (1.0 - e) * (1.0 - e) / (1.0 + 2.0 * alpha * e - e * e)
    both = _both_ways(_both_ways(image, k, e, alpha).T, k, e, alpha)
    return jnp.sum(both * both)


def hdiff(field, coeff):
    lap = 4.0 * field[1:-1, 1:-1, :] - (
        field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :]
    )
    fx = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    fx = jnp.where(fx * (field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :]) > 0.0, 0.0, fx)
    fy = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fy = jnp.where(fy * (field[2:-2, 2:-1, :] - field[2:-2, 1:-2, :]) > 0.0, 0.0, fy)
    inner = field[2:-2, 2:-2, :]
    out = inner - coeff * (fx[1:, :, :] - fx[:-1, :, :] + fy[:, 1:, :] - fy[:, :-1, :])
    return jnp.sum(out * out)


def vadv(wind, u, tendency):
    # A level per step: levels come first.
    wind, u, tendency = (jnp.moveaxis(x, 2, 0) for x in (wind, u, tendency))
    below = 0.25 * wind[1]
    c = below / (3.0 - below)
    d = (3.0 * u[0] + tendency[0]) / (3.0 - below)

    def down(carry, level):
        c, d = carry
        w, w_next, u_last, u, u_next, tendency = level
        above, below = -0.25 * w, 0.25 * w_next
        jump = above * (u_last - u) + below * (u_next - u)
        pivot = 1.0 / (3.0 - above - below - above * c)
        carry = below * pivot, (3.0 * u + tendency - jump - above * d) * pivot
        return carry, carry

    levels = wind[1:-1], wind[2:], u[:-2], u[1:-1], u[2:], tendency[1:-1]
    _, (cs, ds) = lax.scan(down, (c, d), levels)

    def up(below, level):
        c, d = level
        now = d - c * below
        return now, now

    top, out = lax.scan(up, u[-1], (cs, ds), reverse=True)
    first = d - c * top
    return jnp.sum(out * out) + jnp.sum(u[-1] * u[-1]) + jnp.sum(first * first)


FUNCTIONS = (jacobi_1d, jacobi_2d, heat_3d, seidel_2d, fdtd_2d, adi, deriche, hdiff, vadv)

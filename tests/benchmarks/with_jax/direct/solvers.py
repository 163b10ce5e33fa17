"""Factorisations, line by line: the whole matrix is carried from entry to entry."""

import jax.numpy as jnp

from tests.benchmarks.with_jax.direct.loops import loop, when


def _reduced(i, j, left, right, end, A):
    """A[i, j] less the products of entries of two lines, one after the other, up to `end`."""

    def term(k, A):
        return A.at[i, j].add(jnp.where(k < end, -left(k, A) * right(k, A), 0.0))

    return loop(0, A.shape[0], term, A)


def cholesky(A):
    n = A.shape[0]

    def entry(i, j, A):
        A = _reduced(i, j, lambda k, A: A[i, k], lambda k, A: A[j, k], j, A)
        return A.at[i, j].set(A[i, j] / A[j, j])

    def row(i, A):
        A = loop(0, n, lambda j, A: when(j < i, lambda A: entry(i, j, A), A), A)
        A = _reduced(i, i, lambda k, A: A[i, k], lambda k, A: A[i, k], i, A)
        return A.at[i, i].set(jnp.sqrt(A[i, i]))

    return jnp.sum(jnp.tril(loop(0, n, row, A)))


def lu(A):
    n = A.shape[0]

    def inner(i, j, end, A):
        return _reduced(i, j, lambda k, A: A[i, k], lambda k, A: A[k, j], end, A)

    def lower(i, j, A):
        A = inner(i, j, j, A)
        return A.at[i, j].set(A[i, j] / A[j, j])

    def row(i, A):
        A = loop(0, n, lambda j, A: when(j < i, lambda A: lower(i, j, A), A), A)
        return loop(0, n, lambda j, A: when(j >= i, lambda A: inner(i, j, i, A), A), A)

    return jnp.sum(loop(0, n, row, A))


def _factors(A):
    n = A.shape[0]
    places = jnp.arange(n)

    def reduced(i, j, end, A):
        return A[i, j] - jnp.where(places < end, A[i, :], 0.0) @ A[:, j]

    def lower(i, j, A):
        return A.at[i, j].set(jnp.where(j < i, reduced(i, j, j, A) / A[j, j], A[i, j]))

    def upper(i, j, A):
        return A.at[i, j].set(jnp.where(j >= i, reduced(i, j, i, A), A[i, j]))

    def row(i, A):
        A = loop(0, n, lambda j, A: lower(i, j, A), A)
        return loop(0, n, lambda j, A: upper(i, j, A), A)

    return loop(0, n, row, A)


def ludcmp(A, b):
    n = b.shape[0]
    places = jnp.arange(n)
    A = _factors(A)

    def forward(i, y):
        return y.at[i].set(b[i] - jnp.where(places < i, A[i, :], 0.0) @ y)

    y = loop(0, n, forward, jnp.zeros(n))

    def backward(k, x):
        i = n - 1 - k
        return x.at[i].set((y[i] - jnp.where(places > i, A[i, :], 0.0) @ x) / A[i, i])

    return jnp.sum(loop(0, n, backward, jnp.zeros(n)))


def trisolv(L, b):
    n = b.shape[0]

    def row(i, x):
        def term(j, total):
            return total - jnp.where(j < i, L[i, j] * x[j], 0.0)

        return x.at[i].set(loop(0, n, term, b[i]) / L[i, i])

    return jnp.sum(loop(0, n, row, jnp.zeros(n)))


def durbin(r):
    n = r.shape[0]

    def step(k, state):
        y, z, alpha, beta = state
        beta = beta * (1.0 - alpha * alpha)

        def term(i, total):
            return total + jnp.where(i < k, r[k - i - 1] * y[i], 0.0)

        alpha = -loop(0, n, term, r[k]) / beta

        def turned(i, z):
            return z.at[i].set(jnp.where(i < k, y[i] + alpha * y[k - i - 1], z[i]))

        z = loop(0, n, turned, z)
        y = loop(0, n, lambda i, y: y.at[i].set(jnp.where(i < k, z[i], y[i])), y)
        return y.at[k].set(alpha), z, alpha, beta

    start = jnp.zeros(n).at[0].set(-r[0]), jnp.zeros(n), -r[0], jnp.ones(())
    y, _, _, _ = loop(1, n, step, start)
    return jnp.sum(y)


def gramschmidt(A):
    m, n = A.shape

    def other(k, j, state):
        A, Q, R = state
        R = R.at[k, j].set(jnp.where(j > k, jnp.dot(Q[:, k], A[:, j]), R[k, j]))
        return A.at[:, j].add(jnp.where(j > k, -Q[:, k] * R[k, j], 0.0)), Q, R

    def column(k, state):
        A, Q, R = state
        R = R.at[k, k].set(jnp.sqrt(jnp.dot(A[:, k], A[:, k])))
        Q = Q.at[:, k].set(A[:, k] / R[k, k])
        return loop(0, n, lambda j, state: other(k, j, state), (A, Q, R))

    _, Q, R = loop(0, n, column, (A, jnp.zeros((m, n)), jnp.zeros((n, n))))
    return jnp.sum(Q) + jnp.sum(R)


FUNCTIONS = (cholesky, lu, ludcmp, trisolv, durbin, gramschmidt)

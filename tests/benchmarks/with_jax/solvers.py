"""Factorisations in JAX: loops that carry are scans, the innermost ones masked products.

`RESTRUCTURED` go column by column instead of row by row, so that each step updates a whole matrix,
or call the triangular solver of LAPACK.
"""

import jax.numpy as jnp
from jax import lax
from jax.scipy.linalg import solve_triangular


def cholesky(A):
    n = A.shape[0]
    places = jnp.arange(n)

    def entry(j, row, A, i):
        found = (row[j] - jnp.dot(jnp.where(places < j, row, 0.0), A[j])) / A[j, j]
        return row.at[j].set(jnp.where(j < i, found, row[j]))

    def body(i, A):
        row = lax.fori_loop(0, n, lambda j, row: entry(j, row, A, i), A[i])
        left = jnp.where(places < i, row, 0.0)
        return A.at[i].set(row.at[i].set(jnp.sqrt(row[i] - jnp.dot(left, left))))

    return jnp.sum(jnp.tril(lax.fori_loop(0, n, body, A)))


def _factors(A):
    n = A.shape[0]
    places = jnp.arange(n)

    def entry(j, row, A, i):
        found = (row[j] - jnp.dot(jnp.where(places < j, row, 0.0), A[:, j])) / A[j, j]
        return row.at[j].set(jnp.where(j < i, found, row[j]))

    def body(i, A):
        row = lax.fori_loop(0, n, lambda j, row: entry(j, row, A, i), A[i])
        upper = row - jnp.where(places < i, row, 0.0) @ A
        return A.at[i].set(jnp.where(places < i, row, upper))

    return lax.fori_loop(0, n, body, A)


def lu(A):
    return jnp.sum(_factors(A))


def _substituted(A, b):
    n = b.shape[0]
    y = lax.fori_loop(0, n, lambda i, y: y.at[i].set(b[i] - A[i] @ y), jnp.zeros(n))

    def back(k, x):
        i = n - 1 - k
        return x.at[i].set((y[i] - A[i] @ x) / A[i, i])

    return lax.fori_loop(0, n, back, jnp.zeros(n))


def ludcmp(A, b):
    return jnp.sum(_substituted(_factors(A), b))


def trisolv(L, b):
    n = b.shape[0]

    def row(i, x):
        return x.at[i].set((b[i] - L[i] @ x) / L[i, i])

    return jnp.sum(lax.fori_loop(0, n, row, jnp.zeros(n)))


def durbin(r):
    n = r.shape[0]
    places = jnp.arange(n)

    def step(carry, k):
        y, alpha, beta = carry
        beta = beta * (1.0 - alpha * alpha)
        # y[k - 1], y[k - 2], …, y[0], and what comes after is masked.
        turned = jnp.roll(y[::-1], k)
        alpha = -(r[k] + jnp.dot(r, jnp.where(places < k, turned, 0.0))) / beta
        y = jnp.where(places < k, y + alpha * turned, y).at[k].set(alpha)
        return (y, alpha, beta), None

    start = (jnp.zeros(n).at[0].set(-r[0]), -r[0], jnp.ones(()))
    (y, _, _), _ = lax.scan(step, start, jnp.arange(1, n))
    return jnp.sum(y)


def gramschmidt(A):
    places = jnp.arange(A.shape[1])

    def column(A, k):
        size = jnp.sqrt(jnp.dot(A[:, k], A[:, k]))
        q = A[:, k] / size
        r = jnp.where(places > k, q @ A, 0.0)
        return A - jnp.outer(q, r), (q, r.at[k].set(size))

    _, (Q, R) = lax.scan(column, A, places)
    return jnp.sum(Q) + jnp.sum(R)


def cholesky_by_columns(A):
    places = jnp.arange(A.shape[0])

    def column(A, j):
        c = jnp.where(places >= j, A[:, j], 0.0) / jnp.sqrt(A[j, j])
        return A - jnp.outer(c, c), c

    _, columns = lax.scan(column, A, places)
    return jnp.sum(columns)


def _factors_by_columns(A):
    places = jnp.arange(A.shape[0])

    def column(k, A):
        c = jnp.where(places > k, A[:, k] / A[k, k], 0.0)
        A = A - jnp.outer(c, jnp.where(places > k, A[k], 0.0))
        return A.at[:, k].set(jnp.where(places > k, c, A[:, k]))

    return lax.fori_loop(0, A.shape[0], column, A)


def lu_by_columns(A):
    return jnp.sum(_factors_by_columns(A))


def ludcmp_by_columns(A, b):
    A = _factors_by_columns(A)
    y = solve_triangular(A, b, lower=True, unit_diagonal=True)
    return jnp.sum(solve_triangular(A, y))


def trisolv_of_lapack(L, b):
    return jnp.sum(solve_triangular(L, b, lower=True))


FUNCTIONS = (cholesky, lu, ludcmp, trisolv, durbin, gramschmidt)
RESTRUCTURED = {
    "cholesky": cholesky_by_columns,
    "lu": lu_by_columns,
    "ludcmp": ludcmp_by_columns,
    "trisolv": trisolv_of_lapack,
}

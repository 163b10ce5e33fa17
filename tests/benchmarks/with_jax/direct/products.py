"""Products of matrices, line by line: an entry of a triangle after the other."""

import jax.numpy as jnp

from tests.benchmarks.with_jax.direct.loops import loop


def syrk(alpha, beta, A, C):
    n, m = A.shape

    def term(i, j, k, C):
        return C.at[i, j].add(jnp.where(j <= i, alpha * A[i, k] * A[j, k], 0.0))

    def entry(i, j, C):
        C = C.at[i, j].set(C[i, j] * jnp.where(j <= i, beta, 1.0))
        return loop(0, m, lambda k, C: term(i, j, k, C), C)

    return jnp.sum(loop(0, n, lambda i, C: loop(0, n, lambda j, C: entry(i, j, C), C), C))


def syr2k(alpha, beta, A, B, C):
    n, m = A.shape

    def term(i, j, k, C):
        new = alpha * (A[j, k] * B[i, k] + B[j, k] * A[i, k])
        return C.at[i, j].add(jnp.where(j <= i, new, 0.0))

    def entry(i, j, C):
        C = C.at[i, j].set(C[i, j] * jnp.where(j <= i, beta, 1.0))
        return loop(0, m, lambda k, C: term(i, j, k, C), C)

    return jnp.sum(loop(0, n, lambda i, C: loop(0, n, lambda j, C: entry(i, j, C), C), C))


def symm(alpha, beta, A, B, C):
    m, n = C.shape
    places = jnp.arange(m)

    def entry(i, j, C):
        above = jnp.where(places < i, A[i, :], 0.0)
        C = C.at[:, j].add(alpha * B[i, j] * above)
        before = jnp.dot(above, B[:, j])
        return C.at[i, j].set(beta * C[i, j] + alpha * (B[i, j] * A[i, i] + before))

    return jnp.sum(loop(0, m, lambda i, C: loop(0, n, lambda j, C: entry(i, j, C), C), C))


def trmm(alpha, A, B):
    m, n = B.shape
    places = jnp.arange(m)

    def entry(i, j, B):
        below = jnp.where(places > i, A[:, i], 0.0)
        B = B.at[i, j].add(jnp.dot(below, B[:, j]))
        return B.at[i, j].set(B[i, j] * alpha)

    return jnp.sum(loop(0, m, lambda i, B: loop(0, n, lambda j, B: entry(i, j, B), B), B))


def doitgen(A, C):
    r, q, _ = A.shape

    def line(i, j, A):
        return A.at[i, j, :].set(A[i, j, :] @ C)

    A = loop(0, r, lambda i, A: loop(0, q, lambda j, A: line(i, j, A), A), A)
    return jnp.sum(A * A)


FUNCTIONS = (syrk, syr2k, symm, trmm, doitgen)

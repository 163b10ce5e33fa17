"""Products of matrices in JAX: loops over rows as scans, all of a row at once.

`RESTRUCTURED` are the same results as whole products, which the loops do not say.
"""

import jax.numpy as jnp
from jax import lax


def gemm(alpha, beta, A, B, C):
    C = alpha * A @ B + beta * C
    return jnp.sum(C * C)


def two_mm(alpha, beta, A, B, C, D):
    D = alpha * A @ B @ C + beta * D
    return jnp.sum(D * D)


def three_mm(A, B, C, D):
    G = (A @ B) @ (C @ D)
    return jnp.sum(G * G)


def syrk(alpha, beta, A, C):
    columns = jnp.arange(A.shape[0])

    def row(i, C):
        new = beta * C[i] + alpha * (A @ A[i])
        return C.at[i].set(jnp.where(columns <= i, new, C[i]))

    return jnp.sum(lax.fori_loop(0, A.shape[0], row, C))


def syr2k(alpha, beta, A, B, C):
    columns = jnp.arange(A.shape[0])

    def row(i, C):
        new = beta * C[i] + alpha * (A @ B[i] + B @ A[i])
        return C.at[i].set(jnp.where(columns <= i, new, C[i]))

    return jnp.sum(lax.fori_loop(0, A.shape[0], row, C))


def symm(alpha, beta, A, B, C):
    places = jnp.arange(A.shape[0])

    def row(i, C):
        below = jnp.where(places < i, A[i], 0.0)
        C = C + alpha * jnp.outer(below, B[i])
        return C.at[i].set(beta * C[i] + alpha * (B[i] * A[i, i] + below @ B))

    return jnp.sum(lax.fori_loop(0, A.shape[0], row, C))


def trmm(alpha, A, B):
    places = jnp.arange(A.shape[0])

    def row(i, B):
        below = jnp.where(places > i, A[:, i], 0.0)
        return B.at[i].set(alpha * (B[i] + below @ B))

    return jnp.sum(lax.fori_loop(0, A.shape[0], row, B))


def doitgen(A, C):
    A = A @ C
    return jnp.sum(A * A)


def syrk_whole(alpha, beta, A, C):
    return jnp.sum(jnp.where(jnp.tri(A.shape[0], dtype=bool), alpha * A @ A.T + beta * C, C))


def syr2k_whole(alpha, beta, A, B, C):
    new = alpha * (A @ B.T + B @ A.T) + beta * C
    return jnp.sum(jnp.where(jnp.tri(A.shape[0], dtype=bool), new, C))


def symm_whole(alpha, beta, A, B, C):
    # What is added to a row later is not multiplied by beta: rows are finished from the top.
    return jnp.sum(alpha * (jnp.tril(A) + jnp.tril(A, -1).T) @ B + beta * C)


def trmm_whole(alpha, A, B):
    return jnp.sum(alpha * (B + jnp.tril(A, -1).T @ B))


FUNCTIONS = (gemm, two_mm, three_mm, syrk, syr2k, symm, trmm, doitgen)
RESTRUCTURED = {"syrk": syrk_whole, "syr2k": syr2k_whole, "symm": symm_whole, "trmm": trmm_whole}

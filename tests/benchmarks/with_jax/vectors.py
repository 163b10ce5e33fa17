"""Products of matrices and vectors in JAX: the same expressions."""

import jax.numpy as jnp


def atax(A, x):
    y = (A @ x) @ A
    return jnp.sum(y * y)


def bicg(A, p, r):
    q = A @ p
    s = r @ A
    return jnp.sum(q * q) + jnp.sum(s * s)


def mvt(x1, x2, y1, y2, A):
    return jnp.sum((x1 + A @ y1) * (x2 + y2 @ A))


def gemver(alpha, beta, A, u1, v1, u2, v2, y, z):
    A = A + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    x = beta * y @ A + z
    return jnp.sum(alpha * (A @ x))


def gesummv(alpha, beta, A, B, x):
    y = alpha * (A @ x) + beta * (B @ x)
    return jnp.sum(y * y)


FUNCTIONS = (atax, bicg, mvt, gemver, gesummv)

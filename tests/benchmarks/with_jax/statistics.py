"""Statistics, paths and sparse products in JAX. `RESTRUCTURED` are whole products of matrices."""

import jax
import jax.numpy as jnp
from jax import lax


def _products(centred):
    """The upper triangle of the products of all columns, row by row, mirrored."""
    places = jnp.arange(centred.shape[1])

    def row(i):
        return jnp.where(places >= i, centred[:, i] @ centred, 0.0)

    upper = lax.map(row, places)
    return upper + jnp.triu(upper, 1).T


def covariance(data):
    centred = data - jnp.mean(data, axis=0)
    cov = _products(centred) / (data.shape[0] - 1.0)
    return jnp.sum(cov * cov)


def _scaled(data):
    centred = data - jnp.mean(data, axis=0)
    spread = jnp.std(data, axis=0)
    spread = jnp.where(spread <= 0.1, 1.0, spread)
    return centred / (jnp.sqrt(float(data.shape[0])) * spread)


def correlation(data):
    corr = jnp.fill_diagonal(_products(_scaled(data)), 1.0, inplace=False)
    return jnp.sum(corr * corr)


def floyd_warshall(lengths):
    def node(k, paths):
        through = paths[:, k, None] + paths[None, k, :]
        return jnp.where(through < paths, through, paths)

    return jnp.sum(lax.fori_loop(0, lengths.shape[0], node, lengths))


def spmv(values, columns, starts, x):
    n = starts.shape[0] - 1
    rows = jnp.searchsorted(starts, jnp.arange(values.shape[0]), side="right") - 1
    y = jax.ops.segment_sum(values * x[columns], rows, n, indices_are_sorted=True)
    return jnp.sum(y * y)


def azimint(values, radii, bins):
    outer = jnp.max(radii)

    # Rings after one another: all at once are an array of rings and values, which takes longer.
    def ring(i):
        inside = (radii >= outer * i / bins) & (radii < outer * (i + 1) / bins)
        return jnp.sum(jnp.where(inside, values, 0.0)) / jnp.sum(inside)

    means = lax.map(ring, jnp.arange(bins))
    return jnp.sum(means * means)


def covariance_whole(data):
    centred = data - jnp.mean(data, axis=0)
    cov = centred.T @ centred / (data.shape[0] - 1.0)
    return jnp.sum(cov * cov)


def correlation_whole(data):
    scaled = _scaled(data)
    corr = jnp.fill_diagonal(scaled.T @ scaled, 1.0, inplace=False)
    return jnp.sum(corr * corr)


FUNCTIONS = (covariance, correlation, floyd_warshall, spmv, azimint)
RESTRUCTURED = {"covariance": covariance_whole, "correlation": correlation_whole}

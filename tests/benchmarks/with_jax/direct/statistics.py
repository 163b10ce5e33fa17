"""Statistics, paths and sparse products, line by line."""

import jax.numpy as jnp
from jax import lax

from tests.benchmarks.with_jax.direct.loops import loop


def covariance(data):
    n, m = data.shape
    places = jnp.arange(m)
    centred = data - jnp.mean(data, axis=0)

    def column(i, cov):
        row = centred[:, i] @ centred / (n - 1.0)
        cov = cov.at[i, :].set(jnp.where(places >= i, row, cov[i, :]))
        return cov.at[:, i].set(jnp.where(places >= i, cov[i, :], cov[:, i]))

    cov = loop(0, m, column, jnp.zeros((m, m)))
    return jnp.sum(cov * cov)


def correlation(data):
    n, m = data.shape
    places = jnp.arange(m)
    centred = data - jnp.mean(data, axis=0)
    spread = jnp.std(data, axis=0)
    spread = jnp.where(spread <= 0.1, 1.0, spread)
    centred = centred / (jnp.sqrt(float(n)) * spread)

    def column(i, corr):
        corr = corr.at[i, :].set(jnp.where(places > i, centred[:, i] @ centred, corr[i, :]))
        return corr.at[:, i].set(jnp.where(places > i, corr[i, :], corr[:, i]))

    corr = loop(0, m - 1, column, jnp.eye(m))
    return jnp.sum(corr * corr)


def floyd_warshall(lengths):
    n = lengths.shape[0]

    def pair(k, i, j, paths):
        through = paths[i, k] + paths[k, j]
        return paths.at[i, j].set(jnp.where(through < paths[i, j], through, paths[i, j]))

    def node(k, paths):
        return loop(0, n, lambda i, p: loop(0, n, lambda j, p: pair(k, i, j, p), p), paths)

    return jnp.sum(loop(0, n, node, lengths))


def spmv(values, columns, starts, x):
    n = starts.shape[0] - 1
    # A slice has a fixed length: no row has more entries than there are columns.
    width = x.shape[0]
    values, columns = jnp.pad(values, (0, width)), jnp.pad(columns, (0, width))

    def row(i, y):
        inside = jnp.arange(width) < starts[i + 1] - starts[i]
        entries = lax.dynamic_slice(values, (starts[i],), (width,))
        places = lax.dynamic_slice(columns, (starts[i],), (width,))
        return y.at[i].set(jnp.dot(jnp.where(inside, entries, 0.0), x[places]))

    y = loop(0, n, row, jnp.zeros(n))
    return jnp.sum(y * y)


def azimint(values, radii, bins):
    outer = jnp.max(radii)

    def ring(i, means):
        inside = (radii >= outer * i / bins) & (radii < outer * (i + 1) / bins)
        return means.at[i].set(jnp.sum(jnp.where(inside, values, 0.0)) / jnp.sum(inside))

    means = loop(0, bins, ring, jnp.zeros(bins))
    return jnp.sum(means * means)


FUNCTIONS = (covariance, correlation, floyd_warshall, spmv, azimint)

"""Tables of numbers: correlation, averages over rings, shortest paths, sparse products."""

import numpy as np

from tests.benchmarks.kernels.kernel import Kernel, at, normal


def covariance(data):
    """The covariance of every pair of columns, row by row of the upper triangle."""
    n, m = data.shape
    centred = data - np.mean(data, axis=0)
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i, i:] = centred[:, i] @ centred[:, i:] / (n - 1.0)
        cov[i:, i] = cov[i, i:]
    return np.sum(cov * cov)


def correlation(data):
    """The correlation of every pair of columns; columns of one value count as they are."""
    n, m = data.shape
    centred = data - np.mean(data, axis=0)
    spread = np.std(data, axis=0)
    spread = np.where(spread <= 0.1, 1.0, spread)
    centred /= np.sqrt(float(n)) * spread
    corr = np.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = centred[:, i] @ centred[:, i + 1 :]
        corr[i + 1 :, i] = corr[i, i + 1 :]
    return np.sum(corr * corr)


def floyd_warshall(lengths):
    """The shortest paths between all pairs of nodes."""
    paths = lengths.copy()
    n = paths.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = paths[i, k] + paths[k, j]
                if through < paths[i, j]:
                    paths[i, j] = through
    return np.sum(paths)


def spmv(values, columns, starts, x):
    """A sparse matrix in compressed rows times a vector, twice."""
    n = starts.shape[0] - 1
    y = np.zeros(n)
    for i in range(n):
        first, last = starts[i], starts[i + 1]
        y[i] = np.dot(values[first:last], x[columns[first:last]])
    return np.sum(y * y)


def azimint(values, radii, bins):
    """The mean of an image over rings of equal width around its centre."""
    outer = np.max(radii)
    means = np.zeros(bins)
    for i in range(bins):
        inside = (radii >= outer * i / bins) & (radii < outer * (i + 1) / bins)
        means[i] = np.mean(values[inside])
    return np.sum(means * means)


def _table(n, m):
    return normal(41, (n, m))


def _lengths(n):
    return (np.random.default_rng(42).uniform(1.0, 9.0, (n, n)),)


def _sparse(n, filled):
    rng = np.random.default_rng(43)
    counts = rng.integers(1, 2 * filled, n)
    starts = np.concatenate(([0], np.cumsum(counts)))
    columns = np.concatenate([np.sort(rng.choice(n, c, replace=False)) for c in counts])
    values, x = rng.standard_normal(starts[-1]), rng.standard_normal(n)
    return values, columns, starts, x


def _image(n, bins):
    rng = np.random.default_rng(44)
    radii = np.concatenate((np.linspace(0.01, 1.0, bins * 4), rng.uniform(0.0, 1.0, n)))
    return rng.standard_normal(radii.shape[0]), radii, bins


KERNELS = (
    Kernel(covariance, _table, at((6, 4), (400, 240), (600, 500))),
    Kernel(correlation, _table, at((6, 4), (400, 240), (600, 500))),
    Kernel(floyd_warshall, _lengths, at(5, 60, 150), sweeps=True),
    Kernel(spmv, _sparse, at((8, 3), (5000, 20), (20000, 25))),
    Kernel(azimint, _image, at((10, 3), (20000, 100), (100000, 200))),
)

"""Sparse matrices that written modules compute by few sweeps.

Nothing here imports the package: the source is copied into the modules that need it. (Griewank and
Walther 2008, chapter 8.)
"""

from typing import Any

import numpy as np
import scipy.sparse


class Compressed:
    """The pattern of a sparse matrix, and the sweeps that its entries are read from.

    Row `i` has `lengths[i]` entries, in these `columns`. A sweep is along the sum of the unit
    vectors of a group, of columns or, where it is `by_rows`, of rows. What is `mirrored` of a
    symmetric matrix is read where its mirror image stands. `dtype` is that of the arguments, and
    sweeps may differ from each other by `noise`, as a part of their size.
    """

    def __init__(
        self,
        shape: tuple[int, int],
        lengths: Any,
        columns: Any,
        groups: Any,
        mirrored: Any = False,
        by_rows: bool = False,
        dtype: str = "float64",
        noise: float = 0.0,
    ) -> None:
        self.shape, self.by_rows = shape, by_rows
        self.groups, self.noise = groups, noise
        ends = np.concatenate(([0], np.cumsum(lengths)))
        self.known = scipy.sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)
        rows = np.repeat(np.arange(shape[0]), lengths)
        own, other = (rows, columns) if by_rows else (columns, rows)
        sweep, at = groups[np.where(mirrored, other, own)], np.where(mirrored, own, other)
        self.places = sweep * shape[by_rows] + at
        self.count = int(groups.max(initial=-1)) + 1
        self.weights = np.random.default_rng(0).uniform(0.5, 1.5, len(groups)).astype(dtype)
        self.reached = np.zeros((self.count, shape[by_rows]), bool)
        self.reached[groups[own], other] = True

    def seeds(self, first: int, shape: tuple[int, ...]) -> Any:
        """What sweeps follow in an array whose entries begin at `first`: a row for each group, and
        one of weights, by which the pattern is checked."""
        own = slice(first, first + int(np.prod(shape)))
        units = self.groups[own] == np.arange(self.count)[:, np.newaxis]
        rows = np.concatenate((units, self.weights[np.newaxis, own]), dtype=self.weights.dtype)
        return rows.reshape(-1, *shape)

    def matrix(self, *parts: Any) -> Any:
        """The `scipy.sparse.csr_array` that sweeps give, each part in the order of its entries.

        Raises RuntimeError where an entry is missing from the pattern.
        """
        rows = [np.reshape(part, (self.count + 1, -1)) for part in parts]
        sweeps = np.concatenate(rows, axis=1) if len(rows) > 1 else np.ascontiguousarray(rows[0])
        if sweeps.shape[1] != self.reached.shape[1]:
            raise ValueError(f"{sweeps.shape[1]} numbers in place of {self.reached.shape[1]}")
        made, along = sweeps[:-1], sweeps[-1]
        own = self.known.indices.copy(), self.known.indptr.copy()
        matrix = scipy.sparse.csr_array((sweeps.take(self.places), *own), shape=self.shape)
        off = np.any((made != 0.0) & np.isfinite(made) & ~self.reached, axis=0)
        off |= self.differs(matrix.T if self.by_rows else matrix, along)
        if off.any():
            raise RuntimeError(
                f"{'column' if self.by_rows else 'row'} {int(np.argmax(off))} of the matrix has an "
                "entry that is not in its pattern: write the module again, with an example that "
                "takes the same path"
            )
        return matrix

    def differs(self, matrix: Any, along: Any) -> Any:
        """Where the product with the weights is not that of a sweep along them. Rows that have no
        number for an entry are left out."""
        precision = max(float(np.finfo(a.dtype).eps) for a in (along, self.weights)) ** 0.75
        with np.errstate(invalid="ignore", over="ignore"):
            product, scale = matrix @ self.weights, abs(matrix) @ self.weights
            near = np.abs(product - along) <= max(precision, self.noise) * np.maximum(
                scale, np.abs(along)
            )
        return ~(near | (product == along) | ~np.isfinite(product))

"""Sparse matrices of SciPy: the entries depend on what is differentiated, where they are does not.

    A = csr_array((data, (row, col)), shape=(n, m));  A @ x

A constructor in a function makes one of these instead, whose methods are lowered like those of any
class. What is made of it is made of the three arrays.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


class Sparse:
    """Entries with their rows and columns; several at one place are summed."""

    def __init__(self, data, row, col, shape):
        self._data = data
        self._row = row
        self._col = col
        self.shape = shape

    @property
    def T(self):
        return Sparse(self._data, self._col, self._row, (self.shape[1], self.shape[0]))

    def transpose(self):
        return self.T

    def __matmul__(self, other):
        if np.ndim(other) == 1:
            found = np.zeros(self.shape[0])
            np.add.at(found, self._row, self._data * other[self._col])
        else:
            found = np.zeros((self.shape[0], np.shape(other)[1]))
            np.add.at(found, self._row, self._data[:, None] * other[self._col])
        return found

    def dot(self, other):
        return self @ other

    def __rmatmul__(self, other):
        return self.T @ other if np.ndim(other) == 1 else (self.T @ other.T).T

    def toarray(self):
        found = np.zeros(self.shape)
        np.add.at(found, (self._row, self._col), self._data)
        return found

    def tocsr(self):
        return self

    def tocsc(self):
        return self

    def tocoo(self):
        return self

    def sum(self):
        return np.sum(self._data)

    def __mul__(self, factor):
        if np.ndim(factor) != 0:
            raise TypeError("of an array and a matrix this is another product each: use @")
        return Sparse(self._data * factor, self._row, self._col, self.shape)

    def __rmul__(self, factor):
        return self * factor

    def __truediv__(self, factor):
        return Sparse(self._data / factor, self._row, self._col, self.shape)

    def __neg__(self):
        return Sparse(-self._data, self._row, self._col, self.shape)

    def __add__(self, other):
        return Sparse(
            np.concatenate((self._data, other._data)),
            np.concatenate((self._row, other._row)),
            np.concatenate((self._col, other._col)),
            self.shape,
        )

    def __sub__(self, other):
        return self + (-other)

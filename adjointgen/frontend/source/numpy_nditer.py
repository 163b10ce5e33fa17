"""`np.nditer`, as a user would write it: what is known of its instances.

A call of `np.nditer` in a function makes one of these instead, whose loops are lowered like those
over any object. The entries come in the order in which they lie in memory. That is the order of
their indices where all operands are contiguous, which the program tests; others raise an error.
A read of `unknown` refuses the program, since no class has an attribute of that name.
"""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np


class NdIter:
    """One operand or several; what is only read is handed out as NumPy does, as read-only views."""

    def __init__(self, several, written, flags, *operands):
        self._several = several
        self._written = written
        self._flags = flags
        self.shape = np.broadcast_arrays(*given(operands))[0].shape
        self.operands = tuple(made(operand, self.shape) for operand in operands)
        self._views = np.broadcast_arrays(*self.operands)
        self.ndim = len(self.shape)
        self.nop = len(operands)
        self.itersize = self._views[0].size
        self.iterindex = 0
        self._place = (0,) * self.ndim
        self._started = False
        if self.itersize == 0 and "zerosize_ok" not in flags:
            raise ValueError("Iteration of zero-sized operands is not enabled")

    def __iter__(self):
        if self._started:
            self.unknown()
        self._started = True
        for index in np.ndindex(self.shape):
            self._place = index
            yield self.value
            self.iterindex += 1

    def iternext(self):
        self._started = True
        self.iterindex += 1
        if self.iterindex < self.itersize:
            self._place = index_at(self.iterindex, self.shape)
        return self.iterindex < self.itersize

    @property
    def finished(self):
        return self.iterindex >= self.itersize

    @property
    def multi_index(self):
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        return self._place

    @property
    def index(self):
        if "c_index" in self._flags:
            return self.iterindex
        if "f_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        return place_of(self._place[::-1], self.shape[::-1])

    @property
    def value(self):
        # Not in a comprehension, whose entries would be numbers.
        if not self._several:
            return self._part(0)
        if self.nop == 1:
            return (self._part(0),)
        if self.nop == 2:
            return self._part(0), self._part(1)
        if self.nop == 3:
            return self._part(0), self._part(1), self._part(2)
        if self.nop != 4:
            self.unknown()
        return self._part(0), self._part(1), self._part(2), self._part(3)

    def _part(self, key):
        if self._written[key]:
            return self.operands[key][(*self._place, ...)]
        return np.broadcast_to(self._views[key][(*self._place, ...)], ())

    def __len__(self):
        return self.nop

    def __getitem__(self, key):
        if not isinstance(key, int) or not 0 <= key < self.nop:
            self.unknown()
        return self._part(key)

    def __setitem__(self, key, value):
        if not isinstance(key, int) or not 0 <= key < self.nop:
            self.unknown()
        if not self._written[key]:
            raise RuntimeError(f"Iterator operand {key} is not writeable")
        self.operands[key][self._place] = value

    def close(self):
        pass


def given(operands):
    """The operands that are arrays."""
    return [operand for operand in operands if operand is not None]


def made(operand, shape):
    """An operand, a new array where there is none."""
    return np.empty(shape) if operand is None else operand


def index_at(place, shape):
    """The index of an entry by its place in the order of C."""
    found = []
    for n in shape[::-1]:
        found.insert(0, place % n)
        place = place // n
    return tuple(found)


def place_of(index, shape):
    """The place of an entry by its index."""
    place = 0
    for k, n in zip(index, shape, strict=True):
        place = place * n + k
    return place

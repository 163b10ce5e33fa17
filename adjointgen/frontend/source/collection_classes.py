"""Classes of `collections` by lists and dicts: they are lowered like classes of the user's.

A name that is called here is the class of `collections` in a program; what has no method here is
refused.
"""

# mypy: ignore-errors

from __future__ import annotations

import collections

import numpy as np

from adjointgen.frontend.source.list_of_tuples import rows
from adjointgen.frontend.source.numpy_nditer import NdIter


class deque:
    """A list of which entries leave at one end where there are more than `maxlen`."""

    def __init__(self, iterable=(), maxlen=None):
        self._entries = []
        self.maxlen = maxlen
        for value in iterable:
            self.append(value)

    def append(self, value):
        self._entries.append(value)
        if self.maxlen is not None and len(self._entries) > self.maxlen:
            self._entries.pop(0)

    def appendleft(self, value):
        self._entries.insert(0, value)
        if self.maxlen is not None and len(self._entries) > self.maxlen:
            self._entries.pop()

    def extend(self, iterable):
        for value in iterable:
            self.append(value)

    def extendleft(self, iterable):
        for value in iterable:
            self.appendleft(value)

    def pop(self):
        if len(self._entries) == 0:
            raise IndexError("pop from an empty deque")
        return self._entries.pop()

    def popleft(self):
        if len(self._entries) == 0:
            raise IndexError("pop from an empty deque")
        return self._entries.pop(0)

    def rotate(self, n=1):
        if len(self._entries) < 2:
            return
        for _ in range(n):
            self._entries.insert(0, self._entries.pop())
        for _ in range(-n):
            self._entries.append(self._entries.pop(0))

    def clear(self):
        self._entries.clear()

    def reverse(self):
        self._entries.reverse()

    def copy(self):
        return deque(self._entries, self.maxlen)

    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError("sequence index must be integer, not 'slice'")
        return self._entries[index]

    def __setitem__(self, index, value):
        self._entries[index] = value

    def __len__(self):
        return len(self._entries)

    def __bool__(self):
        return len(self._entries) > 0

    def __iter__(self):
        return iter(self._entries)

    def __contains__(self, value):
        return value in self._entries


class _Mapping:
    def __setitem__(self, key, value):
        self._table[key] = value

    def __contains__(self, key):
        return key in self._table

    def __len__(self):
        return len(self._table)

    def __bool__(self):
        return len(self._table) > 0

    def __iter__(self):
        return iter(self._table)

    def keys(self):
        return self._table.keys()

    def values(self):
        return self._table.values()

    def items(self):
        return self._table.items()

    def get(self, key, default=None):
        return self._table.get(key, default)

    def setdefault(self, key, default=None):
        return self._table.setdefault(key, default)

    def __delitem__(self, key):
        del self._table[key]

    def pop(self, key, *default):
        return self._table.pop(key, *default)

    def clear(self):
        self._table.clear()


class defaultdict(_Mapping):
    """A dict that makes an entry where one is asked for that it has not."""

    def __init__(self, default_factory=None, *args, **kwargs):
        self.default_factory = default_factory
        self._table = dict(*args, **kwargs)

    def __getitem__(self, key):
        if key not in self._table:
            if self.default_factory is None:
                raise KeyError(key)
            self._table[key] = self.default_factory()
        return self._table[key]


class OrderedDict(_Mapping):
    """A dict of which entries can be moved to its ends."""

    def __init__(self, *args, **kwargs):
        self._table = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._table[key]

    def move_to_end(self, key, last=True):
        value = self._table.pop(key)
        if last:
            self._table[key] = value
        else:
            before = self._table
            self._table = {key: value}
            self._table.update(before)

    def update(self, *args, **kwargs):
        self._table.update(*args, **kwargs)


class Counter(_Mapping):
    """How often something is among the entries of something."""

    def __init__(self, iterable=(), **kwargs):
        self._table = {}
        self.update(iterable)
        self.update(kwargs)

    def __getitem__(self, key):
        return self._table.get(key, 0)

    def update(self, iterable):
        if isinstance(iterable, dict):
            for key, number in iterable.items():
                self._table[key] = self._table.get(key, 0) + number
        else:
            for key in iterable:
                self._table[key] = self._table.get(key, 0) + 1

    def subtract(self, iterable=(), **kwargs):
        if isinstance(iterable, dict):
            for key, number in iterable.items():
                self._table[key] = self._table.get(key, 0) - number
        else:
            for key in iterable:
                self._table[key] = self._table.get(key, 0) - 1
        for key, number in kwargs.items():
            self._table[key] = self._table.get(key, 0) - number


MODELS: dict[type, type] = {
    cls: getattr(collections, cls.__name__) for cls in (deque, defaultdict, OrderedDict, Counter)
}
"""The class of `collections` that each is in a program."""
STANDS_FOR = {**MODELS, rows: list, NdIter: np.nditer}
"""The same with the class of lists of tuples and that of NumPy's iterator."""

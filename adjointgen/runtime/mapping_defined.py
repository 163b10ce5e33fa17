"""Methods that `collections.abc` gives to mappings, by the methods that the class itself has.

Keys, values and items are lists here, not views: what is put in afterwards is not seen in them.
"""

# mypy: ignore-errors

from __future__ import annotations


def keys(self):
    """The keys in order."""
    return list(self)


def values(self):
    """What is under the keys, in order."""
    return [self[key] for key in self]


def items(self):
    """The keys with what is under each."""
    return [(key, self[key]) for key in self]


def contains(self, key):
    """Whether there is such a key."""
    return any(other == key for other in self)


def get(self, key, default=None):
    """What is under a key, if anything is."""
    return self[key] if key in self else default  # noqa: SIM401


def update(self, other=(), **kwds):
    """Put in the entries of a mapping, or pairs."""
    if hasattr(other, "keys"):
        for key in other:
            self[key] = other[key]
    else:
        for key, value in other:
            self[key] = value
    for key, value in kwds.items():
        self[key] = value


def pop(self, key, *default):
    """Take out what is under a key."""
    if default and key not in self:
        return default[0]
    value = self[key]
    del self[key]
    return value

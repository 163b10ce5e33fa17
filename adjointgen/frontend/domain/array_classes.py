"""What an array may be more than an array: an instance of a class derived from NumPy's.

    class Vector(np.ndarray): ...       Vector(...) * x and Vector(...)[1:] are vectors, too

An array of such a class that computes as NumPy's own is an array to the program. Whether what is
computed from it is still one of the class is not followed, so what only the class tells (attributes
that NumPy's arrays lack, `isinstance`, `type`) is left open where an array of such a class was met.
"""

from __future__ import annotations

from contextvars import ContextVar

import numpy as np

from adjointgen.frontend.domain.instance_attributes import instances_have

_met: ContextVar[frozenset[type]] = ContextVar("met", default=frozenset())
"""The classes below NumPy's array of which the program that is made has an array."""


def forget() -> None:
    """Begin with the arguments of another program."""
    _met.set(frozenset())


def meet(cls: type) -> None:
    """Note that an array of a derived class is taken for an array."""
    _met.set(_met.get() | {cls})


def array_has(name: str) -> bool | None:
    """Whether an array has an attribute; None where a class that is derived may have it."""
    if instances_have(np.ndarray, name):
        return True
    return None if _met.get() else False


def array_is(cls: type) -> bool | None:
    """Whether an array is an instance of a class; None where one of a derived class may be."""
    if issubclass(np.ndarray, cls):
        return True
    return None if any(issubclass(kind, cls) for kind in _met.get()) else False


def is_plain() -> bool:
    """Whether every array of the program is of NumPy's own class."""
    return not _met.get()

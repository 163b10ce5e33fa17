"""The tape of one forward sweep, for a reverse sweep that may run many times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Tape:
    """What a forward sweep has recorded, and the reverse sweep that reads it.

    It shares no memory with arguments and results, and is not changed by a reverse sweep.
    """

    values: tuple[Any, ...]
    reverse: Callable[..., tuple[Any, ...]]

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays and numbers on the tape."""
        return _bytes(self.values)


def _bytes(value: object) -> int:
    if isinstance(value, tuple | list):
        return sum(map(_bytes, value))
    if isinstance(value, dict):
        return sum(map(_bytes, value.values()))
    if isinstance(value, np.ndarray | np.generic):
        return value.nbytes
    return 8 if isinstance(value, float | int) else 16 if isinstance(value, complex) else 0


def taping(
    forward: Callable[..., tuple[Any, tuple[Any, ...]]], reverse: Callable[..., tuple[Any, ...]]
) -> Callable[..., tuple[Any, Tape]]:
    """A forward sweep whose tape knows its reverse sweep."""

    def run(*args: Any, **kwargs: Any) -> tuple[Any, Tape]:
        value, values = forward(*args, **kwargs)
        return value, Tape(values, reverse)

    return run

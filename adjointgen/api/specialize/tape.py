"""The tape of one forward sweep, for a reverse sweep that may run many times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjointgen.records import dataclass
from adjointgen.runtime.tapes import nbytes


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
        return nbytes(self.values)


def taping(
    forward: Callable[..., tuple[Any, tuple[Any, ...]]], reverse: Callable[..., tuple[Any, ...]]
) -> Callable[..., tuple[Any, Tape]]:
    """A forward sweep whose tape knows its reverse sweep."""

    def run(*args: Any, **kwargs: Any) -> tuple[Any, Tape]:
        value, values = forward(*args, **kwargs)
        return value, Tape(values, reverse)

    return run

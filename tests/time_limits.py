"""A limit on the time of a block, by a timer of the process: only for its main thread."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Late(BaseException):
    """The time is over. No `Exception`, so that no handler in a program swallows it."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise Late


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `Late` in the block after a time of the process, whatever else the machine does."""
    before = signal.signal(signal.SIGPROF, _ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)

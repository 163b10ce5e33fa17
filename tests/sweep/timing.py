"""A limit on the time of a call, by an alarm of the process: only for its main thread."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Late(BaseException):
    """The time is over. No `Exception`, so that no handler in a package swallows it."""


def _ring(number: int, frame: FrameType | None) -> None:
    raise Late


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `Late` in the block after a time."""
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)

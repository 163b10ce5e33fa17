"""Room on the interpreter's stack: calls of the user's may be nested dozens deep, sums for pages.

Python code calling Python code takes no room on the machine's stack, so the limit guards against
endless recursion only, and may be raised while a program is generated.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 20_000

_lock = threading.Lock()
_inside: list[int] = []
"""The limits found by those who are inside, the first one's first."""


@contextmanager
def deep() -> Iterator[None]:
    """Raise the limit of recursion; the last to leave restores what the first one found."""
    with _lock:
        _inside.append(_inside[0] if _inside else sys.getrecursionlimit())
        sys.setrecursionlimit(max(LIMIT, sys.getrecursionlimit()))
    try:
        yield
    finally:
        with _lock:
            before = _inside.pop()
            if not _inside:
                sys.setrecursionlimit(before)

"""Memory that a compiled program lets go stays with the process, for its next call.

glibc gives large blocks back to the system at once, and the system hands them out again page by
page, which costs a gradient of large arrays more than its arithmetic. NumPy asks for huge pages
instead, which compiled code cannot. `ADJOINTGEN_KEEP_MEMORY=off` leaves the allocator alone.
(glibc manual, "Malloc Tunable Parameters": `mallopt`.)
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from os import environ

_TRIM, _MAP = -1, -3
KEPT = 512 << 20
"""Bytes that are free before any go back to the system."""
LARGEST = 32 << 20
"""Bytes of the largest block that is kept; glibc maps larger ones each time."""


@cache
def keep_memory() -> bool:
    """Have the allocator keep what is freed, once in a process; False where it cannot be told."""
    if not sys.platform.startswith("linux") or environ.get("ADJOINTGEN_KEEP_MEMORY") == "off":
        return False
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    return option is not None and bool(option(_MAP, LARGEST)) and bool(option(_TRIM, KEPT))

"""The most memory that one call of one candidate takes, in a process of its own.

    python -m tests.benchmarks.versus.memory TABLE CASE SIZE CANDIDATE

prints bytes as JSON, or null where the system does not say. The call ran once before, so everything
is compiled; what the process holds then, arguments included, is subtracted. The results of the call
are counted.  Python allocates by `malloc` here, which gives back what is free. It is the most
of several calls, since the system counts what other threads allocate late, and then at once; of a
long call, one is made.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
from pathlib import Path
from time import perf_counter

from tests.benchmarks.timing import PATIENCE, Run, pin
from tests.benchmarks.versus.registry import case

STATUS = Path("/proc/self/status")
CALLS = 5


def held(entry: str) -> int:
    """Bytes of an entry of the process's status."""
    (line,) = (x for x in STATUS.read_text("utf-8").splitlines() if x.startswith(f"{entry}:"))
    return int(line.split()[1]) * 1024


def peak(table: str, name: str, size: str, candidate: str) -> int | None:
    """Bytes that one call holds at most, beyond what was held before it."""
    if not STATUS.exists():
        return None
    found = case(table, name)
    run = found.candidates[candidate].build()(found.inputs(size))
    start = perf_counter()
    run()
    short = perf_counter() - start <= PATIENCE
    return max(once(run) for _ in range(CALLS if short else 1))


def once(run: Run) -> int:
    """Bytes that this call holds at most, beyond what is held before it."""
    gc.collect()
    # Pages that the allocator keeps would be used without being seen.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", "utf-8")
    before = held("VmRSS")
    kept = run()
    after = held("VmHWM")
    del kept
    return after - before


if __name__ == "__main__":
    pin()
    print(json.dumps(peak(*sys.argv[1:])))

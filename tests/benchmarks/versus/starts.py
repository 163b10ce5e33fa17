"""How long a process takes to its first gradient, on both targets, with and without the disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import Any

from tests.benchmarks.tables import duration, table

TARGETS = {"python": "plain Python", "numba": "Numba"}
LIMITS = {"python": (0.35, 0.2), "numba": (None, None)}
"""Seconds that are allowed without the disk and with it."""
PROCESSES = 3

Fresh = Callable[..., Any]


def starts(fresh: Fresh, limit: float, processes: int = PROCESSES) -> dict[str, Any]:
    """Medians of seconds by target: of processes that keep nothing, and of those after a first."""
    return {target: _both(fresh, limit, target, processes) for target in TARGETS}


def _both(fresh: Fresh, limit: float, target: str, processes: int) -> list[float | None]:
    anew = [fresh("start", limit, target) for _ in range(processes)]
    with tempfile.TemporaryDirectory() as folder:
        fresh("start", limit, target, ADJOINTGEN_CACHE=folder)
        kept = [fresh("start", limit, target, ADJOINTGEN_CACHE=folder) for _ in range(processes)]
    return [_median(anew), _median(kept)]


def _median(found: list[Any]) -> float | None:
    """None where a process failed."""
    return None if any(isinstance(x, str) for x in found) else median(found)


def starts_table(found: Mapping[str, Any]) -> str:
    """One row per target."""
    body = []
    for target, title in TARGETS.items():
        cells = [title]
        for seconds, most in zip(found[target], LIMITS[target], strict=True):
            required = f" (≤ {duration(most)})" if most else ""
            cells.append("" if seconds is None else duration(seconds) + required)
        body.append(cells)
    head = ["", "nothing is kept", "from the cache on disk"]
    return (
        "The first gradient of a process, of the formula: imports, generation, compilation and a"
        " call, required in brackets:\n\n" + table(head, body)
    )


def slow_starts(found: Mapping[str, Any]) -> Iterator[str]:
    """Lines for the page's list of what falls short."""
    words = "without the cache", "from the cache"
    for target, title in TARGETS.items():
        for word, seconds, most in zip(words, found[target], LIMITS[target], strict=True):
            if seconds is not None and most is not None and seconds > most:
                times = f"{duration(seconds)}, required is {duration(most)}"
                yield f"The first gradient of a process in {title}, {word}, takes {times}."

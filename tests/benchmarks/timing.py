"""Times that can be compared: rounds alternate between the candidates, and medians are reported.

    ratio(c) = median over rounds of  time(c, round) / time(base, round)

The two times of a quotient are taken within one round, so what drifts (clock frequency, a busy
neighbour) cancels, and the median leaves out what was interrupted. A candidate runs once before its
clock starts, unless that takes long: else it would pay for what the one before it left behind, in
caches and above all in the allocator, which sorts small blocks at the next large one. Each round
starts with another candidate. The process runs on one CPU where the platform allows, and its
libraries on one thread. The garbage collector stays on, as it does for users, and runs before each
round.
"""

from __future__ import annotations

import gc
import os
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, median
from time import perf_counter

Run = Callable[[], object]
PATIENCE = 5.0
"""Seconds of a call that is long enough to be timed once."""
SHORT = 0.2
"""Seconds of a call beside which it counts what the one before left behind."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds per call of one candidate, one entry per round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    def ratio(self, base: Times) -> float:
        """The median quotient to another candidate of the same rounds."""
        return median(a / b for a, b in zip(self.seconds, base.seconds, strict=True))


def environment(base: Mapping[str, str]) -> dict[str, str]:
    """What a process that is measured runs in.

    Numerical libraries use one thread; no generated text is cached; modules are loaded from
    bytecode, as those of an installed package are.
    """
    return {
        **{key: value for key, value in base.items() if key != "PYTHONDONTWRITEBYTECODE"},
        **dict.fromkeys(THREADS, "1"),
        "ADJOINTGEN_CACHE": "off",
        "PYTHONHASHSEED": "0",
    }


def pin() -> bool:
    """Keeps this process on one CPU; whether the platform could."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True


def interleave(candidates: Mapping[str, Run], rounds: int, least: float) -> dict[str, Times]:
    """The times of all candidates; each entry lasts `least` seconds or one call, if that is longer.

    Every candidate is called before the clock starts, so what it makes at its first call is not
    counted.
    """
    for run in candidates.values():
        run()
    once = {name: min(_time(run, 1) for _ in range(3)) for name, run in candidates.items()}
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    names = list(candidates)
    for k in range(rounds):
        gc.collect()
        for name in _rotated(names, k):
            if once[name] < SHORT:
                candidates[name]()
            count = max(1, round(least / once[name]))
            seconds[name].append(_time(candidates[name], count))
    return {name: Times(tuple(found)) for name, found in seconds.items()}


def _rotated(names: Sequence[str], by: int) -> list[str]:
    split = by % len(names)
    return [*names[split:], *names[:split]]


def _time(run: Run, count: int) -> float:
    start = perf_counter()
    for _ in range(count):
        run()
    return (perf_counter() - start) / count


def peak_memory(run: Run) -> int:
    """Bytes that one call holds at most, of what Python and NumPy allocate."""
    run()
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@dataclass(frozen=True, slots=True)
class Power:
    """The law `y = factor * x**exponent`."""

    factor: float
    exponent: float


def fitted(xs: Sequence[float], ys: Sequence[float]) -> Power:
    """The power law through points, by least squares on logarithms."""
    u, v = [log(x) for x in xs], [log(y) for y in ys]
    u_mean, v_mean = fmean(u), fmean(v)
    spread = sum((a - u_mean) ** 2 for a in u)
    slope = sum((a - u_mean) * (b - v_mean) for a, b in zip(u, v, strict=True)) / spread
    return Power(exp(v_mean - slope * u_mean), slope)

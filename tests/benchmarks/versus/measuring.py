"""One case in a process of its own: candidates are made, compared, and timed in turn.

    python -m tests.benchmarks.versus.measuring TABLE CASE SIZE SECONDS LIMIT SKIPPED

prints JSON. A candidate that fails, or takes longer than LIMIT seconds to make, is left out with
the reason. One that disagrees is not timed. SECONDS is about how long the timing lasts, without
calls that are so long that one is enough. SKIPPED names candidates that are left out, with commas.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

from tests.benchmarks.timing import PATIENCE, Run, Times, interleave, pin
from tests.benchmarks.versus.agreement import flat, wrong
from tests.benchmarks.versus.cases import JAX, Case
from tests.benchmarks.versus.registry import case

LEAST = 2e-3
"""Seconds that one entry of a round lasts, if one call does not last longer."""
ROUNDS = (5, 25)
FLAGS = "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false"
"""A variable that keeps JAX on one thread, and its value."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TimeoutError when the time is over, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def over(*_: Any) -> None:
        raise TimeoutError(f"not done after {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def reason(error: BaseException) -> str:
    """One line that says why: of a cause, if there is one, since it knows more."""
    known = error.__cause__ or error
    lines = [line.strip() for line in str(known).splitlines() if line.strip()]
    told = next((line for line in lines if not line.startswith("Failed in")), "")
    return re.sub(r" at 0x[0-9a-f]+", "", f"{type(known).__name__}: {told}")[:200].rstrip()


def make(found: Case, size: str, limit: float) -> tuple[dict[str, Run], dict[str, Any], Any]:
    """The calls, what is known of each, and what each gave."""
    runs: dict[str, Run] = {}
    facts: dict[str, Any] = {"first": {}, "failed": {}}
    results: dict[str, Any] = {}
    for name, candidate in found.candidates.items():
        print(f"  {name}", file=sys.stderr, flush=True)
        start = perf_counter()
        try:
            with limited(limit):
                run = candidate.build()(found.inputs(size))
                results[name] = flat(run(), candidate.gives), candidate.gives
        except Exception as error:
            facts["failed"][name] = reason(error)
        else:
            facts["first"][name] = perf_counter() - start
            runs[name] = run
    return runs, facts, results


def timed(runs: Mapping[str, Run], seconds: float) -> dict[str, Times]:
    """As many rounds as fit into the time; a call that is long counts in every round."""
    once = {name: max(LEAST, _once(run)) for name, run in runs.items()}
    short = {name: run for name, run in runs.items() if once[name] <= PATIENCE}
    least, most = ROUNDS
    fitting = round(seconds / sum(once[name] for name in short)) if short else least
    rounds = max(least, min(most, fitting))
    times = interleave(short, rounds, LEAST) if short else {}
    return {name: times.get(name) or Times((once[name],) * rounds) for name in runs}


def _once(run: Run) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def measure(found: Case, size: str, seconds: float, limit: float) -> dict[str, Any]:
    """Everything that is known of a case but its memory."""
    runs, facts, results = make(found, size, limit)
    compared = [name for name in results if found.candidates[name].compared]
    reference = JAX if JAX in results else compared[0]
    faults = wrong(results, reference)
    right = {name: run for name, run in runs.items() if name not in faults}
    times = timed(right, seconds)
    ratios = {
        name: times[name].ratio(times[candidate.base])
        for name, candidate in found.candidates.items()
        if name in times and candidate.base in times
    }
    return {
        "name": found.name,
        "title": found.title,
        "size": size,
        "sweeps": found.sweeps,
        "reference": reference,
        "wrong": faults,
        "seconds": {name: t.median for name, t in times.items()},
        "ratios": ratios,
        "speedups": speedups(found, times),
        **facts,
    }


def speedups(found: Case, times: Mapping[str, Times]) -> dict[str, Any]:
    """The best of ours, and how many times as fast as each peer it is."""
    mine = [name for name in times if found.candidates[name].ours]
    if not mine:
        return {}
    best = min(mine, key=lambda name: times[name].median)
    peers = [n for n in times if found.candidates[n].compared and not found.candidates[n].ours]
    return {"best": best, **{name: times[name].ratio(times[best]) for name in peers}}


if __name__ == "__main__":
    pin()
    os.environ.setdefault(*FLAGS)
    table, name, size, seconds, limit, skipped = sys.argv[1:]
    whole = case(table, name)
    kept = {n: c for n, c in whole.candidates.items() if n not in skipped.split(",")}
    chosen = replace(whole, candidates=kept)
    print(json.dumps(measure(chosen, size, float(seconds), float(limit))))

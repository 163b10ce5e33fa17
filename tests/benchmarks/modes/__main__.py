"""Jacobians, samples and Taylor coefficients beside those of peers, in one process.

    python -m tests.benchmarks.modes [--tiny] [--only WORD] [--write]

Candidates are made one after the other, which is timed, and found to give the same; then rounds
alternate between them. With `--write` the table goes into results.json and docs/performance.md;
rows that were not measured stay.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from tests.benchmarks.modes.cases import Case, cases
from tests.benchmarks.modes.tables import modes_table
from tests.benchmarks.page import page
from tests.benchmarks.timing import interleave, pin
from tests.benchmarks.worker import ROOT

LIBRARIES = ("numpy", "scipy", "jax", "torch", "casadi", "asdex")
RESULTS = ROOT / "tests" / "benchmarks" / "results.json"


def numbers(found: Any) -> Any:
    """What a candidate gave, as one array."""
    for name in ("toarray", "full", "detach"):
        if hasattr(found, name):
            found = getattr(found, name)()
    return np.asarray(found)


def same(first: Any, other: Any) -> bool:
    """Whether two candidates gave the same; of sparse matrices, that many rows are looked at."""
    if hasattr(first, "tocsr") and hasattr(other, "sparse"):
        other = other.sparse()
    if hasattr(first, "tocsr") and hasattr(other, "todense") and not hasattr(other, "tocsr"):
        other = coo_array((np.asarray(other.data), np.asarray(other.indices).T), other.shape)
    if hasattr(first, "tocsr"):
        return bool(abs(first - other).max() <= 1e-9 * abs(first).max())
    return bool(np.allclose(numbers(first), numbers(other), 1e-8, 1e-10))


def measured(case: Case, rounds: int, least: float) -> dict[str, Any]:
    """The row of a case."""
    runs, first, results, failed = {}, {}, {}, {}
    for name, make in case.candidates.items():
        start = perf_counter()
        try:
            run = make()
            results[name] = run()
        except Exception as error:  # whatever a library raises
            failed[name] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            continue
        runs[name], first[name] = run, perf_counter() - start
    known = next(iter(results))
    wrong = [name for name, found in results.items() if not same(results[known], found)]
    times = interleave({n: r for n, r in runs.items() if n not in wrong}, rounds, least)
    return {
        "name": case.name,
        "first": first,
        "seconds": {name: one.median for name, one in times.items()},
        "ratios": {name: one.ratio(times[known]) for name, one in times.items()},
        "failed": failed | dict.fromkeys(wrong, "gives something else"),
    }


def libraries() -> dict[str, str]:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.modes")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--only", default="", help="cases that have this in their names")
    parser.add_argument("--write", action="store_true", help="into results.json and the page")
    options = parser.parse_args(arguments)
    pin()
    rounds, least = (2, 0.0) if options.tiny else (15, 0.05)
    chosen = [case for case in cases(options.tiny) if options.only in case.name]
    section: dict[str, Any] = {"libraries": libraries(), "rounds": rounds, "rows": []}
    for case in chosen:
        section["rows"].append(measured(case, rounds, least))
        print(modes_table(section["rows"][-1:]), flush=True)
    if options.write:
        results = json.loads(RESULTS.read_text("utf-8"))
        new = {row["name"]: row for row in section["rows"]}
        old = {row["name"]: row for row in results.get("modes", section)["rows"]}
        results["modes"] = {**section, "rows": [*{**old, **new}.values()]}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
        (ROOT / "docs" / "performance.md").write_text(page(results), "utf-8")
    return int(any(row["failed"] for row in section["rows"]))


if __name__ == "__main__":
    sys.exit(main())

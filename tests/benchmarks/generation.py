"""How long it takes until there is a derivative: import, the first gradient, and longer functions.

    python -m tests.benchmarks.generation [tiny]

Every number is the median of several fresh processes without a cache on disk.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.families import FAMILIES
from tests.benchmarks.tables import generation_tables
from tests.benchmarks.timing import fitted
from tests.benchmarks.worker import Sizes, run_code, run_json, run_worker

IMPORT_LIMIT = 0.060
FIRST_LIMIT = 0.050
LONG = 500
"""From this many statements on, what does not depend on their number is small."""

IMPORT = """
import json, sys
from time import perf_counter
import numpy
start = perf_counter()
exec(sys.argv[1])
print(json.dumps(perf_counter() - start))
"""

FIRST = """
import json
from time import perf_counter
from tests.benchmarks.model import glide, point
from adjointgen import grad
gradient, arguments = grad(glide), point()
times = [perf_counter()]
gradient(*arguments); times.append(perf_counter())
gradient(*arguments); times.append(perf_counter())
gradient.source; times.append(perf_counter())
first, second, text = (b - a for a, b in zip(times, times[1:]))
print(json.dumps({"first": first, "second": second, "text": text}))
"""

IMPORTS = {
    "import adjointgen": "import adjointgen",
    "from adjointgen import grad": "from adjointgen import grad",
    "import libcst": "import libcst",
    "import black": "import black",
}


def measure(sizes: Sizes) -> Any:
    """All numbers, in seconds and MiB."""
    count = sizes.processes
    first = {**medians([run_code(FIRST) for _ in range(count)]), "cached": cached(count)}
    module = [sys.executable, "-m", "tests.benchmarks.stages"]
    stages = medians([run_json(module) for _ in range(count)])
    lengths = [straight(n, max(1, count // 3)) for n in sizes.statements]
    long = [row for row in lengths if row["statements"] >= min(LONG, sizes.statements[-2])]
    law = fitted([r["statements"] for r in long], [r["seconds"] for r in long])
    return {
        "processes": count,
        "imports": import_times(count),
        "limits": {"import": IMPORT_LIMIT, "first": FIRST_LIMIT},
        "first": first,
        "stages": stages,
        "straight": lengths,
        "fitted_from": long[0]["statements"],
        "exponent": law.exponent,
        "families": [family(name, sizes, max(1, count // 3)) for name in FAMILIES],
    }


def cached(count: int) -> float | None:
    """Seconds of a process's first call where another process left the text on disk.

    None where nothing is left there.
    """
    with tempfile.TemporaryDirectory() as folder:
        run_code(FIRST, ADJOINTGEN_CACHE=folder)
        if not any(Path(folder).iterdir()):
            return None
        times = [run_code(FIRST, ADJOINTGEN_CACHE=folder)["first"] for _ in range(count)]
    return median(times)


def import_times(count: int) -> dict[str, float]:
    """Seconds that imports take after NumPy's."""
    return {
        name: median(run_code(IMPORT, code) for _ in range(count)) for name, code in IMPORTS.items()
    }


def straight(statements: int, count: int) -> dict[str, Any]:
    """Generation of one straight-line function."""
    command = [sys.executable, "-m", "tests.benchmarks.straight", str(statements)]
    return medians([run_json(command) for _ in range(count)])


def family(name: str, sizes: Sizes, count: int) -> dict[str, Any]:
    """Generation of the programs of a family, and the exponent of their length."""
    lengths = FAMILIES[name][1] if max(sizes.statements) > LONG else sizes.statements
    command = [sys.executable, "-m", "tests.benchmarks.families", name]
    rows = [
        medians([run_json([*command, str(length)]) for _ in range(count)]) for length in lengths
    ]
    law = fitted([r["length"] for r in rows], [r["seconds"] for r in rows])
    return {"name": name, "rows": rows, "exponent": law.exponent}


def medians(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of every entry; None where it could not be measured."""
    return {
        key: None if rows[0][key] is None else median(row[key] for row in rows) for key in rows[0]
    }


def main(size: str = "full") -> Any:
    """Measures in processes of their own, prints the tables, and returns the numbers."""
    found = run_worker("tests.benchmarks.generation", size)
    print(generation_tables(found))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])

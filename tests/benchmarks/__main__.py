"""All benchmarks: prints the tables, and writes docs/performance.md and results.json.

    python -m tests.benchmarks [tiny] [FOLDER]

With a folder, both files go there.  What `python -m tests.benchmarks.versus` wrote stays.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.benchmarks import cost, generation
from tests.benchmarks.machine import facts
from tests.benchmarks.page import page
from tests.benchmarks.worker import ROOT


def main(size: str = "full", folder: str | None = None) -> None:
    shown = ROOT / "docs" if folder is None else Path(folder)
    kept = (ROOT / "tests" / "benchmarks" if folder is None else Path(folder)) / "results.json"
    before = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    results = {
        **before,
        "machine": facts(),
        "cost": cost.main(size),
        "generation": generation.main(size),
    }
    kept.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    (shown / "performance.md").write_text(page(results), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

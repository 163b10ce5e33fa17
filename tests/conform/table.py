"""The rows of runs as counts per package, and what is not as it should be.

python -m tests.conform.table rows.json
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

KINDS = ("accepted", "refused", "different", "internal", "skipped")


def kind_of(row: dict[str, Any]) -> str:
    """What became of a test."""
    if "program" not in row:
        return "skipped"
    for kind in ("refused", "internal"):
        if kind in row:
            return kind
    return "accepted" if row["plain"] == row["program"] else "different"


def worst(kinds: Iterable[str]) -> str:
    """Of the cases of one function, what counts for it."""
    found = {*kinds}
    return next(
        k for k in ("internal", "different", "accepted", "refused", "skipped") if k in found
    )


def table(rows: Iterable[dict[str, Any]]) -> str:
    """One line per file of tests, and their sum."""
    functions: dict[str, list[str]] = {}
    for row in rows:
        if "begin" not in row:
            functions.setdefault(row["test"], []).append(kind_of(row))
    counts: dict[str, Counter[str]] = {}
    for name, kinds in functions.items():
        counts.setdefault(name.partition("::")[0], Counter())[worst(kinds)] += 1
    counts["all"] = sum(counts.values(), Counter())
    lines = [f"| tests | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 1) + "|"]
    for name, count in counts.items():
        lines.append(f"| {name} | {' | '.join(str(count[k]) for k in KINDS)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    texts = [line for path in sys.argv[1:] for line in Path(path).read_text().splitlines()]
    print(table(map(json.loads, texts)))

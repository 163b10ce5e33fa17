"""The rows of runs as counts per suite, and the table of them in the page on coverage.

python -m tests.conform.table rows.json
python -m tests.conform.table rows.json --write docs/coverage.md
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

KINDS = ("accepted", "refused", "different", "internal", "skipped")
SUITES = {"test": "CPython", "numpy": "NumPy", "scipy": "SciPy"}
COUNTS = Path(__file__).parent / "counts.json"
BEGIN, END = "<!-- conformance: begin -->", "<!-- conformance: end -->"

Counts = dict[str, Any]


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


def is_lowered(row: Mapping[str, Any]) -> bool:
    """Whether more statements of a program were lowered than copied."""
    return row.get("lowered", 0) > row.get("copied", 0)


def _finished(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of tests; one that began and has none ended its process."""
    begun: dict[str, Any] | None = None
    for row in rows:
        if "begin" not in row:
            begun = None
            yield row
            continue
        if begun is not None:
            yield _crashed(begun)
        begun = row
    if begun is not None:
        yield _crashed(begun)


def _crashed(begun: dict[str, Any]) -> dict[str, Any]:
    ended = {"plain": "passed", "program": "crashed", "internal": "Crashed"}
    return {"test": begun["test"], "case": begun["begin"], **ended}


def counts(rows: Iterable[dict[str, Any]]) -> Counts:
    """How many functions of each file of tests end in what, and the codes of refusals."""
    functions: dict[str, list[dict[str, Any]]] = {}
    for row in _finished(rows):
        functions.setdefault(row["test"], []).append(row)
    files: dict[str, Counter[str]] = {}
    codes: Counter[str] = Counter()
    for name, cases in functions.items():
        kind = worst(map(kind_of, cases))
        file = files.setdefault(name.partition("::")[0], Counter())
        file[kind] += 1
        if kind == "accepted":
            file["lowered"] += any(is_lowered(c) for c in cases if kind_of(c) == kind)
        if kind == "refused":
            codes[next(c["refused"] for c in cases if "refused" in c)] += 1
    return {"files": {k: dict(files[k]) for k in sorted(files)}, "codes": dict(codes.most_common())}


def page(found: Counts) -> str:
    """The counts as the page has them: the suites, and the codes of what is refused."""
    suites: dict[str, Counter[str]] = {}
    for name, count in found["files"].items():
        suite = SUITES.get(name.partition(".")[0], name)
        suites.setdefault(suite, Counter()).update({**count, "files": 1})
    suites["all"] = sum(suites.values(), Counter())
    columns = ("files", "accepted", "lowered", "refused", "different", "internal")
    titles = ("files", "accepted", "of these mostly lowered", "refused", "different", "internal")
    lines = [f"| tests of | {' | '.join(titles)} |", "|---" + "|--:" * len(columns) + "|"]
    for suite, count in suites.items():
        lines.append(f"| {suite} | {' | '.join(str(count[c]) for c in columns)} |")
    lines += ["", "| refused with | functions |", "|---|--:|"]
    lines += [f"| [{c}](errors/{c}.md) | {n} |" for c, n in found["codes"].items()]
    return "\n".join(lines)


def files_of(found: Counts) -> str:
    """One line per file of tests, and their sum."""
    files = {**found["files"], "all": sum(map(Counter, found["files"].values()), Counter())}
    lines = [f"| tests | {' | '.join(KINDS)} |", "|---" * (len(KINDS) + 1) + "|"]
    for name, count in files.items():
        lines.append(f"| {name} | {' | '.join(str(count.get(k, 0)) for k in KINDS)} |")
    return "\n".join(lines)


def written(text: str, found: Counts) -> str:
    """A page with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{page(found)}\n{END}{after}"


def main(*arguments: str) -> None:
    paths, _, target = " ".join(arguments).partition(" --write ")
    texts = [line for path in paths.split() for line in Path(path).read_text().splitlines()]
    found = counts(map(json.loads, texts))
    print(files_of(found))
    if target:
        COUNTS.write_text(json.dumps(found, indent=1) + "\n")
        place = Path(target)
        place.write_text(written(place.read_text("utf-8"), found), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Gradients against those of peers, one table per command.

    python -m tests.benchmarks.versus TABLE [--sizes SIZE,SIZE] [--only NAME,NAME] [--write]
    python -m tests.benchmarks.versus TABLE --memory-only [--only NAME,NAME]

measures every case in fresh processes, prints the table, and with `--write` puts it into
results.json and docs/performance.md, where rows that were not measured stay. Ends with 1 where
gradients differ. `--memory-only` measures the memory of what results.json has, and nothing else: it
is right on a busy machine, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tests.benchmarks.page import page
from tests.benchmarks.timing import environment
from tests.benchmarks.versus.cases import LARGER, Case
from tests.benchmarks.versus.registry import TABLES
from tests.benchmarks.versus.starts import starts
from tests.benchmarks.versus.tables import shown, times
from tests.benchmarks.worker import ROOT

LIBRARIES = ("numba", "jax", "torch", "autograd", "casadi", "tangent-ad")
RESULTS = ROOT / "tests" / "benchmarks" / "results.json"


def parsed(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.versus")
    parser.add_argument("table", choices=sorted(TABLES))
    parser.add_argument("--sizes", help="instead of all of the table, or tiny; with commas")
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--seconds", type=float, default=6.0, help="of timing per case")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds per candidate")
    parser.add_argument("--skip", default="", help="candidates that are left out, with commas")
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--memory-only", action="store_true", help="of what has its times already")
    parser.add_argument("--raw", type=Path, help="a file for the rows so far, written after each")
    parser.add_argument("--write", action="store_true", help="into results.json and the page")
    options = parser.parse_args(arguments)
    known = {size for c in TABLES[options.table]() for size in c.sizes}
    if options.write and not known.issuperset(listed(options.sizes) or ()):
        parser.error(f"the page has these sizes of the table alone: {', '.join(sorted(known))}")
    return options


def listed(names: str | None) -> list[str] | None:
    """What is separated by commas, if there is something."""
    return None if names is None else names.split(",")


def fresh(module: str, limit: float, *arguments: str, **more: str) -> Any:
    """The JSON that a module prints in a fresh process, or a string that says why it does not.

    `more` is added to its environment.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"tests.benchmarks.versus.{module}", *arguments],
            cwd=ROOT,
            env={**environment(os.environ), **more},
            capture_output=True,
            text=True,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {limit:.0f} s"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
        return last[0][:200]
    return json.loads(done.stdout)


def row(table: str, found: Case, size: str, options: argparse.Namespace) -> dict[str, Any]:
    """All that is measured of a case."""
    failed = probed(table, found, size, options)
    whole = options.limit * len(found.candidates) + 10.0 * options.seconds
    how = str(options.seconds), str(options.limit), ",".join((options.skip, *failed))
    measured = fresh("measuring", whole, table, found.name, size, *how)
    if isinstance(measured, str):
        failed = {**dict.fromkeys(found.candidates, measured), **failed}
        blank = {key: {} for key in ("wrong", "seconds", "ratios", "speedups", "first")}
        named = {"name": found.name, "title": found.title, "size": size, "sweeps": found.sweeps}
        return {**named, **blank, "failed": failed, "memory": {}}
    unweighed = options.no_memory or size == LARGER.get(table)
    memory = {} if unweighed else peaks(table, found, size, measured["seconds"], options)
    return {**measured, "failed": {**measured["failed"], **failed}, "memory": memory}


def probed(table: str, found: Case, size: str, options: argparse.Namespace) -> dict[str, str]:
    """Why candidates that may not end do not, each in a process of its own."""
    skipped = options.skip.split(",")
    named = [n for n, c in found.candidates.items() if c.probed and n not in skipped]
    tried = {n: fresh("probe", options.limit, table, found.name, size, n) for n in named}
    return {name: why for name, why in tried.items() if why is not None}


def peaks(
    table: str, found: Case, size: str, names: Iterable[str], options: argparse.Namespace
) -> dict[str, int | None]:
    """The memory of those candidates that are compared, where it could be measured."""
    memory: dict[str, int | None] = {}
    skipped = options.skip.split(",")
    for name in names:
        if name in found.candidates and found.candidates[name].compared and name not in skipped:
            which = table, found.name, size, name
            peak = fresh("memory", options.limit, *which, PYTHONMALLOC="malloc")
            memory[name] = peak if isinstance(peak, int) else None
    return memory


def remembered(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of results.json, with their memory measured again."""
    cases = {c.name: c for c in TABLES[options.table]()}
    names, sizes = listed(options.only), listed(options.sizes)
    results = json.loads(RESULTS.read_text("utf-8"))
    rows = []
    for old in results[options.table]["rows"]:
        meant = (names is None or old["name"] in names) and (sizes is None or old["size"] in sizes)
        if old["name"] in cases and meant and old["size"] != LARGER.get(options.table):
            print(f"{old['name']} {old['size']}", file=sys.stderr, flush=True)
            found = peaks(options.table, cases[old["name"]], old["size"], old["seconds"], options)
            rows.append({**old, "memory": {**old["memory"], **found}})
            if options.raw:
                options.raw.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return rows


def merged(old: Any, new: Any, table: str) -> Any:
    """The new rows among those that were not measured again, in the order of the table."""
    rows = {(r["name"], r["size"]): r for s in (old or {"rows": []}, new) for r in s["rows"]}
    order = [(c.name, size) for c in TABLES[table]() for size in c.sizes]
    return {**(old or {}), **new, "rows": [rows[key] for key in order if key in rows]}


def libraries() -> dict[str, str]:
    """The versions of what is installed."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name).partition("+")[0]
        except PackageNotFoundError:
            continue
    return found


def measured(options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of the cases and sizes that are asked for."""
    names, sizes = listed(options.only), listed(options.sizes)
    cases = [c for c in TABLES[options.table]() if names is None or c.name in names]
    todo = [(c, s) for c in cases for s in sizes or c.sizes]
    rows = []
    for k, (found, size) in enumerate(todo, 1):
        print(f"{k}/{len(todo)} {found.name} {size}", file=sys.stderr, flush=True)
        rows.append(row(options.table, found, size, options))
        print(times(rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
        if options.raw:
            options.raw.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return rows


def main() -> int:
    options = parsed()
    rows = remembered(options) if options.memory_only else measured(options)
    section: dict[str, Any] = {"libraries": libraries(), "rows": rows}
    if options.table == "scalars" and not options.memory_only:
        section["starts"] = starts(fresh, options.limit)
    print(shown(section, options.table))
    if options.write or options.memory_only:
        results = json.loads(RESULTS.read_text("utf-8"))
        results[options.table] = merged(results.get(options.table), section, options.table)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
        (ROOT / "docs" / "performance.md").write_text(page(results), "utf-8")
    wrong = [f"{r['name']}: {n}: {why}" for r in rows for n, why in r["wrong"].items()]
    print(*wrong, sep="\n", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

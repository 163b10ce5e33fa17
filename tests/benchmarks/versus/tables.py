"""What was compared, as Markdown: times, ratios, compile times, memory, and what failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, log
from statistics import fmean, median
from typing import Any

from tests.benchmarks.tables import digits, duration, table
from tests.benchmarks.versus.cases import (
    DIRECT,
    DIRECT_NAMES,
    JAX,
    LARGER,
    LOOPS,
    NUMBA,
    NUMPY,
    PRIMAL,
    PRIMAL_LOOPS,
    PRIMAL_NUMBA,
    PYTHON,
    RESTRUCTURED,
    TANGENT,
    TANGENT_NUMBA,
)
from tests.benchmarks.versus.reasons import GOALS, MEANS, REASONS
from tests.benchmarks.versus.starts import slow_starts, starts_table

Row = Mapping[str, Any]
OURS = (PYTHON, NUMPY, NUMBA, LOOPS)
RATIOS = (PYTHON, NUMPY, TANGENT, NUMBA, TANGENT_NUMBA, LOOPS)
COLUMNS = (PRIMAL, PYTHON, NUMPY, PRIMAL_NUMBA, NUMBA, PRIMAL_LOOPS, LOOPS)
LIMITS = {PYTHON: 3.5, NUMPY: 3.5, NUMBA: 3.0, LOOPS: 3.0, TANGENT: 2.0, TANGENT_NUMBA: 2.0}
"""What a derivative with its value may cost, relative to the primal in the same runtime."""
SLOW = 0.9
"""Speed-ups below this are called losses."""
AT_THE_LARGER = (NUMPY, NUMBA, JAX, DIRECT)
"""What the table of the larger size has."""


def shown(section: Mapping[str, Any], table: str = "") -> str:
    """All tables of a section, that of the larger size last."""
    rows, larger = split(section, table)
    parts = [times(rows), summary(rows), costs(rows), first(rows), memory(rows), failures(rows)]
    if "starts" in section:
        parts.insert(4, starts_table(section["starts"]))
    if not rows:
        parts = []
    if larger:
        title = f"### {table.capitalize()} at the larger size"
        compared = [_narrowed(row) for row in larger]
        parts += [title, times(compared), summary(compared), failures(compared)]
    return "\n\n".join(part for part in parts if part)


def split(section: Mapping[str, Any], table: str) -> tuple[list[Row], list[Row]]:
    """The rows of a section, and those of the size that has a table of its own."""
    rows, other = section["rows"], LARGER.get(table)
    return [r for r in rows if r["size"] != other], [r for r in rows if r["size"] == other]


def _narrowed(row: Row) -> Row:
    """What the table of the larger size shows of a row: gradients alone, and not all of them."""
    parts = {
        part: {name: value for name, value in row[part].items() if name in AT_THE_LARGER}
        for part in ("wrong", "failed", "seconds")
    }
    speedups = {n: x for n, x in row["speedups"].items() if n in ("best", *AT_THE_LARGER)}
    return {**row, **parts, "speedups": speedups, "ratios": {}}


def titled(row: Row, rows: Sequence[Row]) -> str:
    """The name, and the size where a name has several."""
    several = sum(other["name"] == row["name"] for other in rows) > 1
    return f"{row['name']}, {row['size']}" if several else str(row["name"])


def _peers(rows: Sequence[Row]) -> list[str]:
    found = dict.fromkeys(p for row in rows for p in row["speedups"] if p != "best")
    return list(found)


def _cells(row: Row, names: Sequence[str], of: str, show: Callable[[Any], str]) -> list[str]:
    found = (row[of].get(name) for name in names)
    return ["" if value is None else show(value) for value in found]


def times(rows: Sequence[Row]) -> str:
    """Seconds of ours and of the peers, and how many times as fast the better of ours is.

    What failed has a dash, and what a row does not have nothing.
    """
    peers = _peers(rows)
    columns = [*COLUMNS, *peers]
    used = [name for name in columns if any(name in row["seconds"] for row in rows)]
    head = ["", *used, *(f"faster than {peer}" for peer in peers)]
    body = [
        [
            titled(row, rows),
            *_dashed(row, used, _cells(row, used, "seconds", duration)),
            *_cells(row, peers, "speedups", digits),
        ]
        for row in rows
    ]
    return table(head, body)


def _dashed(row: Row, names: Sequence[str], cells: Sequence[str]) -> list[str]:
    without = {*row["failed"], *row["wrong"]}
    return ["—" if n in without else cell for n, cell in zip(names, cells, strict=True)]


def mean(numbers: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(fmean(log(x) for x in numbers))


def summary(rows: Sequence[Row]) -> str:
    """Means of the speed-ups over each peer, and where ours is slower."""
    lines = []
    for peer in _peers(rows):
        found = {titled(r, rows): x for r in rows if (x := _speedup(r, peer)) is not None}
        numbers = list(found.values())
        means = f"{digits(fmean(numbers))} on average, geometric mean {digits(mean(numbers))}"
        lines.append(f"* Times as fast as {peer}: {means}, of {len(numbers)}.")
        behind = sorted((x, name) for name, x in found.items() if x < SLOW)
        if behind:
            named = ", ".join(f"{name} ({digits(x)})" for x, name in behind)
            lines.append(f"* Slower than {peer}: {named}.")
    for name in RATIOS:
        ratios = {titled(r, rows): r["ratios"][name] for r in rows if name in r["ratios"]}
        if ratios:
            top = sorted(ratios, key=lambda n: -ratios[n])[:5]
            named = ", ".join(f"{n} ({digits(ratios[n])})" for n in top)
            middle = digits(median(ratios.values()))
            lines.append(f"* {name} over its primal: median {middle}; most for {named}.")
    return "\n".join(lines)


def _speedup(row: Row, peer: str) -> float | None:
    """The speed-up over a peer; a program in JAX that is line by line anyway counts as both."""
    same = peer == DIRECT and row["name"] not in DIRECT_NAMES
    found: float | None = row["speedups"].get(JAX if same else peer)
    return found


def costs(rows: Sequence[Row]) -> str:
    """Ratios to the primal in the same runtime."""
    used = [name for name in RATIOS if any(name in row["ratios"] for row in rows)]
    if not used:
        return ""
    body = [[titled(row, rows), *_cells(row, used, "ratios", digits)] for row in rows]
    return "Relative to the primal in the same runtime:\n\n" + table(["", *used], body)


def first(rows: Sequence[Row]) -> str:
    """Seconds until there is a first gradient: generating, compiling, and one call."""
    names = [n for n in (*OURS, *_peers(rows)) if any(n in row["first"] for row in rows)]
    body = [[titled(row, rows), *_cells(row, names, "first", duration)] for row in rows]
    return "The first call, with all that is generated and compiled:\n\n" + table(
        ["", *names], body
    )


def memory(rows: Sequence[Row]) -> str:
    """The peak of each."""
    known = [name for row in rows for name, value in row["memory"].items() if value is not None]
    if not known:
        return ""
    names = [n for n in (*OURS, *_peers(rows)) if n in known]
    body = [
        [
            titled(row, rows),
            *_cells(row, names, "memory", mebibytes),
            "yes" if row["sweeps"] else "",
        ]
        for row in rows
    ]
    return "Peak memory of a call:\n\n" + table(["", *names, "sweeps"], body)


def mebibytes(count: int) -> str:
    return f"{digits(count / 2**20)} MiB"


def failures(rows: Sequence[Row]) -> str:
    """What could not be run, or gave other numbers."""
    return "\n".join(f"* {line}" for row in rows for line in _failed(row, rows))


def _failed(row: Row, rows: Sequence[Row]) -> Iterator[str]:
    for name, why in row["wrong"].items():
        yield f"{titled(row, rows)}: {name} disagrees with {row['reference']}: {why}"
    for name, why in row["failed"].items():
        yield f"{titled(row, rows)}: {name} failed: {why}"


def losses(section: Mapping[str, Any], table: str = "") -> Iterator[str]:
    """Lines for the page's list of what falls short."""
    rows, _ = split(section, table)
    numbers = [r["speedups"][JAX] for r in rows if JAX in r["speedups"]]
    if table in MEANS and numbers:
        both = (fmean(numbers), "on average"), (mean(numbers), "as geometric mean")
        for (found, how), goal in zip(both, MEANS[table], strict=True):
            if found < goal:
                times = f"{digits(found)} times as fast as JAX {how}"
                yield f"{table}: {times}, required is {digits(goal)}."
    yield from _dear(rows)
    if "starts" in section:
        yield from slow_starts(section["starts"])
    for row in rows:
        name = titled(row, rows)
        for peer in (p for p in row["speedups"] if p not in ("best", RESTRUCTURED)):
            if (line := _behind(row["name"], peer, row["speedups"][peer])) is not None:
                yield f"{name}: {line}"
        # The memory that counts is that of the candidate whose time counts.
        mine, jax = (row["memory"].get(n) for n in (row["speedups"].get("best"), JAX))
        if row["sweeps"] and mine is not None and jax is not None and mine > jax:
            yield f"{name}: our gradient holds {mebibytes(mine)}, JAX {mebibytes(jax)}."


def _behind(name: str, peer: str, speedup: float) -> str | None:
    """What is said of a peer that is faster, or nearer than is required."""
    why = REASONS.get(name)
    end = f": {why}." if why else "."
    if speedup < SLOW:
        return f"{peer} is {digits(1.0 / speedup)} times as fast as our gradient{end}"
    goal = GOALS.get(name, {}).get(peer, 0.0)
    if speedup < goal:
        return f"{digits(speedup)} times as fast as {peer}, required is {digits(goal)}{end}"
    return None


def _dear(rows: Sequence[Row]) -> Iterator[str]:
    """Lines for the derivatives that cost more than they should, most first."""
    for name, limit in LIMITS.items():
        ratios = sorted(
            (
                (r["ratios"][name], titled(r, rows))
                for r in rows
                if r["ratios"].get(name, 0) > limit
            ),
            reverse=True,
        )
        if ratios:
            named = ", ".join(f"{n} {digits(ratio)}" for ratio, n in ratios)
            yield f"{name} over its primal, at most {limit} required: {named}."

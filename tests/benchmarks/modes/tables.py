"""The table of what modes cost beside peers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.benchmarks.tables import digits, duration, table

MODES = """\
## Jacobians, samples and Taylor coefficients

`python -m tests.benchmarks.modes --write`. All candidates of a case run in one process, on one CPU
and one thread, and were found to give the same before. What is done once, generating, tracing,
compiling, patterns and groups of columns, is in the time of the first call. {rounds} rounds
alternate between the candidates; a time is the median of the rounds, a ratio the median of the
quotients within each round. `module` is the program of `--mode jacobian`, `jacobian-sparse` or
`taylor`. Sparse Jacobians of adjointgen have a sweep more in each call, by which the pattern is
checked; those of CasADi are matrices of its own.
"""


def modes_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """One line for each candidate of each case."""
    head = ["case", "candidate", "first call", "time", "as much time as adjointgen"]
    return table(head, list(_lines(rows)))


def _lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    for row in rows:
        title = row["name"]
        for name, seconds in row["seconds"].items():
            cells = duration(row["first"][name]), duration(seconds), _ratio(row["ratios"][name])
            yield [title, name, *cells]
            title = ""


def _ratio(number: float) -> str:
    return digits(number) if number >= 0.095 else f"{number:.1g}"


def modes_text(section: Mapping[str, Any]) -> Iterator[str]:
    """The section of the page."""
    yield MODES.format(rounds=section["rounds"])
    yield "With " + ", ".join(f"{lib} {v}" for lib, v in section["libraries"].items()) + "."
    yield modes_table(section["rows"])
    failed = [
        f"* {r['name']}: {n}: {why}" for r in section["rows"] for n, why in r["failed"].items()
    ]
    if failed:
        yield "\n".join(failed)

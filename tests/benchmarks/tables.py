"""Measured numbers as Markdown tables, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

OURS = ("tangent", "adjoint")
BASE = "primal"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose first column is text and whose others are numbers."""
    widths = [max(len(row[k]) for row in (head, *rows)) for k in range(len(head))]
    rule = ["-" * widths[0], *("-" * (w - 1) + ":" for w in widths[1:])]

    def line(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        others = (c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))
        return f"| {' | '.join((first, *others))} |"

    return "\n".join(map(line, (head, rule, *rows)))


def duration(seconds: float) -> str:
    """Three significant digits, in the unit that suits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds / 1e-9)} ns"


def digits(number: float) -> str:
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f}"


def _memory(count: float | None) -> str:
    return "" if count is None else f"{digits(count / 2**10)} KiB"


def cost_table(program: Mapping[str, Any]) -> str:
    """One program: a row per candidate."""
    head = ["", "time", "relative to the primal", "required", "memory"]
    rows = []
    for name, row in program["rows"].items():
        limit = program["limits"].get(name)
        shown = "" if limit is None else f"≤ {limit}"
        cells = [duration(row["seconds"]), digits(row["ratio"]), shown, _memory(row["bytes"])]
        rows.append([_candidate(name), *cells])
    return table(head, rows)


def _candidate(name: str) -> str:
    return f"**{name}**" if name in OURS else name


def cost_tables(found: Mapping[str, Any]) -> str:
    """All programs, each under its name."""
    return "\n\n".join(_titled(program) for program in found["programs"])


def _titled(program: Mapping[str, Any]) -> str:
    words = f"{program['title']} Differentiated by {program['wrt']}."
    return f"### {program['name']}\n\n{words}\n\n{cost_table(program)}"


def generation_tables(found: Mapping[str, Any]) -> str:
    """Imports, the first gradient, its stages, and straight-line functions."""
    titles = ("Imports, after NumPy's", "The first gradient", "Its stages", "Longer functions")
    parts = (imports_table, first_table, stages_table, straight_table)
    tables = [(title, part(found)) for title, part in zip(titles, parts, strict=True)]
    if "families" in found:
        tables.append(("Families of programs", families_table(found)))
    return "\n\n".join(f"### {title}\n\n{text}" for title, text in tables)


def imports_table(found: Mapping[str, Any]) -> str:
    limits = {"from adjointgen import grad": found["limits"]["import"]}
    return table(["", "time", "required"], list(_limited(found["imports"], limits)))


def first_table(found: Mapping[str, Any]) -> str:
    names = {
        "first": "first call of `grad(f)`, imports and generation included",
        "generation": "of which generation",
        "cached": "first call of another process, with the text from the cache on disk",
        "second": "second call",
        "text": "`grad(f).source`: the text laid out by black, and black's import",
    }
    times = {**found["first"], "generation": generated(found)}
    shown = {label: times[key] for key, label in names.items() if times[key] is not None}
    return table(
        ["", "time", "required"],
        list(_limited(shown, {names["generation"]: found["limits"]["first"]})),
    )


def generated(found: Mapping[str, Any]) -> float:
    """Seconds that the first gradient takes when everything is imported."""
    return sum(seconds for name, seconds in found["stages"].items() if name != "imports")


def _limited(times: Mapping[str, float], limits: Mapping[str, float]) -> Iterator[list[str]]:
    for name, seconds in times.items():
        limit = limits.get(name)
        yield [name, duration(seconds), "" if limit is None else f"< {limit * 1e3:.0f} ms"]


def stages_table(found: Mapping[str, Any]) -> str:
    rows = [[name, duration(seconds)] for name, seconds in found["stages"].items()]
    return table(["stage", "time"], rows)


def straight_table(found: Mapping[str, Any]) -> str:
    head = ["statements", "time", "per statement", "memory"]
    rows = [
        [
            str(row["statements"]),
            duration(row["seconds"]),
            duration(row["seconds"] / row["statements"]),
            "" if row["mebibytes"] is None else f"{digits(row['mebibytes'])} MiB",
        ]
        for row in found["straight"]
    ]
    law = f"time ~ statements^{found['exponent']:.2f}, fitted from {found['fitted_from']} on"
    return f"{table(head, rows)}\n\n{law}."


def families_table(found: Mapping[str, Any]) -> str:
    head = ["family", "lengths", "time", "exponent"]
    rows = [
        [
            row["name"],
            ", ".join(str(r["length"]) for r in row["rows"]),
            ", ".join(duration(r["seconds"]) for r in row["rows"]),
            f"{row['exponent']:.2f}",
        ]
        for row in found["families"]
    ]
    return table(head, rows)

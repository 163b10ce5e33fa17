"""What a verification found: one row per test, readable as text, as JSON, and as an exception.

A row says what was expected, what was got, how far apart they are and how far they may be.  Its
verdict is one of

    pass      within the tolerance
    kink      the point is not smooth; the derivative is one of those that are possible there
    unclear   the test could not decide: nothing is known to be wrong, and nothing to be right
    fail      outside of the tolerance

A report is fine if every row is `pass` or `kink`: what could not be verified is not verified.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from os.path import basename
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from adjointgen.errors import CheckFailed
from adjointgen.verify.branches import Branch
from adjointgen.verify.kinks import Kink

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Verdict: TypeAlias = Literal["pass", "kink", "unclear", "fail"]
Entry: TypeAlias = float | str

FIRST_STEP = 2.0**-6
"""The step with which differences begin, relative to the direction."""

LARGEST_STEP = 2.0**-4
"""The longest step within which kinks are looked for: a longer one may leave the domain."""

HEADINGS = ("test", "expected", "got", "error", "tolerance", "verdict")
STYLES = {"pass": "green", "kink": "yellow", "unclear": "yellow", "fail": "bold red"}


@dataclass(frozen=True, slots=True)
class Row:
    """One test; `note` says where it looked and, where it did not pass, what that means."""

    test: str
    expected: Entry
    got: Entry
    error: float
    tolerance: float
    verdict: Verdict
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """The row as text, in the order of the headings."""
        values = (spelled(self.expected), spelled(self.got))
        return (self.test, *values, _size(self.error), _size(self.tolerance), self.verdict)


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of the source, or the lines up to `last`, whose derivative is wrong; its `text`.

    `turns` are the loops around it, by line, and the iteration of each in which it showed, counted
    from 0. `row` is the test that failed. `cause` says where else the fault stands.
    """

    file: str
    line: int
    last: int
    text: str
    turns: tuple[tuple[int, int], ...]
    row: Row
    cause: str = ""

    def __str__(self) -> str:
        more = f"-{self.last}" if self.last > self.line else ""
        when = (f", iteration {n} of the loop in line {line}" for line, n in self.turns)
        where = f"{basename(self.file)}:{self.line}{more}{''.join(when)}"
        row = self.row
        said = f"{row.test}: expected {spelled(row.expected)}, got {spelled(row.got)}"
        return f"fault at {where}: {self.text}\n  {self.cause or said}"

    def as_json(self) -> dict[str, Any]:
        """The fault as plain data."""
        return {
            **{name: getattr(self, name) for name in ("file", "line", "last", "text", "cause")},
            "iterations": [{"line": line, "iteration": n} for line, n in self.turns],
            "test": self.row.test,
            "expected": _plain(self.row.expected),
            "got": _plain(self.row.got),
        }


@dataclass(frozen=True, slots=True)
class Flip:
    """A line at which something else is decided once a step along a direction is as long as this: a
    branch, a tie, a whole number. A step of 1 is as large as the arguments."""

    file: str
    line: int
    text: str
    step: float

    def __str__(self) -> str:
        where = f"kink within a step of {self.step:.2g}" if self.step else "kink at the point"
        return f"{where}: {basename(self.file)}:{self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class Report:
    """All rows for one function at one point, and the kinks that were met there."""

    function: str
    rows: tuple[Row, ...]
    kinks: tuple[Kink, ...]
    seed: int
    notes: tuple[str, ...] = ()
    """What is known of the programs beforehand."""
    branches: tuple[Branch, ...] = ()
    """The tests of the function, and which ways they went."""
    faults: tuple[Fault, ...] | None = None
    """The lines whose derivative is wrong, where they were looked for."""

    flips: tuple[Flip, ...] | None = None
    """The lines that decide something else near the point, where they were looked for."""

    def with_flips(self, flips: tuple[Flip, ...]) -> "Report":
        """The report with the lines that decide something else near the point."""
        return replace(self, flips=flips)

    def with_notes(self, notes: tuple[str, ...]) -> "Report":
        """The report with what is known of the programs beforehand."""
        return replace(self, notes=notes)

    def with_branches(self, branches: tuple[Branch, ...]) -> "Report":
        """The report with the ways that the function's tests went."""
        return replace(self, branches=branches)

    def with_faults(self, faults: tuple[Fault, ...]) -> "Report":
        """The report with the lines whose derivative is wrong."""
        return replace(self, faults=faults)

    def with_report(self, other: "Report", of: str) -> "Report":
        """The report with the tests of another one, on a program of that name."""
        rows = tuple(replace(row, test=f"{of}: {row.test}") for row in other.rows)
        kinks = tuple(dict.fromkeys((*self.kinks, *other.kinks)))
        return replace(self, rows=(*self.rows, *rows), kinks=kinks)

    @property
    def ok(self) -> bool:
        """Whether every test passed, or met a kink that explains it."""
        return bool(self.rows) and all(row.verdict in ("pass", "kink") for row in self.rows)

    @property
    def title(self) -> str:
        """One line: the function, the outcome, and the seed that repeats it."""
        return f"{self.function}: {self.counted}"

    @property
    def counted(self) -> str:
        """How many tests ended how, and the seed that repeats it."""
        words = {"fail": "failed", "unclear": "unclear", "kink": "at a kink", "pass": "passed"}
        counts = {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in words}
        parts = [f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict]]
        return f"{', '.join(parts) or 'no tests'} (seed {self.seed})"

    def _repr_html_(self) -> str:
        """The table, as notebooks show it."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        table = [HEADINGS, *(row.cells() for row in self.rows)]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(HEADINGS))]
        lines = [self.title]
        for cells in table:
            # Numbers to the right, names and verdicts to the left.
            middle = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)][1:-1]
            lines.append("  ".join((cells[0].ljust(widths[0]), *middle, cells[-1])))
        return "\n".join([*lines, *self.remarks()])

    def as_json(self) -> dict[str, Any]:
        """The report as plain data; numbers that JSON does not have are given by name."""
        names = ("test", "expected", "got", "error", "tolerance", "verdict", "note")
        sides = ("where", "kind", "left", "right")
        ways = ("file", "line", "text", "taken", "missing")
        return {
            "function": self.function,
            "ok": self.ok,
            "seed": self.seed,
            "rows": [{n: _plain(getattr(row, n)) for n in names} for row in self.rows],
            "kinks": [{n: _plain(getattr(kink, n)) for n in sides} for kink in self.kinks],
            "notes": list(self.notes),
            "branches": [{n: getattr(b, n) for n in ways} for b in self.branches],
        } | self._looked_for()

    def _looked_for(self) -> dict[str, Any]:
        """Flips and faults, where they were looked for."""
        flips, faults = self.flips, self.faults
        names = ("file", "line", "text", "step")
        found: dict[str, Any] = {}
        if flips is not None:
            found["flips"] = [{n: getattr(flip, n) for n in names} for flip in flips]
        if faults is not None:
            found["faults"] = [fault.as_json() for fault in faults]
        return found

    def raise_on_failure(self) -> None:
        """Raises `CheckFailed` for the first row that failed, or that could not decide."""
        if self.ok:
            return
        order: tuple[Verdict, ...] = ("fail", "unclear")
        found = [row for verdict in order for row in self.rows if row.verdict == verdict]
        if not found:
            raise CheckFailed(f"{self.function}: no test was run", code="AG501")
        row = found[0]
        raise CheckFailed(
            f"{self.function}: {row.test}: expected {spelled(row.expected)}, "
            f"got {spelled(row.got)} (error {_size(row.error)}, tolerance {_size(row.tolerance)})",
            code="AG501",
            help=row.note,
        )

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(self.title), title_justify="left", box=None, pad_edge=False)
        for heading in HEADINGS:
            numeric = heading not in ("test", "verdict")
            table.add_column(heading, justify="right" if numeric else "left")
        for row in self.rows:
            *cells, verdict = row.cells()
            table.add_row(*map(Text, cells), Text(verdict, style=STYLES[verdict]))
        yield table
        for remark in self.remarks():
            yield Text(remark)

    def remarks(self) -> Iterator[str]:
        """What the table cannot hold: faults, notes of rows that did not pass, kinks, remarks."""
        yield from map(str, self.faults or ())
        if self.faults == () and not self.ok:
            yield "no line was found whose derivative alone is wrong"
        if self.flips is not None:
            yield from _said(self.flips)
        for row in self.rows:
            if row.verdict in ("fail", "unclear") and row.note:
                yield f"{row.test}: {row.note}"
        for kink in self.kinks:
            yield f"kink at {kink}"
        yield from self.notes
        for branch in self.branches:
            # A loop that was entered says no more; of a test, the way that it never went does.
            if branch.missing or len(branch.ways) > 1:
                yield f"branch {branch}"


def _said(flips: tuple[Flip, ...]) -> Iterator[str]:
    """How far differences can be trusted, and what ends that."""
    most = flips[0].step if flips else LARGEST_STEP
    does = "go over a kink" if most < FIRST_STEP else "go over none"
    yield f"no kink before a step of {most:.2g}; differences begin with {FIRST_STEP:.2g} and {does}"
    yield from map(str, flips)


def spelled(entry: Entry) -> str:
    """An expected or found entry, as it is printed."""
    return entry if isinstance(entry, str) else f"{entry:.10g}"


def _size(number: float) -> str:
    return "" if math.isnan(number) else f"{number:.1e}"


def _plain(entry: Entry) -> Entry:
    finite = isinstance(entry, str) or math.isfinite(entry)
    return entry if finite else str(entry)

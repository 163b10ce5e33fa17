"""Bisection over the statements of a function: the first one whose derivative is wrong.

    statements i to j of a block, with the values that they had in the run,
    as a function of their own (`regions.py`): is its tangent what differences give,
    and its adjoint the transpose of its tangent?
        yes     all of them are right
        no      each half; of a loop, each iteration; of a branch, the arm that was taken

Each part is verified at the values that the function itself computes, so a fault before it does not
reach it, and the search can go on after one. Where the whole is wrong and all its parts are right,
the whole is named: a loop whose iterations are taken for independent, for one.

(Delta debugging, for statements: Zeller and Hildebrandt 2002.)
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from typing import Any, Final

import numpy as np

from adjointgen.api.faults.observed_values import (
    Place,
    Runs,
    Stop,
    Visit,
    block_at,
    loops_on,
)
from adjointgen.api.faults.regions import Programs, Region, programs, region, varied
from adjointgen.api.faults.source_lines import Lines
from adjointgen.errors import Span
from adjointgen.ir.nodes import LOOPS, Branch, Stmt, blocks_of
from adjointgen.records import dataclass, field
from adjointgen.verify.attempt import attempt
from adjointgen.verify.report import Fault, Report, Row
from adjointgen.verify.structures import changes
from adjointgen.verify.verify import verify

EVALUATIONS: Final = 40
Key = tuple[Place, int, int]


@dataclass(slots=True)
class Search:
    """The search in one program; `nudge` goes on after a fault. `faults` are what it has found."""

    runs: Runs
    lines: Lines
    wrt: tuple[str, ...]
    seed: int
    rtol: float
    disable: tuple[str, ...]
    nudge: bool
    faults: list[Fault] = field(default_factory=list)
    named: set[tuple[Place, int]] = field(default_factory=set)
    made: dict[Key, tuple[Region, Programs] | None] = field(default_factory=dict)

    varied: tuple[frozenset[str], ...] = ()

    def run(self) -> tuple[Fault, ...]:
        """The faults, in the order in which the program runs over them."""
        self.varied = varied(self.runs.function, self.wrt)
        self.runs.visit((), lambda visit: self.within((), visit))
        return tuple(self.faults)

    def within(self, place: Place, visit: Visit) -> None:
        """Search the block at a place, for one of its runs."""
        self.slice(place, visit, 0, len(block_at(self.runs.function, place).stmts))
        if self.faults and not self.nudge:
            raise Stop

    def slice(self, place: Place, visit: Visit, first: int, last: int) -> bool:
        """Whether there is a fault in the statements from `first` up to `last`."""
        if first == last or (last == first + 1 and (place, first) in self.named):
            return False
        row = None
        if not self.has_named(place, first, last):
            row, known = self.judged(place, visit, first, last)
            if known and row is None:
                return False
        if last > first + 1:
            middle = (first + last) // 2
            found = self.slice(place, visit, first, middle)
            if not (found and not self.nudge):
                found = self.slice(place, visit, middle, last) or found
        else:
            found = self.inside(place, visit, first)
        if not found and row is not None:
            self.name(place, visit, first, last, row)
        return found or row is not None

    def inside(self, place: Place, visit: Visit, k: int) -> bool:
        """Whether there is a fault in the blocks of a statement."""
        stmt = block_at(self.runs.function, place).stmts[k]
        if not isinstance(stmt, (*LOOPS, Branch)):
            return False
        before = len(self.faults)
        here = visit.iterations

        def see(inner: Visit) -> None:
            if inner.iterations[: len(here)] == here:
                self.within(path, inner)

        for b, _ in enumerate(blocks_of(stmt)):
            path = (*place, (k, b))
            self.runs.visit(path, see)
            if len(self.faults) > before and not self.nudge:
                break
        return len(self.faults) > before

    def judged(self, place: Place, visit: Visit, first: int, last: int) -> tuple[Row | None, bool]:
        """The row that says that statements are wrong, and whether they could be verified."""
        key = place, first, last
        if key not in self.made:
            self.made[key] = self.programs(key)
        found = self.made[key]
        if found is None:
            return None, False
        made, run = found
        if not made.wrt or not made.outputs:
            return None, not blocks_of(block_at(self.runs.function, place).stmts[first])
        if any(v.name not in visit.values for v in made.inputs):
            return None, False
        report = self.report(made, run, [visit.values[v.name] for v in made.inputs])
        if report is None:
            return None, False
        wrong = [r for r in report.rows if r.verdict == "fail" and _is_numbers(r)]
        return (wrong[0] if wrong else None), True

    def programs(self, key: Key) -> tuple[Region, Programs] | None:
        """The programs of some statements; None where there are none."""
        place, first, last = key
        function = self.runs.function
        block = block_at(function, place)
        for names in self.varied:
            made = region(function, block, first, last, self.runs.unsure, names)
            if not made.wrt or not made.outputs:
                return made, Programs(_nothing, _nothing, _nothing)
            with suppress(Exception):  # what cannot stand alone is searched in parts, or as a part
                return made, programs(made, self.runs.looks, self.disable)
        return None

    def report(self, made: Region, run: Programs, given: Sequence[Any]) -> Report | None:
        """The verification of a region at values; None where it cannot be run alone."""
        try:
            with redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
                one, other = (attempt(run.primal, *given) for _ in range(2))
                if one.raised or [*changes(one.result, other.result)]:
                    return None
                found = run.primal, run.tangent, run.adjoint
                return verify(
                    *found, given, made.wrt, self.seed, 1, evaluations=EVALUATIONS, rtol=self.rtol
                )
        except Exception:  # as above
            return None

    def has_named(self, place: Place, first: int, last: int) -> bool:
        """Whether some statements, or what is inside of them, hold a fault that is known."""
        for path, k in self.named:
            at = (*(step for step, _ in path), k)
            if path[: len(place)] == place and first <= at[len(place)] < last:
                return True
        return False

    def name(self, place: Place, visit: Visit, first: int, last: int, row: Row) -> None:
        """Note a fault."""
        stmts = block_at(self.runs.function, place).stmts[first:last]
        self.named |= {(place, k) for k in range(first, last)}
        spans = [s.span for s in stmts if s.span is not None]
        if not spans:
            return
        loops = loops_on(self.runs.function, place)
        heads = [_line(stmt) for stmt in loops]
        turns = tuple(zip(heads, visit.iterations, strict=True))
        begin = min(spans, key=lambda s: s.line)
        end = max(spans, key=lambda s: s.end_line) if last > first + 1 else begin
        said = self.lines.line_of(begin.file, begin.line)
        fault = Fault(begin.file, begin.line, _last(end, stmts), said, turns, row)
        # A function that is called twice is in two places.
        known = {(one.file, one.line, one.last) for one in self.faults}
        if (fault.file, fault.line, fault.last) not in known:
            self.faults.append(fault)


def _nothing(*given: Any) -> None:
    """What a region without a derivative runs as."""


def _is_numbers(row: Row) -> bool:
    return row.test.startswith(("tangent", "adjoint", "value", "dot product"))


def _line(stmt: Stmt) -> int:
    return stmt.span.line if stmt.span is not None else 0


def _last(span: Span, stmts: Sequence[Stmt]) -> int:
    """The last line to name: of a loop or branch, its head."""
    return span.line if len(stmts) == 1 else span.end_line

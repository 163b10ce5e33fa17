"""The faults behind a report that failed: lines of the function, and edits of a written module."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.calls.check_arguments import bound, differentiated, flat_primal
from adjointgen.api.calls.modes import tangent
from adjointgen.api.calls.written_programs import Written, written_in
from adjointgen.api.faults.bisect import faults_of
from adjointgen.api.faults.hand_edits import edited
from adjointgen.api.faults.kink_distance import flips_of
from adjointgen.errors import AdjointgenError
from adjointgen.records import dataclass
from adjointgen.verify.attempt import attempt
from adjointgen.verify.report import Fault, Flip, Report
from adjointgen.verify.structures import Vector, sizes
from adjointgen.verify.verify import DIRECTIONS, drawn


@dataclass(frozen=True, slots=True)
class Verification:
    """A verification: the function, its arguments, what is differentiated, and how.

    With `bisect` the first fault is looked for, with `nudge` all of them are, and with `kinks` the
    lines that decide something else near the point.
    """

    function: Callable[..., Any]
    args: Sequence[Any] | Mapping[str, Any]
    wrt: tuple[str, ...] | None
    seed: int
    rtol: float | None
    disable: tuple[str, ...]
    bisect: bool
    nudge: bool
    kinks: bool = False

    def flips(self) -> tuple[Flip, ...]:
        """The lines that decide something else near the point, along the directions of a check."""
        binder = Binder(self.function)
        values = bound(binder, self.args)
        wrt = self.wrt or differentiated(binder, values, None)
        special = tangent(self.function, wrt, disable=self.disable).generated.special(values)
        primal = flat_primal(self.function, binder, lambda: special.made)
        y = attempt(primal, *values[len(binder.owner) :]).result
        point = tuple(values[binder.names.index(name)] for name in wrt)
        draws = drawn(point, sum(sizes(y)), np.random.default_rng(self.seed))
        directions = [ahead for ahead, _ in islice(draws, DIRECTIONS)]
        return flips_of(self.function, binder, values, wrt, directions, self.disable)

    def lines(self) -> tuple[Fault, ...]:
        """The lines of the function whose derivatives are wrong as they are generated."""
        binder = Binder(self.function)
        values = bound(binder, self.args)
        wrt = self.wrt or differentiated(binder, values, None)
        ways = (self.seed, self.rtol or 0.0, self.disable, self.nudge)
        return faults_of(self.function, binder, values, wrt, *ways)

    def edits(self, written: Written, file: Path) -> tuple[Fault, ...]:
        """The edits of the file of a module that make its derivatives wrong."""
        name, modes = self.function.__name__, tuple(written.programs)

        def again(module: ModuleType) -> Written:
            return written_in(module, name, modes, written.wrt)

        def check(module: ModuleType) -> Report:
            return again(module).check(self.function, self.args, self.seed, self.rtol)

        def numbers(module: ModuleType) -> Vector:
            return again(module).numbers(self.function, self.args, self.seed)

        return edited(file, check, numbers, self.nudge)


def with_faults(
    report: Report,
    asked: Verification,
    written: Written | None = None,
    module: ModuleType | None = None,
) -> Report:
    """The report with the faults that are asked for; there are none where it is fine.

    A function that cannot be read any more has faults in the programs of its module alone.
    """
    found: tuple[Fault, ...] = ()
    if asked.kinks:
        report = report.with_flips(asked.flips())
    if not (asked.bisect or asked.nudge):
        return report
    if report.ok:
        return report.with_faults(found)
    try:
        found = asked.lines()
    except AdjointgenError:
        if written is None:
            raise
    file = getattr(module, "__file__", None)
    if written is not None and file and (asked.nudge or not found):
        found += asked.edits(written, Path(file))
    return report.with_faults(found)

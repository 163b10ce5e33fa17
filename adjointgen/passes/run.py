"""The runner: it walks the phases of `table.py`, and is the only place where passes are called.

Who watches it (`watching`) is told of every pass that ran: tests verify the program then,
`adjointgen opt` prints, counts and bisects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from adjointgen.passes.row import Pass
from adjointgen.passes.table import PASSES, PHASES, Step
from adjointgen.passes.unit import Unit
from adjointgen.records import dataclass


@dataclass(frozen=True, slots=True)
class Ran:
    """One pass that ran in a phase: the unit before and after, and how long it took, in seconds."""

    phase: str
    row: Pass
    before: Unit
    after: Unit
    seconds: float

    @property
    def changed(self) -> bool:
        """Whether the program is another."""
        return self.after.function is not self.before.function and (
            self.after.function != self.before.function
        )


Watcher = Callable[[Ran], None]
Gate = Callable[[Pass], bool]

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_gate: ContextVar[Gate | None] = ContextVar("gate", default=None)


@contextmanager
def watching(watcher: Watcher | None = None, gate: Gate | None = None) -> Iterator[None]:
    """Tell the watcher of every pass meanwhile; an optional pass runs only if the gate says so."""
    tokens = _watcher.set(watcher), _gate.set(gate)
    try:
        yield
    finally:
        _watcher.reset(tokens[0])
        _gate.reset(tokens[1])


def run(phase: str, unit: Unit) -> Unit:
    """The unit after a phase."""
    for step in PHASES[phase]:
        unit = _step(phase, step, unit)
    return unit


def _step(phase: str, step: Step, unit: Unit) -> Unit:
    first, then = (step, ()) if isinstance(step, str) else (step[0], step[1:])
    made = apply(PASSES[first], unit, phase)
    if made.function is not unit.function:
        for name in then:
            made = apply(PASSES[name], made, phase)
    return made


def apply(row: Pass, unit: Unit, phase: str = "") -> Unit:
    """The unit after one pass, or as it is where the pass does not apply or is switched off."""
    if not unit.has.issuperset(row.requires):
        return unit
    is_optional = row.optional or row.switch != ""
    if is_optional and not (unit.allows(row.name) and unit.allows(row.switch)):
        return unit
    watcher, gate = _watcher.get(), _gate.get()
    if gate is not None and is_optional and not gate(row):
        return unit
    start = perf_counter()
    made = row.function()(*(getattr(unit, field) for field in row.takes))
    after = unit.after(row, made)
    if watcher is not None:
        watcher(Ran(phase, row, unit, after, perf_counter() - start))
    return after

"""What the properties mean that rows of the table require, ensure and remove, as checks.

    closed, open          an adjoint is open while reverse blocks read values of forward blocks
    values, storage       whether stores overwrite what they are given
    loops                 operations that compilers lack are written with those that they have
    parallel              loops may be marked as parallel
    directions            seeds and derivatives have one axis more, for the directions
    derivative            it is a tangent or an adjoint, with parameters and results of its own

`verifying` is told of every pass (`run.watching`), and raises InternalError where the program has
not what its unit says, before a pass or after it: then the pass has a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from adjointgen.errors import InternalError
from adjointgen.ir.nodes import Function, Loop, walk
from adjointgen.ir.text import show
from adjointgen.ir.types import Dim
from adjointgen.ir.verify import verify
from adjointgen.passes.overwritten import read_after_overwriting
from adjointgen.passes.row import Pass
from adjointgen.passes.run import Ran
from adjointgen.passes.unit import Unit
from adjointgen.rules.all import TABLE
from adjointgen.rules.framework.builder import Builder, Names
from adjointgen.targets.loops.build.expand_unsupported import spelled_out

EITHER: Final = (("closed", "open"), ("values", "storage"))
"""Of these pairs a program has one."""


def verifying(ran: Ran) -> None:
    """Raise InternalError where a property does not hold before a pass, or after it."""
    for when, unit in (("before", ran.before), ("after", ran.after)):
        try:
            verify(unit.function, "open" in unit.has, TABLE.rows)
        except InternalError as error:
            raise InternalError(f"{when} {ran.row.name}: {error}", error.listing) from error
        _none(when, ran.row, unit, [*faults(unit)])
    _none("after", ran.row, ran.after, [*interface(ran.row, ran.before, ran.after)])


def _none(when: str, row: Pass, unit: Unit, found: list[str]) -> None:
    if found:
        raise InternalError(f"{when} {row.name}: {'; '.join(found)}", show(unit.function))


def faults(unit: Unit) -> Iterator[str]:
    """What does not hold of a unit, though its properties say so."""
    for pair in EITHER:
        if len(unit.has & {*pair}) != 1:
            yield f"of {' and '.join(pair)} it has {sorted(unit.has & {*pair})}"
    for name, check in CHECKS.items():
        if name in unit.has:
            yield from check(unit)
    if "parallel" not in unit.has:
        marked = (s for s in walk(unit.function.body) if isinstance(s, Loop) and s.parallel)
        yield from (f"the loop over {loop.index.name} is marked as parallel" for loop in marked)


def interface(row: Pass, before: Unit, after: Unit) -> Iterator[str]:
    """A pass that ensures nothing leaves parameters and results as they are."""
    if row.ensures or before.samples:
        return
    if _signature(before.function) != _signature(after.function):
        yield "parameters or results are others"


def _signature(function: Function) -> tuple[object, ...]:
    types = [(p.type.kind, p.type.dtype, p.type.rank) for p in function.body.params]
    ends = [(y.type.kind, y.type.dtype) for y in function.body.yields]
    return function.parameters, types, ends, function.results, function.names


def _paired(unit: Unit) -> Iterator[str]:
    """In a closed program no reverse block belongs to a forward block any more."""
    for stmt in walk(unit.function.body):
        if getattr(stmt, "pair", 0):
            yield f"a {type(stmt).__name__} is tied to pair {getattr(stmt, 'pair', 0)} still"


def _overwritten(unit: Unit) -> Iterator[str]:
    for name in read_after_overwriting(unit.function):
        yield f"{name} is read after its storage was overwritten"


def _spelled_out(unit: Unit) -> Iterator[str]:
    """The lowering has nothing left to write with other operations."""
    function = unit.function
    if spelled_out(function, Builder(Names.of(function))) != function:
        yield "an operation that compilers lack has been put back"


def _along(unit: Unit) -> Iterator[str]:
    """Seeds and derivatives have the directions as their last axis."""
    body = unit.function.body
    seeds = [p for p in body.params if p.name in unit.seeds]
    for value in (*seeds, *(body.yields[k] for k in unit.ends)):
        shape = value.type.shape or ()
        if not shape or shape[-1] != Dim("", unit.directions):
            yield f"the last axis of {value} is not of {unit.directions} directions"


CHECKS: Final[Mapping[str, Callable[[Unit], Iterator[str]]]] = {
    "closed": _paired,
    "storage": _overwritten,
    "loops": _spelled_out,
    "directions": _along,
}
"""What is asked beyond the invariants of `ir/verify.py`."""

"""A program on its way through the phases of `pipeline.py`, before and between derivatives."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping

from adjointgen.ad.calls.derive_callees import Linked
from adjointgen.ad.checkpoints.outline_steps import outlined, require_memory
from adjointgen.ir.nodes import Function, defined_in
from adjointgen.optimize.scalar.inline_calls import inlined, worth_it
from adjointgen.passes.run import run
from adjointgen.passes.unit import Unit
from adjointgen.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Program:
    """A program and the names of its values that are the user's own, whose form is kept.

    `callees` has these names for each function that the program calls. A `compiled` program has
    loops where another one has products of vectors. Its `order` is how many derivatives were taken.
    The reverse sweep of a `split` one is among its callees, and may run many times on one tape. One
    of a `batch` computes both arms of a branch, so that no store of the user's may stay in place.
    """

    function: Function
    primal: frozenset[str]
    results: int
    callees: Mapping[str, frozenset[str]] = field(default_factory=dict)
    compiled: bool = False
    order: int = 0
    split: bool = False
    batch: bool = False
    opened: Opened | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """The last derivative of a function, not yet closed, and what of the function was asked.

    It has all that it compares when it runs; `linked` has the derivatives of its functions.
    """

    function: Function
    asked: tuple[object, ...]
    program: Program
    unit: Unit
    linked: Linked

    def is_of(self, function: Function, asked: tuple[object, ...]) -> bool:
        """Whether this is what is asked, of this very function."""
        return self.function is function and self.asked == asked


def primal(function: Function) -> Program:
    """The user's function as a program to differentiate."""
    callees = {f.name: names_in(f) for f in function.callees}
    return Program(function, names_in(function), len(function.body.yields), callees)


def names_in(function: Function) -> frozenset[str]:
    return frozenset(v.name for v in defined_in(function.body))


def with_steps(program: Program) -> Program:
    """The program with functions for the steps of its loops that have a checkpoint schedule."""
    if program.compiled:
        require_memory(program.function)
    function = outlined(program.function)
    names = {f.name: names_in(f) for f in function.callees if f.carries}
    return replace(program, function=function, callees={**program.callees, **names})


def steps_of(program: Program) -> frozenset[str]:
    """The functions that are the bodies of loops."""
    return frozenset(f.name for f in program.function.callees if f.carries)


def without_steps(program: Program, steps: Collection[str]) -> Program:
    """The program whose forward sweeps have the steps of their loops in place again."""
    table = program.function.callees
    # The adjoints of steps that nothing is computed again for stand in their loops as well.
    steps = {*steps, *(f.name for f in table if f.joint and f.carries)}
    made, names = [], dict(program.callees)
    for each in (replace(program.function, callees=()), *table):
        own, copied = inlined(replace(each, callees=table), program.callees, steps)
        made.append(replace(own, callees=()))
        names[each.name] = names.get(each.name, program.primal) | copied
    root, *callees = made
    primal = names[root.name]
    callees = [f for f in callees if f.name not in steps]
    return replace(
        program, function=replace(root, callees=tuple(callees)), primal=primal, callees=names
    )


def gathered(program: Program, disable: Collection[str] = ()) -> Program:
    """The program for a compiler, which has 64 bits for integers.

    Short functions, and those called once, are in it: a compiler sees more so.
    """
    program = replace(program, compiled=True)
    if "inline-calls" not in disable:
        program = flattened(program, worth_it(program.function))
    function, *callees = (
        run("compile", Unit(f, frozenset(), compiled=True)).function
        for f in (program.function, *program.function.callees)
    )
    return replace(program, function=replace(function, callees=tuple(callees)))


def flattened(program: Program, only: Container[str] | None = None) -> Program:
    """The program with the bodies of the functions that it calls in their places."""
    if not program.function.callees:
        return program
    function, copied = inlined(program.function, program.callees, only)
    kept = {f.name: program.callees[f.name] for f in function.callees}
    return replace(program, function=function, primal=program.primal | copied, callees=kept)

"""A program for many samples: which of its parameters have a batch axis, and when there is none."""

from __future__ import annotations

from collections.abc import Collection

from adjointgen.analysis.values.storage_classes import storage
from adjointgen.api.programs.recipes import Step
from adjointgen.api.specialize.path_exits import acts
from adjointgen.frontend.domain.exception_classes import may_raise
from adjointgen.ir.nodes import Apply, Branch, Function, Stmt, walk
from adjointgen.ir.packing import places
from adjointgen.many_directions import batched
from adjointgen.program import Program
from adjointgen.records import replace
from adjointgen.rules.framework.batching import not_batched
from adjointgen.rules.framework.table import TABLE


def for_batch(
    program: Program, primal: Function, step: Step, disable: Collection[str] = ()
) -> Program:
    """The program with a batch axis in the arguments at the places that a step names.

    Raises NotBatched (AG143) where samples have to be done one by one: of a function that does more
    than compute, and where what is another for each sample is part of the program.
    """
    if acts(primal):
        not_batched("the function does more than compute")
    if step.kind == "primal" and _writes(primal):
        not_batched("the function writes to its arguments")
    function = program.function
    inside = places(function)
    at = {inside.get(p.root, p.root): p.root for p in function.body.params}
    if missing := [place for place in step.batch if place not in at]:
        not_batched(f"{missing[0]} is part of the program")
    made = batched(program, {at[place] for place in step.batch}, disable)
    return replace(made, function=replace(made.function, name=f"{function.name}_batched"))


def is_guarded(primal: Function) -> bool:
    """Whether a program for a batch may go wrong for samples for which the function does not.

    Both arms of a branch are run for all samples, and numbers of Python's raise where those of an
    array are infinite or none.
    """
    functions = (primal, *primal.callees)
    return any(_is_risky(stmt) for function in functions for stmt in walk(function.body))


def _is_risky(stmt: Stmt) -> bool:
    if isinstance(stmt, Apply):
        numbers = all(r.type.is_scalar for r in stmt.results)
        return numbers and TABLE.get(stmt.op).kind == "elementwise" and may_raise(stmt)
    return isinstance(stmt, Branch)


def _writes(primal: Function) -> bool:
    """Whether a call may leave something else in an argument."""
    classes = storage(primal)
    return any(classes.written(p) or p.name in primal.written for p in primal.body.params)

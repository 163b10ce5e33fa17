"""Making a program for one call: types of its arguments, pipeline, emission.

This module draws in all that generates. `derivative` loads it when a program has to be made, so
that a program that is recalled from disk costs none of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from adjointgen.analysis.values.storage_classes import storage
from adjointgen.api.arguments.pack_structures import has_nodes, layout_of
from adjointgen.api.programs.build_program import Built, build
from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.api.seeds.seed_spec import seeding_of
from adjointgen.api.specialize.length_guards import Axis, Relation
from adjointgen.api.specialize.length_relations import (
    FEW,
    axis_of,
    beside,
    crossed,
    few,
    meetings,
    related,
    relations,
    several,
    unsettled,
)
from adjointgen.api.specialize.load_program import Made
from adjointgen.config.compilers import PARALLEL, PYTHON, Target
from adjointgen.depth import deep
from adjointgen.emit.write.module import emit
from adjointgen.emit.write.parallel_outlining import outlined
from adjointgen.errors import AdjointgenError, Unsupported
from adjointgen.frontend.domain.abstract_values import Parts
from adjointgen.frontend.domain.structures import Argument, holds_floats
from adjointgen.frontend.lower import Fixed, type_of
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.source import Source, source_from_function
from adjointgen.frontend.type_inference import opened_list
from adjointgen.ir.nodes import Function
from adjointgen.ir.types import Dim, Type
from adjointgen.optimize.matmul.matmul_before_loop_entry import waiting
from adjointgen.records import replace
from adjointgen.watch import Look, watched

SHORT = 16
"""The longest lists whose entries may be arguments one by one."""


def make(
    source: Source,
    recipe: Recipe,
    disable: tuple[str, ...],
    arguments: Mapping[str, Any],
    owners: Collection[str] = (),
    target: Target = PYTHON,
) -> Made:
    """The program for arguments like these; `owners` are no arguments of a call.

    Raises Unsupported, NoRule, NotDifferentiable or TypeMismatch where there is none.
    """
    wholes = {name for step in recipe for name in step.wrt or ()}
    wholes |= {name for name in arguments if any(s.wrt is None for s in recipe)} - {*owners}
    types = {name: type_of(name, v, name in wholes) for name, v in arguments.items()}
    whole = recipe[0].wrt if recipe[0].kind == "primal" else None
    if whole is not None:
        kept = {n: Fixed(arguments[n]) for n, t in types.items() if isinstance(t, Parts)}
        types |= {name: value for name, value in kept.items() if name not in whole}
    recipe = tuple(_without(step, types, owners) for step in recipe)
    for step in recipe:
        _check_own(step, types)
    with deep():
        (built, looks, exact), alike = _settled(source, recipe, (disable, target), types, arguments)
        (program,) = built.functions
        text = emit([program])
        if target == PARALLEL:
            text, _ = outlined(text)
    structured = built.primal.packed or has_nodes(program.results)
    looked = tuple(looks.values())
    layout = layout_of(built.primal, program.results, looked) if structured else None
    own = written(built.primal)
    seeding = seeding_of(built.primal, program, recipe)
    return Made(text, program.name, seeding, looked, own, layout, frozenset(exact), alike)


Way = tuple[tuple[str, ...], Target]
Found = tuple[Built, dict[Any, Look], set[str]]


def _settled(
    source: Source,
    recipe: Recipe,
    how: Way,
    types: dict[str, Argument],
    arguments: Mapping[str, Any],
) -> tuple[Found, tuple[Relation, ...]]:
    """The program that has to find out least about lengths, and what it takes to hold of them."""
    lengths: dict[Axis, int] = {}
    found = _built(source, recipe, how, types, arguments, lengths)
    pairs = _waiting(found[0].primal, how)
    fixed = meetings(pairs, types, arguments, 0 if how[1] == PYTHON else FEW)
    if fixed:
        types = related(types, fixed)
        found = _built(source, recipe, how, types, arguments, lengths)
    fixed = (*((axis, None, length) for axis, length in lengths.items()), *fixed)
    alike: tuple[Relation, ...] = ()
    open = _open(found, how)
    ways = (relations, crossed, few)
    for which in ways if how[1] == PYTHON else (*ways, several):
        # Those that are equal across axes are named instead of those along one.
        before = () if which is crossed else alike
        more = beside(which(types, arguments), fixed) if open else ()
        if more and more != alike:
            stated = related(types, (*before, *more))
            again = _built(source, recipe, how, stated, arguments, lengths)
            left = _open(again, how)
            if left < open:
                found, alike, open = again, (*before, *more), left
    return found, (*fixed, *alike)


def _open(found: Found, how: Way) -> int:
    """How much of a program would be done without if more were known of the lengths."""
    functions = found[0].functions
    disable, target = how
    count = unsettled(functions)
    if target != PYTHON and not {"loop-nests", "dead-initialisation"} & set(disable):
        lowering = import_module("adjointgen.targets.loops.passes.dead_initialisation")
        count += sum(map(lowering.coverable, functions))
    return count


def _waiting(primal: Function, how: Way) -> frozenset[tuple[Dim, Dim]]:
    """The lengths that have to be known to be equal for products before their loops."""
    disable, target = how
    if "matmul-before-loop" in disable:
        return frozenset()
    return waiting((primal, *primal.callees), compiled=target != PYTHON)


def _built(
    source: Source,
    recipe: Recipe,
    how: Way,
    types: dict[str, Argument],
    arguments: Mapping[str, Any],
    lengths: dict[Axis, int],
) -> Found:
    """The program, what it depends on, and what had to be known: an axis, the length of a list.

    `lengths` are those of axes that have to be known, of which there may be more here.
    """
    exact: set[str] = set()
    while True:
        try:
            with watched() as looks:
                if isinstance(source.resolver, LiveResolver):
                    source.resolver.note()
                return build(source, types, [recipe], *how), looks, exact
        except AdjointgenError as error:
            axis = axis_of(Dim(error.wanted), types) if error.wanted else None
            if axis is not None and axis not in lengths:
                lengths[axis] = np.shape(arguments[axis[0]])[axis[1]]
                types |= related(types, [(axis, None, lengths[axis])])
                continue
            known = _known(error, types, arguments)
            if not known or known.keys() <= exact:
                raise
            exact |= known.keys()
            types |= known


def _known(
    error: AdjointgenError, types: Mapping[str, Argument], arguments: Mapping[str, Any]
) -> dict[str, Argument]:
    """What would let a program be made that is refused: an integer, or the lengths of lists."""
    if type(arguments.get(error.wanted)) is int:
        return {error.wanted: Fixed(arguments[error.wanted])}
    if error.code != "AG106":
        return {}
    return {
        name: opened_list(name, arguments[name], type)
        for name, type in types.items()
        if isinstance(type, Type) and type.kind == "list" and len(arguments[name]) <= SHORT
    }


def _without(step: Step, types: Mapping[str, Argument], owners: Collection[str]) -> Step:
    """A step for all arguments of a bound method, which leaves its instance out."""
    if step.wrt is not None or not owners:
        return step
    return replace(
        step, wrt=tuple(n for n, t in types.items() if n not in owners and holds_floats(t))
    )


def _check_own(step: Step, types: Mapping[str, Argument]) -> None:
    """Refuse to differentiate by a structure that is, or lies in, an argument before it.

    One object is one variable, which the first argument names that it lies in; the derivative by
    it cannot be told apart for two of them.
    """
    chosen = {name.partition(".")[0].partition("[")[0] for name in step.wrt or types}
    if step.kind == "primal":
        return
    before: dict[int, str] = {}
    for name, type in types.items():
        varied = {*_objects(type)} if name in chosen and holds_floats(type) else set[int]()
        for one in varied & before.keys():
            first = before[one]
            both = "is differentiated, too" if first in chosen else "is not differentiated"
            raise Unsupported(
                f"what {name} holds is in {first} as well, which {both}",
                code="AG113",
                help=f"differentiate by {first} alone, or pass a copy",
            )
        before |= dict.fromkeys(_objects(type), name)


def _objects(argument: Argument) -> Iterator[int]:
    """The structures in an argument that can be written to."""
    if isinstance(argument, Parts):
        if not (isinstance(argument.kind, type) and issubclass(argument.kind, tuple)):
            yield from () if argument.kind == "tuple" else (id(argument.live),)
        for part in argument.parts:
            yield from _objects(part)


def written(primal: Function) -> tuple[int, ...]:
    """The positions of the parameters whose storage the function writes, in parts or as a whole."""
    classes = storage(primal)
    names = [p.name for p in primal.parameters]
    found = (p for p in primal.body.params if classes.written(p) or p.name in primal.written)
    return tuple(names.index(p.root) for p in found)


__all__ = ["Source", "make", "source_from_function"]

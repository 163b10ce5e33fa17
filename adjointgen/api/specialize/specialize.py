"""Making a program for one call: types of its arguments, pipeline, emission.

This module draws in all that generates. `derivative` loads it when a program has to be made, so
that a program that is recalled from disk costs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from adjointgen.ad.calls.split_mode import rejoined
from adjointgen.analysis.values.storage_classes import storage
from adjointgen.api.arguments.pack_structures import has_nodes, layout_of
from adjointgen.api.backends.index_checks import marked
from adjointgen.api.programs.batched_program import is_guarded
from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.api.seeds.seed_spec import seeding_of
from adjointgen.api.specialize.assumed_paths import AssumedPaths
from adjointgen.api.specialize.load_program import Made
from adjointgen.api.specialize.own_structures import check_own
from adjointgen.api.specialize.path_exits import acts, changes, exits_of
from adjointgen.api.specialize.settle import Settled, Way, settled
from adjointgen.config.compilers import PARALLEL, PYTHON, Target
from adjointgen.depth import deep
from adjointgen.emit.write.module import emit
from adjointgen.emit.write.parallel_outlining import outlined
from adjointgen.frontend.domain.abstract_values import Parts
from adjointgen.frontend.domain.array_classes import forget
from adjointgen.frontend.domain.structures import Argument, holds_floats
from adjointgen.frontend.lower import Fixed, type_of
from adjointgen.frontend.source.source import Source, source_from_function
from adjointgen.ir.nodes import Function
from adjointgen.records import replace
from adjointgen.watch import is_watched


def make(
    source: Source,
    recipe: Recipe,
    disable: tuple[str, ...],
    arguments: Mapping[str, Any],
    owners: Collection[str] = (),
    target: Target = PYTHON,
    run: Callable[[], object] | None = None,
) -> Made:
    """The program for arguments like these; `owners` are no arguments of a call.

    `run` calls the function with them, which tells which paths they take where that is needed.

    Raises Unsupported, NoRule, NotDifferentiable or TypeMismatch where there is none.
    """
    types, (recipe,) = typed([recipe], arguments, owners)
    with deep():
        way = Way(disable, target, paths=AssumedPaths(run))
        found = settled(source, [recipe], way, types, arguments)
        built, looks, exact = found.built, found.looks, found.exact
        (program,) = built.functions
        text = marked(emit([program]), [program])
        if target == PARALLEL:
            text, _ = outlined(text)
    split = recipe[-1].kind == "forward"
    name, reverse = program.name, program.callees[0].name if split else ""
    if split:
        program = rejoined(program, program.callees[0])
    structured = built.primal.packed or has_nodes(program.results)
    looked, own = tuple(looks.values()), written(built.primal)
    layout = layout_of(built.primal, program.results, looked) if structured else None
    seeding = seeding_of(built.primal, program, recipe)
    exits = exits_of(built.primal, way.paths.said, text, recipe[-1].kind == "primal")
    shared = (looked, own, layout, exact, found.alike)
    more = (acts(built.primal), program.outer, is_guarded(built.primal), changes(built.primal))
    return Made(text, name, seeding, *shared, exits, reverse, *more)


def typed(
    recipes: Sequence[Recipe], arguments: Mapping[str, Any], owners: Collection[str] = ()
) -> tuple[dict[str, Argument], list[Recipe]]:
    """The types of arguments like these, and the recipes with the names of what they derive.

    Raises Unsupported (AG113) where a structure cannot be told from one before it.
    """
    steps = [step for recipe in recipes for step in recipe]
    wholes = {name for step in steps for name in step.wrt or ()}
    wholes |= {name for name in arguments if any(s.wrt is None for s in steps)} - {*owners}
    if not is_watched():
        forget()
    types = {name: type_of(name, v, name in wholes) for name, v in arguments.items()}
    first = steps[0]
    if first.kind == "primal" and first.wrt is not None:
        kept = {n: Fixed(arguments[n]) for n, t in types.items() if isinstance(t, Parts)}
        types |= {name: value for name, value in kept.items() if name not in first.wrt}
    named = [tuple(_without(step, types, owners) for step in recipe) for recipe in recipes]
    check_own(named, types)
    return types, named


def _without(step: Step, types: Mapping[str, Argument], owners: Collection[str]) -> Step:
    """A step for all arguments of a bound method, which leaves its instance out."""
    if step.wrt is not None or not owners:
        return step
    return replace(
        step, wrt=tuple(n for n, t in types.items() if n not in owners and holds_floats(t))
    )


def written(primal: Function) -> tuple[int, ...]:
    """The positions of the parameters whose storage the function writes, in parts or as a whole."""
    classes = storage(primal)
    names = [p.name for p in primal.parameters]
    found = (p for p in primal.body.params if classes.written(p) or p.name in primal.written)
    return tuple(names.index(p.root) for p in found)


__all__ = ["Settled", "Source", "Way", "make", "settled", "source_from_function", "typed"]

"""Making a program for one call: types of its arguments, pipeline, emission.

This module draws in all that generates. `derivative` loads it when a program has to be made, so
that a program that is recalled from disk costs none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from adjointgen.analysis.values.storage_classes import storage
from adjointgen.api.arguments.assumption_checks import Met, unguarded
from adjointgen.api.arguments.pack_structures import has_nodes, layout_of
from adjointgen.api.programs.build_program import Built, Check, build
from adjointgen.api.programs.recipes import Recipe, Step
from adjointgen.api.seeds.seed_spec import seeding_of
from adjointgen.api.specialize.assumed_paths import AssumedPaths
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
from adjointgen.api.specialize.path_exits import exits_of
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
from adjointgen.ir.types import Dim, Meetings, Type, meetings_noted
from adjointgen.optimize.matmul.matmul_before_loop_entry import waiting
from adjointgen.records import dataclass, field, replace
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
        text = emit([program])
        if target == PARALLEL:
            text, _ = outlined(text)
    structured = built.primal.packed or has_nodes(program.results)
    looked = tuple(looks.values())
    layout = layout_of(built.primal, program.results, looked) if structured else None
    own = written(built.primal)
    seeding = seeding_of(built.primal, program, recipe)
    exits = exits_of(built.primal, way.paths.said, text)
    shared = (looked, own, layout, frozenset(exact), found.alike)
    return Made(text, program.name, seeding, *shared, exits)


def typed(
    recipes: Sequence[Recipe], arguments: Mapping[str, Any], owners: Collection[str] = ()
) -> tuple[dict[str, Argument], list[Recipe]]:
    """The types of arguments like these, and the recipes with the names of what they derive.

    Raises Unsupported (AG113) where a structure cannot be told from one before it.
    """
    steps = [step for recipe in recipes for step in recipe]
    wholes = {name for step in steps for name in step.wrt or ()}
    wholes |= {name for name in arguments if any(s.wrt is None for s in steps)} - {*owners}
    types = {name: type_of(name, v, name in wholes) for name, v in arguments.items()}
    first = steps[0]
    if first.kind == "primal" and first.wrt is not None:
        kept = {n: Fixed(arguments[n]) for n, t in types.items() if isinstance(t, Parts)}
        types |= {name: value for name, value in kept.items() if name not in first.wrt}
    named = [tuple(_without(step, types, owners) for step in recipe) for recipe in recipes]
    _check_all(named, types)
    return types, named


@dataclass(frozen=True, slots=True)
class Way:
    """How programs are made: passes that are left out, who runs them, and what adds the checks of
    their arguments, of which lengths have `met` in operations. They are made without some `paths`.
    """

    disable: tuple[str, ...] = ()
    target: Target = PYTHON
    check: Callable[[Function, Mapping[str, Argument], Met], Function] | None = None
    met: Met = frozenset()
    paths: AssumedPaths = field(default_factory=AssumedPaths)

    def having(self, primal: Function, met: Meetings) -> Way:
        """The same for lengths that have met, where arguments are checked."""
        return self if self.check is None else replace(self, met=unguarded(primal, met))

    @property
    def pairs(self) -> frozenset[tuple[Dim, Dim]]:
        """The lengths that have to be equal."""
        return frozenset((one, other) for one, other in self.met if other is not None)

    @property
    def checks(self) -> Check | None:
        """What is done to the function as it was read."""
        check = self.check
        return None if check is None else lambda read, types: check(read, types, self.met)


@dataclass(slots=True)
class Needed:
    """What had to be known of arguments so that there is a program: the values of integers and the
    lengths of lists by name, and the lengths of axes. It holds of every program made after it."""

    exact: set[str] = field(default_factory=set)
    lengths: dict[Axis, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """Programs, what they depend on outside of the function, what had to be known of arguments (an
    axis, the length of a list), and what they take to hold of lengths."""

    built: Built
    looks: dict[Any, Look]
    exact: set[str]
    alike: tuple[Relation, ...] = ()


def settled(
    source: Source,
    recipes: Sequence[Recipe],
    how: Way,
    types: dict[str, Argument],
    arguments: Mapping[str, Any],
) -> Settled:
    """The programs that have to find out least about lengths, and what they take to hold of them.

    The types of arguments that are not given are as declared. Raises what `build` raises.
    """
    needed = Needed()
    with meetings_noted() as met:
        found = _built(source, recipes, how, types, arguments, needed)
    how = how.having(found.built.primal, met)
    pairs = how.pairs | _waiting(found.built.primal, how)
    fixed = meetings(pairs, _given(types, arguments), arguments, 0 if how.target == PYTHON else FEW)
    if fixed or how.met:
        types = related(types, fixed)
        found = _built(source, recipes, how, types, arguments, needed)
    fixed = (*((axis, None, length) for axis, length in needed.lengths.items()), *fixed)
    alike: tuple[Relation, ...] = ()
    open = _open(found, how)
    ways = (relations, crossed, few)
    for which in ways if how.target == PYTHON else (*ways, several):
        # Those that are equal across axes are named instead of those along one.
        before = () if which is crossed else alike
        more = beside(which(_given(types, arguments), arguments), fixed) if open else ()
        if more and more != alike:
            stated = related(types, (*before, *more))
            again = _built(source, recipes, how, stated, arguments, needed)
            left = _open(again, how)
            if left < open:
                found, alike, open = again, (*before, *more), left
    return replace(found, exact=needed.exact, alike=(*fixed, *alike))


def _given(types: Mapping[str, Argument], arguments: Mapping[str, Any]) -> dict[str, Argument]:
    """The types of the arguments that are given; others are declared."""
    return {name: type for name, type in types.items() if name in arguments}


def _open(found: Settled, how: Way) -> int:
    """How much of a program would be done without if more were known of the lengths."""
    functions = found.built.functions
    count = unsettled(functions)
    if how.target != PYTHON and not {"loop-nests", "dead-initialisation"} & set(how.disable):
        lowering = import_module("adjointgen.targets.loops.passes.dead_initialisation")
        count += sum(map(lowering.coverable, functions))
    return count


def _waiting(primal: Function, how: Way) -> frozenset[tuple[Dim, Dim]]:
    """The lengths that have to be known to be equal for products before their loops."""
    if "matmul-before-loop" in how.disable:
        return frozenset()
    return waiting((primal, *primal.callees), compiled=how.target != PYTHON)


def _built(
    source: Source,
    recipes: Sequence[Recipe],
    how: Way,
    types: dict[str, Argument],
    arguments: Mapping[str, Any],
    needed: Needed,
) -> Settled:
    """The programs, and what they depend on. More may have to be known of the arguments here."""
    while True:
        try:
            with watched() as looks:
                if isinstance(source.resolver, LiveResolver):
                    source.resolver.note()
                built = _with_least_paths(source, recipes, how, types)
                return Settled(built, looks, needed.exact)
        except AdjointgenError as error:
            wanted = Dim(error.wanted or "")
            axis = axis_of(wanted, _given(types, arguments))
            if axis is not None and types[axis[0]].shape[axis[1]].symbol:
                needed.lengths[axis] = np.shape(arguments[axis[0]])[axis[1]]
                types |= related(types, [(axis, None, needed.lengths[axis])])
                continue
            known = _known(error, types, arguments)
            if not known:
                how.paths.learn(error)
                continue
            needed.exact |= known.keys()
            types |= known
            # Lists whose entries are known are objects now, of which two may be one.
            _check_all(recipes, types)


def _with_least_paths(
    source: Source, recipes: Sequence[Recipe], how: Way, types: Mapping[str, Argument]
) -> Built:
    """The programs; where paths have to be left out, with as few of them as will do."""

    def built() -> Built:
        said = how.paths.said
        return build(source, types, recipes, how.disable, how.target, how.checks, said)

    return how.paths.kept(built, built())  # type: ignore[no-any-return]


def _known(
    error: AdjointgenError, types: Mapping[str, Argument], arguments: Mapping[str, Any]
) -> dict[str, Argument]:
    """What would let a program be made that is refused: an integer, or the lengths of lists."""
    if type(arguments.get(error.wanted)) is int and isinstance(types[error.wanted], Type):
        return {error.wanted: Fixed(arguments[error.wanted])}
    if error.code != "AG106":
        return {}
    return {
        name: opened_list(name, arguments[name], type)
        for name, type in _given(types, arguments).items()
        if isinstance(type, Type) and type.kind == "list" and len(arguments[name]) <= SHORT
    }


def _without(step: Step, types: Mapping[str, Argument], owners: Collection[str]) -> Step:
    """A step for all arguments of a bound method, which leaves its instance out."""
    if step.wrt is not None or not owners:
        return step
    return replace(
        step, wrt=tuple(n for n, t in types.items() if n not in owners and holds_floats(t))
    )


def _check_all(recipes: Sequence[Recipe], types: Mapping[str, Argument]) -> None:
    for step in (step for recipe in recipes for step in recipe):
        _check_own(step, types)


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


__all__ = ["Settled", "Source", "Way", "make", "settled", "source_from_function", "typed"]

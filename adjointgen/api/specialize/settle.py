"""What a program takes to hold of the lengths of its arguments, found before the program is made.

    c[1:-1] = a[1:-1] * b[1:-1]

may repeat the one entry that `a[1:-1]` has, or all are as long. A program that would find out when
it runs *asks*. What asks is known of a derivative before it is closed and made ready for its
target, which takes most of the time: so the lengths at hand are tried there, and what holds and
leaves less to ask is what the program is made for, once. The zeros that compiled loops need not
write are found in the finished program alone; one that asks for them is made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np

from adjointgen.api.arguments.assumption_checks import Met, unguarded
from adjointgen.api.programs.build_program import Begun, Built, Check, Read, asking, built, read
from adjointgen.api.programs.recipes import Recipe
from adjointgen.api.specialize.assumed_paths import AssumedPaths
from adjointgen.api.specialize.entry_by_entry import folded, has_arrays, has_models, is_folded, ways
from adjointgen.api.specialize.length_guards import Axis, Relation
from adjointgen.api.specialize.length_relations import (
    FEW,
    axis_of,
    beside,
    crossed,
    few,
    is_open,
    leaf_values,
    meetings,
    related,
    relations,
    several,
    unsettled,
)
from adjointgen.api.specialize.own_structures import check_own
from adjointgen.config.compilers import PYTHON, Target
from adjointgen.errors import AdjointgenError
from adjointgen.frontend.annotations.names import Several
from adjointgen.frontend.domain.measured_arrays import measuring
from adjointgen.frontend.domain.mismatches import Kind
from adjointgen.frontend.domain.structures import Argument, leaves_of
from adjointgen.frontend.lower import Fixed
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.source.source import Source
from adjointgen.frontend.type_inference import opened_list
from adjointgen.ir.nodes import Function
from adjointgen.ir.types import Dim, Meetings, Type, joins_noted, meetings_noted
from adjointgen.optimize.matmul.matmul_before_loop_entry import waiting
from adjointgen.records import dataclass, field, replace
from adjointgen.watch import Look, watched

SHORT = 16
"""The longest lists whose entries may be arguments one by one."""

Types = dict[str, Argument]


@dataclass(frozen=True, slots=True)
class Way:
    """How programs are made: passes that are left out, who runs them, and what adds the checks of
    their arguments, of which lengths have `met` in operations. They are made without some `paths`.
    Classes of `collections` are `modelled` by our own. Arrays that the module holds are `measured`.
    """

    disable: tuple[str, ...] = ()
    target: Target = PYTHON
    check: Callable[[Function, Mapping[str, Argument], Met], Function] | None = None
    met: Met = frozenset()
    paths: AssumedPaths = field(default_factory=AssumedPaths)
    modelled: bool = False
    measured: bool = False

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


@dataclass(frozen=True, slots=True)
class Settled:
    """Programs, what they depend on outside of the function, what had to be known of arguments (an
    axis, the length of a list), and what they take to hold of lengths."""

    built: Built
    looks: dict[Any, Look]
    exact: frozenset[str]
    alike: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class _Lowered:
    """A function as it was read for some types, what was looked up meanwhile, and what was begun of
    its programs to find out what they ask."""

    functions: Read
    looks: dict[Any, Look]
    begun: list[Begun] = field(default_factory=list)

    @property
    def primal(self) -> Function:
        return next(iter(self.functions.values()))


def settled(
    source: Source,
    recipes: Sequence[Recipe],
    how: Way,
    types: Types,
    arguments: Mapping[str, Any],
) -> Settled:
    """The programs that have to find out least about lengths, and what they take to hold of them.

    The types of arguments that are not given are as declared. Where paths have to be left out,
    they are made with as few of them as will do. Raises what `build` raises.
    """

    work = _Work(source, recipes, how, arguments)
    functions: Types = {}

    def once() -> Settled:
        nonlocal work
        work = _Work(source, recipes, how, arguments, _folded_in(functions))
        return _settled(work, types | functions)

    while True:
        try:
            found = once()
        except AdjointgenError as error:
            if not functions and how.check is None and (found_in := folded(types, arguments)):
                functions = found_in
                continue
            if (made := _otherwise(error, work, types | functions)) is not None:
                return made
            how.paths.learn(error)
        else:
            return how.paths.kept(once, found)  # type: ignore[no-any-return]


def _otherwise(error: AdjointgenError, work: _Work, types: Types) -> Settled | None:
    """The programs with our classes, or for known lengths and integers, if refused without."""
    how = replace(work.how, paths=work.how.paths.fixed())
    functions = _folded_in(types)
    if has_models(work.looks) and not how.modelled:
        with suppress(AdjointgenError, Several, ValueError):
            ours = replace(how, modelled=True)
            return settled(work.source, work.recipes, ours, types, work.arguments)
    mine = [*ways(work.given(types), work.arguments)] if error.mismatch is Kind.UNLIKE else []
    if work.how.paths.said:
        mine = mine[-1:]
    for k, (sizes, numbers) in enumerate(mine, 1):
        stated = related(types, [(axis, None, size) for axis, size in sizes.items()]) | numbers
        # Where most is known, paths may be left out as well.
        paths = work.how.paths.branched() if k == len(mine) else how.paths
        known = replace(work, how=replace(how, paths=paths))
        with suppress(AdjointgenError):
            made = _known_entries(known, stated, functions | numbers.keys(), sizes)
            work.how.paths.said |= paths.said
            return made
    if has_arrays(work.looks) and not how.measured:
        with suppress(AdjointgenError):
            sized = replace(how, measured=True)
            return settled(work.source, work.recipes, sized, types, work.arguments)
    return None


def _folded_in(types: Mapping[str, Argument]) -> set[str]:
    """The arguments that are functions, for which alone a program is made."""
    return {name for name, type in types.items() if is_folded(type)}


def _known_entries(
    work: _Work, types: Types, exact: set[str], sizes: Mapping[Axis, int]
) -> Settled:
    """The programs for known lengths and integers, without paths that are refused."""
    paths = work.how.paths

    def once() -> Settled:
        return _settled(replace(work, exact={*exact}, lengths=dict(sizes)), {**types})

    while True:
        try:
            found = once()
        except AdjointgenError as error:
            paths.learn(error)
        else:
            return paths.kept(once, found)  # type: ignore[no-any-return]


def _settled(work: _Work, types: Types) -> Settled:
    how, arguments = work.how, work.arguments
    with meetings_noted() as met, joins_noted() as joined:
        lowered = work.lowered(types)
        if how.check is not None:
            work.built(lowered)
    work.how = how = how.having(lowered.primal, met)
    pairs = how.pairs | _waiting(lowered.primal, how)
    given = work.given(types)
    if how.check is not None:
        pairs |= joined
        arguments = leaf_values(given, arguments)
        given = {name: leaf for name, (leaf, _) in leaves_of(given).items()}
    short = 0 if how.target == PYTHON else FEW
    fixed = meetings(pairs, given, arguments, short)
    if fixed or how.met:
        types = related(types, fixed)
        lowered = work.lowered(types)
    first = work.least(types, fixed, Least(lowered), work.lowered, work.asks)
    found: Settled = work.built(first.made)
    alike = first.alike
    if how.target != PYTHON and _open(found, how) > first.asks:
        again = lambda types: work.built(work.lowered(types))  # noqa: E731
        start = Least(found, alike, first.tried)
        last = work.least(types, fixed, start, again, lambda one: _open(one, how))
        found, alike = last.made, last.alike
    known = ((axis, None, length) for axis, length in work.lengths.items())
    return replace(found, exact=frozenset(work.exact), alike=(*known, *fixed, *alike))


@dataclass(frozen=True, slots=True)
class Least:
    """What was made for lengths that are `alike`, the last of so many ways to know of them, and how
    much it asks when it runs."""

    made: Any
    alike: tuple[Relation, ...] = ()
    tried: int = 0
    asks: int = 0


@dataclass(slots=True)
class _Work:
    """The making of programs for the arguments of a call.

    What had to be known so that there is a program holds of every one that is made after it: the
    values of integers and the lengths of lists, by name, and the lengths of axes.
    """

    source: Source
    recipes: Sequence[Recipe]
    how: Way
    arguments: Mapping[str, Any]
    exact: set[str] = field(default_factory=set)
    lengths: dict[Axis, int] = field(default_factory=dict)
    looks: dict[Any, Look] = field(default_factory=dict)

    def given(self, types: Mapping[str, Argument]) -> Types:
        """The types of the arguments that are given; others are declared."""
        return {name: type for name, type in types.items() if name in self.arguments}

    def lowered(self, types: Types) -> _Lowered:
        """The function as it is read; `types` are told what has to be known for that."""
        while True:
            try:
                with watched() as self.looks, measuring(self.how.measured):
                    if isinstance(self.source.resolver, LiveResolver):
                        self.source.resolver.note()
                    how = self.how
                    ways = (how.disable, how.checks, how.paths.said, how.modelled)
                    found = read(self.source, types, self.recipes, *ways)
                    return _Lowered(found, self.looks)
            except AdjointgenError as error:
                self.know(error, types)

    def know(self, error: AdjointgenError, types: Types) -> None:
        """Have known of arguments what a refusal asks for; else it is raised."""
        axis = axis_of(Dim(error.wanted or ""), self.given(types))
        if axis is not None and is_open(axis, types):
            self.lengths[axis] = np.shape(self.arguments[axis[0]])[axis[1]]
            types |= related(types, [(axis, None, self.lengths[axis])])
            return
        known = _known(error, self.given(types), self.arguments)
        if not known:
            raise error
        self.exact |= known.keys()
        types |= known
        # Lists whose entries are known are objects now, of which two may be one.
        check_own(self.recipes, types)

    def built(self, lowered: _Lowered) -> Settled:
        """The programs."""
        how = self.how
        with watched() as looks, measuring(how.measured):
            ways = (how.disable, how.target, how.paths.said)
            made = built(self.source, lowered.functions, self.recipes, *ways, lowered.begun)
        return Settled(made, lowered.looks | looks, frozenset(self.exact))

    def asks(self, lowered: _Lowered) -> int:
        """How much the programs would have to find out when they run, before they are made."""
        how = self.how
        try:
            with watched() as looks:
                found = [
                    asking(lowered.functions, recipe, how.disable, how.target)
                    for recipe in self.recipes
                ]
        except AdjointgenError:
            # The reason is told where the program is made.
            return 0
        lowered.looks.update(looks)
        lowered.begun[:] = [begun for begun, _ in found]
        functions = [function for _, function in found]
        count = unsettled(functions)
        if how.target != PYTHON and "loop-nests" not in how.disable:
            loops = import_module("adjointgen.targets.loops.length_comparisons")
            count += sum(map(loops.comparisons, functions))
        return count

    def least(
        self,
        types: Types,
        fixed: Sequence[Relation],
        found: Least,
        make: Callable[[Types], object],
        open: Callable[[Any], int],
    ) -> Least:
        """What leaves least open of what is made for lengths as they are."""
        known = *fixed, *((axis, None, size) for axis, size in self.lengths.items())
        given, ways = self.given(types), self.ways[found.tried :]
        told = [beside(which(given, self.arguments), known) for which in ways]
        # What a program asks costs a derivative to find out.
        found = replace(found, asks=open(found.made) if any(told) else 0)
        for k, (which, more) in enumerate(zip(ways, told, strict=True), found.tried + 1):
            if not found.asks:
                break
            # Those that are equal across axes are named instead of those along one.
            before = () if which is crossed else found.alike
            if more and more != found.alike:
                stated = (*before, *more)
                again = make(related(types, stated))
                if (left := open(again)) < found.asks:
                    found = Least(again, stated, k, left)
        return found if self.how.check is None else self.fewest(types, found, make, open)

    def fewest(
        self,
        types: Types,
        found: Least,
        make: Callable[[Types], object],
        open: Callable[[Any], int],
    ) -> Least:
        """The same without the numbers that change nothing: a module is for other lengths, too."""
        for one in found.alike:
            if one[1] is None:
                stated = tuple(relation for relation in found.alike if relation != one)
                again = make(related(types, stated))
                if open(again) <= found.asks:
                    found = replace(found, made=again, alike=stated)
        return found

    @property
    def ways(self) -> tuple[Callable[..., tuple[Relation, ...]], ...]:
        """What may be known of lengths, the least first."""
        some = (relations, crossed, few)
        return some if self.how.target == PYTHON else (*some, several)


def _known(
    error: AdjointgenError, types: Mapping[str, Argument], arguments: Mapping[str, Any]
) -> Types:
    """What would let a program be made that is refused: an integer, or the lengths of lists."""
    if type(arguments.get(error.wanted)) is int and isinstance(types[error.wanted], Type):
        return {error.wanted: Fixed(arguments[error.wanted])}
    if error.code != "AG106" and error.mismatch is not Kind.UNLIKE:
        return {}
    return {
        name: opened_list(name, arguments[name], type)
        for name, type in types.items()
        if isinstance(type, Type) and type.kind == "list" and len(arguments[name]) <= SHORT
    }


def _uncovered(found: Settled, how: Way) -> int:
    """How many axes of zeros have a length that a compiled program would be told."""
    if how.target == PYTHON or {"loop-nests", "dead-initialisation"} & set(how.disable):
        return 0
    loops = import_module("adjointgen.targets.loops.passes.dead_initialisation")
    return sum(map(loops.coverable, found.built.functions))


def _open(found: Settled, how: Way) -> int:
    """How much of a finished program would be done without if more were known of the lengths."""
    return unsettled(found.built.functions) + _uncovered(found, how)


def _waiting(primal: Function, how: Way) -> frozenset[tuple[Dim, Dim]]:
    """The lengths that have to be known to be equal for products before their loops."""
    if "matmul-before-loop" in how.disable:
        return frozenset()
    return waiting((primal, *primal.callees), compiled=how.target != PYTHON)

"""From a source and its argument types to finished programs: the pipeline, with docstrings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from linecache import getlines
from typing import cast

from adjointgen.ad.checkpoints.schedule_loops import with_schedule
from adjointgen.ad.modes.auxiliary_results import require_pair
from adjointgen.analysis.values.fixed_ranks import decided
from adjointgen.analysis.values.required_lengths import required
from adjointgen.api.arguments.argument_kinds import kinds_checked
from adjointgen.api.arguments.seed_shapes import seeds_checked
from adjointgen.api.programs.apply_step import apply_step
from adjointgen.api.programs.batched_program import for_batch
from adjointgen.api.programs.compiled_core import with_core
from adjointgen.api.programs.dense_jacobian import follows_inputs
from adjointgen.api.programs.directives_told import tell_idle
from adjointgen.api.programs.docstring_contract import contract
from adjointgen.api.programs.gradient_shapes import shapes_compared
from adjointgen.api.programs.lengths_compared import lengths_compared
from adjointgen.api.programs.recipes import Kind, Recipe, Step, is_reverse
from adjointgen.api.programs.recorded_classes import with_recorded_classes
from adjointgen.api.programs.same_classes import with_classes
from adjointgen.api.programs.second_order import by_schedules, gradient_of_tangent
from adjointgen.api.programs.tape_programs import with_tape_class
from adjointgen.api.programs.warnings_told import told
from adjointgen.config.compilers import PARALLEL, PYTHON, Target
from adjointgen.errors import AdjointgenError, NotSeveral, Unsupported
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.domain.untaken import Key
from adjointgen.frontend.functions.outlines import Derive
from adjointgen.frontend.lower import lower
from adjointgen.frontend.source.asked_directives import with_directives
from adjointgen.frontend.source.source import Source
from adjointgen.ir.nodes import Function, Value
from adjointgen.ir.packing import count, find, leaves, passed
from adjointgen.ir.schedules import schedule
from adjointgen.many_directions import directed
from adjointgen.pipeline import Mode, finish, opened
from adjointgen.program import Program, flattened, gathered, primal
from adjointgen.records import dataclass, replace

Arguments = Mapping[str, Argument]
Check = Callable[[Function, Arguments], Function]
Read = Mapping[bool, Function]
"""A function as it is read for itself (True) and for derivatives (False)."""


@dataclass(frozen=True, slots=True)
class Built:
    """Finished programs of one function, and the function itself as the frontend read it."""

    primal: Function
    functions: tuple[Function, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """The program of a function after so many steps of a recipe."""

    function: Function
    program: Program
    steps: int

    def leads_to(self, function: Function, recipe: Recipe) -> bool:
        """Whether the function is this one, and each step is for one direction and sample."""
        plain = not any(step.directions or step.batch for step in recipe)
        return plain and self.function is function


def build(
    source: Source,
    arguments: Arguments,
    recipes: Collection[Recipe],
    disable: Collection[str] = (),
    target: Target = PYTHON,
    check: Check | None = None,
    untaken: Mapping[Key, str] | None = None,
) -> Built:
    """The programs that the recipes ask for; `check` adds checks of arguments of these types.

    They raise NotImplementedError where an `untaken` path begins, and their docstrings say so.

    Raises Unsupported, NoRule, NotDifferentiable or TypeMismatch where that cannot be done.
    """
    functions = read(source, arguments, recipes, disable, check, untaken)
    return built(source, functions, recipes, disable, target, untaken)


def read(
    source: Source,
    arguments: Arguments,
    recipes: Collection[Recipe],
    disable: Collection[str] = (),
    check: Check | None = None,
    untaken: Mapping[Key, str] | None = None,
    modelled: bool = False,
) -> Read:
    """The function as the frontend reads it for the recipes. Raises as `build`.

    Where classes of `collections` are `modelled`, our own stand for them.
    """
    with quoting(source):
        asked = (text for recipe in recipes for step in recipe for text in step.directives)
        source = with_directives(source, tuple(dict.fromkeys(asked)))
        ways = sorted({is_primal(recipe) for recipe in recipes})
        derived = derived_by(disable)
        how = (untaken, modelled, check)
        return {way: lower(source, arguments, derived, way, *how) for way in ways}


def built(
    source: Source,
    functions: Read,
    recipes: Collection[Recipe],
    disable: Collection[str] = (),
    target: Target = PYTHON,
    untaken: Mapping[Key, str] | None = None,
    begun: Sequence[Begun] = (),
) -> Built:
    """The programs that the recipes ask for, of a function that was read. Raises as `build`.

    What of them is `begun`, if anything, is not made again.
    """
    starts = begun or (None,) * len(recipes)
    with quoting(source):
        made = (
            follow(functions[is_primal(r)], r, disable, target, start)
            for r, start in zip(recipes, starts, strict=True)
        )
        first = next(iter(functions.values()))
        return Built(first, tuple(_saying(f, untaken or {}) for f in made))


def _saying(program: Function, untaken: Mapping[Key, str]) -> Function:
    """A program whose docstring says which paths it is not made for."""
    if not any(untaken.values()):
        return program
    doc = program.origin.doc + "\n\nRaises NotImplementedError:"
    doc += "".join(f"\n{said}" for said in untaken.values() if said)
    return replace(program, origin=replace(program.origin, doc=doc))


def is_primal(recipe: Recipe) -> bool:
    """Whether a program is the function itself."""
    return [step.kind for step in recipe] == ["primal"]


def derived_by(disable: Collection[str] = ()) -> Derive:
    """What derives the functions that a function derives itself."""

    def derived(function: Function, kind: str, wrt: tuple[str, ...]) -> Function:
        program = flattened(primal(function))
        return apply_step(program, cast(Kind, kind), wrt, disable).function

    return derived


@contextmanager
def quoting(source: Source) -> Iterator[None]:
    """Errors show the line that they are about: transforms know its place, not its text."""
    try:
        yield
    except AdjointgenError as error:
        if error.span is not None and not error.source:
            own = error.span.file == source.file
            error.source = source.text if own else "".join(getlines(error.span.file))
        raise


def follow(
    function: Function,
    recipe: Recipe,
    disable: Collection[str] = (),
    target: Target = PYTHON,
    begun: Begun | None = None,
) -> Function:
    """One finished program, with its docstring.

    Raises NotSeveral where several directions are asked for and the program cannot follow them.
    Warns of directives that change nothing (AG013).
    """
    made = _followed(function, recipe, disable, target, begun)
    if len(recipe) == 1 and recipe[0].kind not in ("primal", "tangent", "taylor"):
        tell_idle(function, made, lambda other: _followed(other, recipe, disable, target))
    return made


def _followed(
    function: Function,
    recipe: Recipe,
    disable: Collection[str],
    target: Target,
    begun: Begun | None = None,
) -> Function:
    if target != PYTHON and is_primal(recipe):
        _require_no_writes(function)
    function = _scheduled(function, recipe)
    by = wrt = names_of(function, recipe[0])
    several = None
    swapped = by_schedules(function, recipe, by)
    if begun is None or swapped or not begun.leads_to(function, recipe):
        begun = Begun(function, _begun(function, disable, target), 0)
    if swapped:
        program = gradient_of_tangent(begun.program, by, recipe, disable)
    else:
        program, wrt, several = _after_steps(begun, recipe, disable, target)
    program = _whole(program, function, recipe, by, disable, target)
    finished = _finished(program, recipe[-1], several, disable, target)
    if recipe[-1].written:
        finished = _written(function, finished, recipe, target)
    finished = finished if target == PYTHON else with_core(finished)
    doc = contract(function, finished, recipe, wrt)
    if recipe[0].kind != "primal":
        doc += told(function, by)
    return replace(finished, origin=replace(finished.origin, doc=doc))


def _require_no_writes(function: Function) -> None:
    """Compiled programs leave arguments as they are; the function itself would write to some."""
    if function.written:
        names = " and ".join(sorted(function.written))
        raise Unsupported(
            f"{function.name} writes to {names}, and a compiled program leaves arguments alone",
            code="AG140",
            help="leave out compile, or write to a copy",
        )


def _after_steps(
    begun: Begun, recipe: Recipe, disable: Collection[str], target: Target
) -> tuple[Program, tuple[str, ...], tuple[int, int] | None]:
    """The last derivative, what it is by, and its seeds and directions in vector mode."""
    program, several = begun.program, None
    for step in recipe[begun.steps :]:
        wrt = names_of(program.function, step)
        if step.directions or step.batch:
            program = flattened(program)
        before = len(program.function.body.params)
        last = step is recipe[-1] and (not step.directions or target == PYTHON)
        program = apply_step(program, step.kind, wrt, disable, last=last, way=step)
        if step.directions and target == PYTHON:
            program = directed(program, _roots(program.function.body.params[before:]), disable)
        elif step.directions:
            several = len(program.function.body.params) - before, step.directions
    return program, wrt, several


def _finished(
    program: Program,
    last: Step,
    several: tuple[int, int] | None,
    disable: Collection[str],
    target: Target,
) -> Function:
    """The program as it can run in place.

    One of a module that vector mode does not follow has a batch axis for its directions instead.
    """
    compiled, parallel = target != PYTHON, target == PARALLEL
    try:
        return finish(program, disable, compiled, several, parallel)
    except NotSeveral:
        if several is None or not last.written:
            raise
    seeds = _roots(program.function.body.params[-several[0] :])
    return finish(directed(program, seeds, disable), disable, compiled, None, parallel)


def _roots(params: tuple[Value, ...]) -> set[str]:
    """The seeds among the parameters that hold numbers."""
    return {p.root for p in params if p.type.kind in ("scalar", "array", "list")}


def _whole(
    program: Program,
    function: Function,
    recipe: Recipe,
    by: tuple[str, ...],
    disable: Collection[str],
    target: Target,
) -> Program:
    """The derivatives for all samples of a batch, and of the shapes that they should have."""
    if recipe[-1].batch:
        program = for_batch(program, function, recipe[-1], disable)
    # The lengths of samples are not compared, so that a batch has the tests of shapes for them.
    needs = () if recipe[-1].batch else tuple(required(function))
    compared = program.function
    if target == PYTHON:
        compared = shapes_compared(compared, function, recipe, by, needs)
    if needs or target != PYTHON:
        compared = lengths_compared(compared, needs, target != PYTHON)
    return replace(program, function=compared)


def _scheduled(function: Function, recipe: Recipe) -> Function:
    """The function with the schedule that a step asks for."""
    asked = next((step.checkpoint for step in recipe if step.checkpoint), "")
    return with_schedule(function, schedule(asked)) if asked else function


def _written(function: Function, finished: Function, recipe: Recipe, target: Target) -> Function:
    """A program with the classes and the checks that it has in a module."""
    if recipe[-1].kind == "forward":
        names = names_of(function, recipe[0])
        finished = with_recorded_classes(function, finished, names)
        finished = with_tape_class(function, finished, names)
    elif recipe[-1].kind in ("adjoint", "grad") or recipe[-1].alone:
        value = recipe[-1].kind == "adjoint"
        finished = with_classes(finished, names_of(function, recipe[0]), value)
    # The function itself truncates as the user's does, but for the loops of a compiled one; what
    # a type has decided is not what it would be for another.
    same = is_primal(recipe) and target == PYTHON and not (decided(function) or function.kinds)
    reverse = any(is_reverse(step.kind) or step.kind in ("jacobian", "sparse") for step in recipe)
    if same:
        return finished
    checked = kinds_checked(function, finished, target, reverse=reverse)
    if recipe[-1].kind != "forward":
        return seeds_checked(function, checked, target)
    sweep, *callees = checked.callees
    return replace(
        checked, callees=(seeds_checked(function, sweep, target, of_tape=True), *callees)
    )


def _begun(function: Function, disable: Collection[str], target: Target) -> Program:
    program = primal(function)
    return program if target == PYTHON else gathered(program, disable)


def asking(
    functions: Read, recipe: Recipe, disable: Collection[str] = (), target: Target = PYTHON
) -> tuple[Begun, Function]:
    """A program as far as it is known what it compares when it runs. Raises as `follow`.

    What is made of it comes first, from where the recipe is followed to its end.
    """
    function = functions[is_primal(recipe)]
    program = _begun(function, disable, target)
    *before, step = recipe
    for one in before:
        program = apply_step(program, one.kind, names_of(program.function, one), disable, way=one)
    begun = Begun(function, program, len(before))
    if step.kind == "primal":
        return begun, program.function
    wrt, outputs = names_of(program.function, step), None
    if step.aux:
        outputs = range(count(require_pair(program.function, "grad" in step.kind)[0]))
    forward = step.kind == "tangent"
    if step.kind == "jacobian":
        forward = follows_inputs(program.function, wrt)
    elif step.compression is not None:
        forward = not step.compression.by_rows
    mode: Mode = "tangent" if forward else "adjoint"
    program, made = opened(program, mode, wrt, disable, outputs)
    return replace(begun, program=program), made


def names_of(function: Function, step: Step) -> tuple[str, ...]:
    """What a step differentiates: as told, or every parameter of floating-point numbers."""
    if step.wrt is not None:
        return step.wrt
    found = []
    for parameter in passed(function):
        group = find(function, parameter.name)
        inner = {leaf for leaf, _ in leaves(group[1])} if group else set()
        if any(p.root in inner and p.type.is_differentiable for p in function.body.params):
            found.append(parameter.name)
    return tuple(found)


__all__ = [
    "Built",
    "Kind",
    "Recipe",
    "Step",
    "asking",
    "build",
    "built",
    "follow",
    "names_of",
    "quoting",
    "read",
]

"""The programs of one target of a module: for declared types, or for an example.

With an example, they are made as for a call (`specialize.py`), from text where that suffices, and
else from the function itself. What they take for granted of arguments is checked in their text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from adjointgen.api.arguments.argument_binding import Binder
from adjointgen.api.arguments.assumed_arguments import tested
from adjointgen.api.arguments.assumption_checks import Met, assumptions_checked
from adjointgen.api.arguments.fixed_arguments import guarded
from adjointgen.api.cache.fingerprint import digest
from adjointgen.api.modules.argument_types import (
    argument_types,
    arguments_of,
    declared,
    has_open_rank,
    require_known,
    supposed,
    unknown,
)
from adjointgen.api.modules.example import Example, bound, bound_by_name, class_named
from adjointgen.api.modules.live_module import live_object
from adjointgen.api.modules.target_names import Target
from adjointgen.api.modules.written_values import written_value
from adjointgen.api.programs.build_program import build, is_primal
from adjointgen.api.programs.recipes import Compression, Recipe, Step, is_reverse
from adjointgen.api.programs.tape_programs import both_sweeps
from adjointgen.api.specialize.assumed_paths import AssumedPaths
from adjointgen.api.specialize.specialize import Way, settled, typed
from adjointgen.config.modes import TABLE, Mode
from adjointgen.config.options import UNNAMED, Options, is_named
from adjointgen.errors import AdjointgenError, SourceError, TypeMismatch
from adjointgen.frontend.domain.structures import Argument
from adjointgen.frontend.functions.inlining import defaults, parameters
from adjointgen.frontend.lower import infer_arguments
from adjointgen.frontend.source.source import Source, source_from_function
from adjointgen.frontend.source.written_defaults import keeps_defaults
from adjointgen.ir.nodes import Function
from adjointgen.records import dataclass, replace
from adjointgen.wrapping import implementation, plain


@dataclass(frozen=True, slots=True)
class Found:
    """A target, the sources it can be read from, in the order of preference, and the function."""

    target: Target
    sources: tuple[Source, ...]
    live: Callable[[], Callable[..., Any]] | None = None


def found_by_name(target: Target, base: Path, run: bool = False) -> Found:
    """A target that is named by text; its module may be `run`. Raises what `source_of` raises."""
    live = None if target.text is not None else partial(live_object, target, base)
    return Found(target, (source_of(target, base, run),), live)


def source_of(target: Target, base: Path, run: bool) -> Source:
    """The source of a target. That of the function itself, where its module may be `run` and the
    text does not say which function it is, or not that there is one.

    Raises what `Target.source` raises.
    """
    try:
        return target.source(base)
    except SourceError as error:
        if not run or error.code not in ("AG002", "AG009") or target.text is not None:
            raise
        found = _live(partial(live_object, target, base))
        if not found:
            raise
        return found[0]


def may_run(options: Options) -> bool:
    """Whether the options give an example, for which the module of a target is imported."""
    return bool(options.example or options.at)


def names_of_parameters(source: Source) -> list[str]:
    """The parameters of a function, in order."""
    return [parameter.arg for parameter in parameters(source.arguments)]


def programs_of(
    found: Found, options: Options, example: Example | None = None
) -> tuple[Function, ...]:
    """The programs of one target, from the first of its sources that allows them.

    Raises what `build` raises, and TypeMismatch (AG408) for an example that does not fit.
    """
    arguments = call_of(found, options, example)
    compressions = _compressions(found, options, arguments)
    sources = found.sources
    if arguments is not None and found.live is not None and len(sources) == 1:
        sources += _live(found.live)
    refused: list[AdjointgenError] = []
    for source in sources:
        try:
            return _programs(source, options, arguments, compressions)
        except AdjointgenError as error:
            refused.append(error)
    raise refused[-1]


def _live(found: Callable[[], Callable[..., Any]]) -> tuple[Source, ...]:
    """The source of the function itself, if its module can be imported."""
    try:
        function = plain(implementation(found()))
        source = source_from_function(function, written=True)
    except Exception:  # whatever the user's module raises
        return ()
    keeps_defaults(function, defaults(source.arguments))
    return (source,)


def all_checked(function: Function, arguments: Mapping[str, Argument], met: Met) -> Function:
    """A function with checks of what an example has decided: values, lengths, structures."""
    return guarded(assumptions_checked(function, arguments, met), arguments)


def types_at(found: Found, options: Options, example: Example | None) -> Mapping[str, Argument]:
    """The types of the parameters as a call of the example has them, else as declared."""
    source = found.sources[0]
    arguments = call_of(found, options, example)
    if arguments is None:
        return arguments_of(source, options)
    stated = declared(source, options)
    given = {name: value for name, value in arguments.items() if name not in stated}
    types = {**typed([(Step("adjoint", options.wrt or None),)], given)[0], **stated}
    return {**infer_arguments(source, types), **types}


def call_of(
    found: Found, options: Options, example: Example | None = None
) -> dict[str, Any] | None:
    """The arguments of the example by name, those that are given as text included.

    None where there is no example. Raises TypeMismatch (AG408) where it does not fit.
    """
    source, own = found.sources[0], names_of_parameters(found.sources[0])
    at = {name: text for name, text in options.at if name in own}
    if example is None:
        return bound_by_name(at, source, found.live, options.wrt) if options.at else None
    values = bound(example, source, found.live)
    given = [name for name in values if name not in at]
    return values | bound_by_name(at, source, found.live, options.wrt, given)


def recorded(founds: Sequence[Found], options: Options, example: Example) -> Options:
    """Options that state an example which was given in Python as text, where that can be done."""
    texts: dict[str, str] = dict(options.at)
    for found in founds:
        classes = partial(class_named, found.live)
        for name, value in (call_of(found, options, example) or {}).items():
            try:
                text = written_value(value, classes)
            except (ValueError, LookupError):
                return replace(options, example=UNNAMED)
            if texts.setdefault(name, text) != text:
                return replace(options, example=UNNAMED)
    return replace(options, at=tuple(sorted(texts.items())))


def example_hash(founds: Sequence[Found], options: Options, example: Example | None) -> str:
    """The hash of what programs depend on of an example that a file has; empty without one."""
    if example is None or not is_named(options.example):
        return ""
    parts = []
    for found in founds:
        for name, value in (call_of(found, options, example) or {}).items():
            try:
                text = written_value(value, None, shapes=True)
            except ValueError:
                text = type(value).__qualname__
            parts.append(f"{name}: {text}")
    return digest(parts)


Compressions = Mapping[Mode, Compression]
"""The patterns of modes that give sparse matrices."""


def _compressions(
    found: Found, options: Options, arguments: Mapping[str, Any] | None
) -> Compressions:
    """The patterns of the matrices that modes give. Raises TypeMismatch (AG417) where there is no
    example, or none that can be run."""
    modes = [mode for mode in options.modes if TABLE[mode].example]
    if not modes:
        return {}
    name = found.sources[0].name
    if arguments is None or found.live is None:
        raise TypeMismatch(
            f"mode {modes[0]} has the pattern of an example, and {name} has none",
            code="AG417",
            help="give one: --example FILE.py::name or --at x=float64[100], or example=(x,)",
        )
    of: Any = import_module("adjointgen.api.calls.sparse_derivatives").compression
    function, wrt = plain(implementation(found.live())), options.wrt or ...
    return {mode: of(function, wrt, arguments, TABLE[mode].of_gradient) for mode in modes}


def _programs(
    source: Source,
    options: Options,
    arguments: Mapping[str, Any] | None,
    compressions: Compressions,
) -> tuple[Function, ...]:
    recipes = [_recipe(mode, options, compressions.get(mode)) for mode in options.modes]
    if arguments is not None:
        made = _by_example(source, options, recipes, arguments)
    else:
        made = _by_text(source, options, recipes)
    return (*made[:-1], *both_sweeps(made[-1])) if "split" in options.modes else made


def _recipe(mode: Mode, options: Options, compression: Compression | None) -> Recipe:
    """The derivatives of a mode; only adjoints keep states."""
    row, wrt = TABLE[mode], options.wrt or None
    *before, last = (
        Step(
            kind,
            wrt,
            written=True,
            checkpoint=options.checkpoint if is_reverse(kind) else "",
            directives=options.directives if is_reverse(kind) else (),
        )
        for kind in row.steps
    )
    directions = options.directions if row.seeds else 0
    last = replace(last, alone=row.alone, directions=directions, compression=compression)
    return (*before, last)


def _by_text(source: Source, options: Options, recipes: Sequence[Recipe]) -> tuple[Function, ...]:
    """The programs for types that the text states, or that are tested where they begin."""
    types = argument_types(source, options)
    require_known(source, types, options.guess)

    def check(function: Function, arguments: Mapping[str, Argument]) -> Function:
        return tested(guarded(function, arguments), types, options.compile)

    def made(arguments: Mapping[str, Argument]) -> tuple[Function, ...]:
        how = (options.disable, options.compile)
        return build(source, arguments, recipes, *how, check).functions

    try:
        return made({name: one.type for name, one in types.items()})
    except AdjointgenError as error:
        open_ranks = {name: one for name, one in types.items() if has_open_rank(one)}
        if not open_ranks or error.code == "AG412":
            raise
        try:
            made({name: supposed(name, one) for name, one in types.items()})
        except AdjointgenError:
            raise error from None
        raise unknown(source, open_ranks, error) from error


def _run_of(source: Source, arguments: Mapping[str, Any]) -> Callable[[], object] | None:
    """A call of the function with the arguments, where it is at hand."""
    function = getattr(source.resolver, "identity", None)
    if not isinstance(function, FunctionType):
        return None
    binder = Binder(function)
    if not {*binder.names} <= arguments.keys():
        return None
    values = tuple(arguments[name] for name in binder.names)
    return partial(binder.call, function, values)


def _by_example(
    source: Source, options: Options, recipes: Sequence[Recipe], arguments: Mapping[str, Any]
) -> tuple[Function, ...]:
    """The programs for arguments like these; a declaration has precedence."""
    stated = declared(source, options)
    given = {name: value for name, value in arguments.items() if name not in stated}
    paths = AssumedPaths(_run_of(source, arguments))
    how = Way(options.disable, options.compile, all_checked, paths=paths)
    made: list[Function] = []
    for kind in (True, False):
        # The function itself takes apart less of its arguments than its derivatives do.
        own = [recipe for recipe in recipes if is_primal(recipe) is kind]
        if own:
            types, named = typed(own, given)
            types |= stated
            types = {**infer_arguments(source, types), **types}
            built = settled(source, named, how, types, given).built
            made += built.functions
    return tuple(made)

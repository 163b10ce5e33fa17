"""The example of a module: one call of the function, from which types, structures and lengths come.

    generate(f, example=(x, a))              the arguments of a call by position
    generate(f, example=((x,), {"a": a}))    by position and by name
    generate(f, example="data.py::args")     either of these, or a function that returns it

What an argument is, is found as for a call of `grad(f)` (`specialize.py`), so a text that leaves
types open needs no declarations. The file of an example is run.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from adjointgen.api.modules.live_module import live_object
from adjointgen.api.modules.target_names import parse_target
from adjointgen.api.modules.written_values import read_value
from adjointgen.config.options import UNNAMED
from adjointgen.errors import SourceError, TypeMismatch
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.source.source import Source
from adjointgen.ir.nodes import Const
from adjointgen.records import dataclass

_WRITE: Final = "an example is a tuple of arguments, (x,) for a single one, or (args, kwargs)"


Live = Callable[[], Callable[..., Any]]
"""The function itself, its module imported where that has not been done."""


@dataclass(frozen=True, slots=True)
class Example:
    """The arguments of one call; a pair of a tuple and a dict may be two arguments by position."""

    given: tuple[Any, ...]

    def calls(self) -> Iterable[tuple[tuple[Any, ...], Mapping[str, Any]]]:
        """The calls that this may stand for."""
        match self.given:
            case [tuple() as args, dict() as kwargs] if all(isinstance(k, str) for k in kwargs):
                yield args, kwargs
        yield self.given, {}


def example_of(given: Any) -> Example:
    """An example from its value. Raises TypeMismatch (AG408)."""
    if isinstance(given, Example):
        return given
    if type(given) is not tuple:
        what = f"the example is of type {type(given).__name__}"
        raise TypeMismatch(what, code="AG408", help=_WRITE)
    return Example(given)


def read_example(text: str, base: Path) -> Example:
    """The example that `FILE.py::name` or `package.module:name` names, its file run.

    Raises SourceError (AG011) where there is none, TypeMismatch (AG408) for what is no example, and
    ValueError for another text.
    """
    if text == UNNAMED:
        raise SourceError(
            "the example was given in Python, so it is not at hand",
            code="AG011",
            help="write it in a file, and name it there: --example FILE.py::name",
        )
    target = parse_target(text)
    try:
        found = live_object(target, base)
        found = found() if callable(found) else found
    except Exception as error:  # whatever the user's module raises
        raise SourceError(
            f"the example {text} cannot be had: {type(error).__name__}: {error}",
            code="AG011",
            help="name a tuple of arguments, or a function without parameters that returns one",
        ) from error
    return example_of(found)


def bound(example: Example, source: Source, live: Live | None) -> dict[str, Any]:
    """The argument of every parameter, in order, defaults filled in.

    Defaults that the text does not state are those of the `live` function; without one they are
    left out. Raises TypeMismatch (AG408) where the example is not one of a call.
    """
    call = _call(example, source.name, signature_of(source.arguments))
    given = dict(call.arguments)
    call.apply_defaults()
    return _with_defaults(source, given, call.arguments, live)


def bound_by_name(
    at: Mapping[str, str],
    source: Source,
    live: Live | None,
    wrt: Collection[str] = (),
    others: Collection[str] = (),
) -> dict[str, Any]:
    """The same of arguments that are written as text, those of `others` left out.

    Raises TypeMismatch (AG408) for one that is not, or is missing.
    """
    own_parameters = signature_of(source.arguments).parameters
    own = {name: text for name, text in at.items() if name in own_parameters}
    given = {name: _read(source, name, text, live, wrt) for name, text in own.items()}
    free: dict[Any, Any] = {inspect.Parameter.VAR_POSITIONAL: (), inspect.Parameter.VAR_KEYWORD: {}}
    rest = {n: free[p.kind] for n, p in own_parameters.items() if p.kind in free}
    empty = inspect.Parameter.empty
    for name, parameter in own_parameters.items():
        known = name in given or name in rest or name in others
        if not known and parameter.default is empty:
            what = f"the example of {source.name} has no value for {name}"
            raise TypeMismatch(what, code="AG408", help=f"add one: --at {name}=1.5")
    found = {name: given.get(name, rest.get(name)) for name in own_parameters}
    values = _with_defaults(source, given, found, live)
    return {name: value for name, value in values.items() if name not in others}


def _with_defaults(
    source: Source, given: Mapping[str, Any], found: Mapping[str, Any], live: Live | None
) -> dict[str, Any]:
    values = dict(found)
    for name, parameter in signature_of(source.arguments).parameters.items():
        if name not in given and parameter.default is not inspect.Parameter.empty:
            values[name] = _default(source, name, parameter.default, live)
    return {name: v for name, v in values.items() if v is not inspect.Parameter.empty}


def _read(source: Source, name: str, text: str, live: Live | None, wrt: Collection[str]) -> Any:
    """An argument from its text; a whole number is a float where a float is asked for."""
    try:
        value = read_value(text, partial(class_named, live), name)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise TypeMismatch(
            f"{name}={text} cannot be read: {error}",
            code="AG408",
            help=f"write a number, a list of numbers, or a shape: {name}=float64[3, 2]",
        ) from error
    node = next((p.annotation for p in parameters(source.arguments) if p.arg == name), None)
    noted = "" if node is None else ast.unparse(node).strip("'\"")
    if type(value) is int and (noted == "float" or name in wrt):
        return float(value)
    plain = noted.partition("[")[0] in ("list", "List", "Sequence")
    return value.tolist() if plain and text.lstrip().startswith("[") else value


def class_named(live: Live | None, name: str) -> Any:
    """A class by its name in the module of a function. Raises LookupError."""
    found: Any = sys.modules[live().__module__] if live is not None else None
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type):
        raise LookupError(f"the module has no class {name}")
    return found


def _call(example: Example, name: str, signature: inspect.Signature) -> inspect.BoundArguments:
    """The first of the calls that an example may stand for which is one of the function."""
    errors = []
    for args, kwargs in example.calls():
        try:
            return signature.bind(*args, **kwargs)
        except TypeError as error:
            errors.append(error)
    what = f"the example does not fit {name}: {errors[-1]}"
    raise TypeMismatch(what, code="AG408", help=_WRITE) from errors[-1]


def signature_of(arguments: ast.arguments) -> inspect.Signature:
    """The signature that a syntax tree states; defaults are expressions."""
    kinds, none = inspect.Parameter, inspect.Parameter.empty
    count = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    values = iter([*[none] * count, *arguments.defaults])
    rows: list[tuple[ast.arg, Any, Any]] = [
        (a, kinds.POSITIONAL_ONLY, next(values)) for a in arguments.posonlyargs
    ]
    rows += [(a, kinds.POSITIONAL_OR_KEYWORD, next(values)) for a in arguments.args]
    rows += [(a, kinds.VAR_POSITIONAL, none) for a in [arguments.vararg] if a]
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    rows += [(a, kinds.KEYWORD_ONLY, v or none) for a, v in named]
    rows += [(a, kinds.VAR_KEYWORD, none) for a in [arguments.kwarg] if a]
    return inspect.Signature([kinds(a.arg, kind, default=value) for a, kind, value in rows])


def _default(source: Source, name: str, node: ast.expr, live: Live | None) -> Any:
    """The value of a default, from its text where that says it."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        pass
    found = source.resolver.find(node.id) if isinstance(node, ast.Name) else None
    if isinstance(found, Const):
        return found.value
    if live is None:
        return inspect.Parameter.empty
    return inspect.signature(live()).parameters[name].default

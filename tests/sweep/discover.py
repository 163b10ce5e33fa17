"""Calls of a package's functions, from the examples in their docstrings or from plausible numbers.

The examples of a docstring are executed one after the other, and each call of the function that
they hold is a case, with the arguments that it had. A function without examples is tried on its
defaults, and on floats for the rest. Integers stay integers where a docstring has floats as well;
where a call has nothing but integers, it is made with the floats that they are, if the function
takes these for the same.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import pkgutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from tests.sweep.case import Case, Unspeakable, bound, spoken, varied
from tests.sweep.numbers import NoNumber, flat
from tests.time_limits import Late, within

PER_FUNCTION: Final = 2
STARTS: Final = ((0.6, 0.1), (1.7, 0.3), (25.0, 4.0), (350.0, 25.0))
LEFT_OUT: Final = (
    "test",
    "tests",
    "testing",
    "plot",
    "plotting",
    "examples",
    "benchmarks",
    "__main__",
)


def modules(package: str) -> Iterator[ModuleType]:
    """The modules of a package that can be imported, in order."""
    top = import_module(package)
    names = [package]
    if hasattr(top, "__path__"):
        names += sorted(m.name for m in pkgutil.walk_packages(top.__path__, f"{package}.", _ignore))
    for name in names:
        if set(LEFT_OUT).isdisjoint(name.removeprefix(package).split(".")):
            with suppress(Exception, SystemExit):
                yield import_module(name)


def _ignore(name: str) -> None:
    """A part that cannot be imported is left out."""


def functions(package: str) -> Iterator[tuple[str, FunctionType]]:
    """The public module-level functions of a package, each once, under the module that has it."""
    seen: set[int] = set()
    for module in modules(package):
        for name, value in sorted(vars(module).items()):
            inner = inspect.unwrap(value) if callable(value) else value
            mine = isinstance(inner, FunctionType) and inner.__module__ == module.__name__
            if mine and not name.startswith("_") and id(inner) not in seen:
                seen.add(id(inner))
                yield f"{module.__name__}:{name}", value


def methods(package: str, method: str) -> Iterator[Case]:
    """`Class().method(x)` of every class that needs no arguments, at a point of its `bounds`."""
    for module in modules(package):
        for name, value in sorted(vars(module).items()):
            if inspect.isclass(value) and value.__module__ == module.__name__:
                with suppress(Exception):
                    instance: Any = value()
                    bounds = np.asarray(instance.bounds, dtype=np.float64)
                    draw = np.random.default_rng(len(name))
                    x = bounds[:, 0] + draw.uniform(0.2, 0.8, len(bounds)) * np.ptp(bounds, axis=1)
                    getattr(instance, method)(x)
                    path = f"{module.__name__}:{name}().{method}"
                    yield Case(path, {"x": spoken(np.round(x, 3))}, ("x",))


def cases(path: str, function: Callable[..., Any]) -> Iterator[Case]:
    """The cases of one function."""
    found: dict[str, Case] = {}
    calls = list(documented(function))
    for args in calls or plausible(function):
        case = usable(path, function, args)
        if case is not None:
            found.setdefault(repr(sorted((k, type(v).__name__) for k, v in args.items())), case)
        if len(found) == (PER_FUNCTION if calls else 1):
            break
    yield from found.values()


def documented(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """The arguments of the calls in a docstring's examples, by parameter."""
    names = dict(vars(inspect.getmodule(function)))
    try:
        examples = doctest.DocTestParser().get_examples(function.__doc__ or "")
    except ValueError:
        return
    for example in examples:
        try:
            tree = ast.parse(example.source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _called(node) == function.__name__:
                with suppress(Exception):
                    yield _arguments(function, node, names)
        with suppress(Exception), redirect_stdout(StringIO()):
            exec(compile(tree, "<example>", "exec"), names)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _arguments(
    function: Callable[..., Any], node: ast.Call, names: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of a call in the text, evaluated and bound."""
    caught: dict[str, Any] = {}

    def catch(*args: Any, **kwargs: Any) -> None:
        call = inspect.signature(function).bind(*args, **kwargs)
        call.apply_defaults()
        caught.update(call.arguments)

    call = ast.Call(ast.Name("_catch", ast.Load()), node.args, node.keywords)
    tree = ast.fix_missing_locations(ast.Expression(call))
    eval(compile(tree, "<call>", "eval"), names | {"_catch": catch})
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            caught |= caught.pop(parameter.name, {})
    return caught


def plausible(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Defaults, and floats for what has none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    for start, step in STARTS:
        yield {
            p.name: p.default if p.default is not p.empty else _plausible(p, start + step * k)
            for k, p in enumerate(named)
        }
    free = [p for p in named if p.default is p.empty]
    if 1 <= len(free) <= 3:
        rows = np.array([[0.4, 0.9, 1.3], [1.1, 0.3, 0.8], [0.7, 1.9, 0.2]])
        yield {p.name: p.default for p in named} | {
            p.name: row for p, row in zip(free, rows, strict=False)
        }


def _plausible(parameter: inspect.Parameter, number: float) -> Any:
    match str(parameter.annotation):
        case "<class 'int'>" | "int":
            return 3
        case "<class 'bool'>" | "bool":
            return True
    return round(number, 3)


def usable(path: str, function: Callable[..., Any], args: dict[str, Any]) -> Case | None:
    """The call as a case, if it gives floats in time; differences have the last word."""
    try:
        spelled = {name: spoken(value) for name, value in args.items()}
    except Unspeakable:
        return None
    y = _result(function, spelled)
    if y is None:
        return None
    wrt = tuple(name for name, value in args.items() if varied(value))
    if wrt:
        return Case(path, spelled, wrt)
    floats = {
        name: float(value) if type(value) is int else value for name, value in spelled.items()
    }
    again = _result(function, floats)
    wrt = tuple(name for name, value in floats.items() if isinstance(value, float))
    if not wrt or again is None or not np.array_equal(again, y):
        return None
    return Case(path, floats, wrt)


def _result(function: Callable[..., Any], args: dict[str, Any]) -> Any:
    """The floats that a call gives, or None."""
    try:
        with within(5.0), redirect_stdout(StringIO()), warnings.catch_warnings(action="ignore"):
            positional, named = bound(function, args)
            y = flat(function(*positional, **named))
    except (Exception, Late, SystemExit, NoNumber):
        return None
    return y if y.size and np.all(np.isfinite(y)) else None

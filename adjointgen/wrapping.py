"""Which wrappers around a function a derivative may see through: those that change no number.

    lru_cache(f), njit(f)                        compute what f computes
    def g(*args): return f(*args)                passes on what it gets, and what it gets back
    def g(x): return 2 * f(x)                    is a function of its own, and is lowered itself

A wrapper passes on if it calls what it wraps once, with all that it was given and nothing else, and
returns just that.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import lru_cache
from types import FunctionType
from typing import Any, Final

_CACHE: Final = type(lru_cache(len))
_TITLES: Final = ("__name__", "__qualname__")

HARMLESS: Final = ("cache", "lru_cache", "wraps", "njit", "jit", "staticmethod", "custom")
"""Decorators, by their last names, of `functools`, numba and adjointgen that change no number."""
HOMES: Final = ("functools", "numba", "builtins", "adjointgen")


def is_harmless(spelling: str) -> bool:
    """Whether a decorator of this qualified name changes no number."""
    return spelling.split(".")[0] in HOMES and spelling.rpartition(".")[2] in HARMLESS


def decorator_of(node: ast.expr) -> ast.expr:
    """What decorates: of `@f(...)` it is `f`."""
    return node.func if isinstance(node, ast.Call) else node


def only_wraps(decorator: ast.stmt) -> bool:
    """Whether a decorator returns a function that passes on to what it decorates."""
    match decorator:
        case ast.FunctionDef(
            args=ast.arguments(args=[ast.arg(arg=called)]),
            body=[*_, ast.FunctionDef(name=name) as inner, ast.Return(value=ast.Name(id=same))],
        ):
            return name == same and _is_plain(inner, called)
    return False


def plain(value: Any) -> Any:
    """The function that is lowered where an object is called."""
    value = getattr(value, "__func__", value)
    while True:
        if isinstance(value, FunctionType):
            if not hasattr(value, "__wrapped__") or not _passes_on(value):
                return value
            value = value.__wrapped__
        elif hasattr(value, "py_func"):  # numba
            value = value.py_func
        elif isinstance(value, _CACHE):
            value = value.__wrapped__
        else:
            return value


def _passes_on(wrapper: FunctionType) -> bool:
    try:
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(wrapper.__code__))).body
        held = inspect.getclosurevars(wrapper).nonlocals
    except (OSError, SyntaxError, ValueError):
        return False
    inner = vars(wrapper)["__wrapped__"]
    called = next((name for name, found in held.items() if found is inner), None)
    return isinstance(node, ast.FunctionDef) and called is not None and _is_plain(node, called)


def _is_plain(node: ast.FunctionDef, called: str) -> bool:
    """`result = f(*args)` and `return result`, or both in one, and nothing else about these."""
    call = f"{called}({_given(node)})"
    *rest, last = node.body
    kept = [s for s in rest if isinstance(s, ast.Assign) and ast.unparse(s.value) == call]
    names = {called} | {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
    match kept, last:
        case [], ast.Return(value=ast.expr() as value) if ast.unparse(value) == call:
            pass
        case [ast.Assign(targets=[ast.Name(id=name)])], ast.Return(value=ast.Name(id=same)) if (
            name == same
        ):
            names.add(name)
        case _:
            return False
    others = [inner for stmt in rest if stmt not in kept for inner in ast.walk(stmt)]
    titles = [n.value for n in others if isinstance(n, ast.Attribute) and n.attr in _TITLES]
    return not any(
        isinstance(n, ast.Return | ast.Nonlocal)
        or (isinstance(n, ast.Name) and n.id in names and n not in titles)
        for n in others
    )


def _given(node: ast.FunctionDef) -> str:
    """The parameters of a wrapper as arguments of a call."""
    arguments = node.args
    names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args)]
    names += [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    names += [f"{arg.arg}={arg.arg}" for arg in arguments.kwonlyargs]
    names += [f"**{arguments.kwarg.arg}"] if arguments.kwarg else []
    return ", ".join(names)

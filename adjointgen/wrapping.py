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
from collections.abc import Sequence
from functools import lru_cache
from inspect import getattr_static
from types import FunctionType
from typing import Any, Final

_CACHE: Final = type(lru_cache(len))
_TITLES: Final = ("__name__", "__qualname__")
_TITLING: Final = ("wraps",)
_DISPATCHER: Final = "_ArrayFunctionDispatcher"

CACHES: Final = ("cache", "lru_cache")
HARMLESS: Final = (
    *(*CACHES, "wraps", "njit", "jit", "staticmethod", "custom"),
    *("final", "override", "no_type_check"),
)
"""Decorators, by their last names, of the modules below that change no number."""
HOMES: Final = ("functools", "numba", "builtins", "adjointgen", "typing")


def held_under(value: Any, name: str, default: Any = None) -> Any:
    """An attribute of what a caller gives, `default` where there is none: its lookup may raise
    anything. A `__getattr__` is not asked, which may make what it is asked for."""
    try:
        if hasattr(type(value), "__getattr__") and getattr_static(value, name, _NONE) is _NONE:
            return default
        return getattr(value, name, default)
    except Exception:
        return default


_NONE: Final = object()


def is_harmless(spelling: str) -> bool:
    """Whether a decorator of this qualified name changes no number."""
    return spelling.split(".")[0] in HOMES and spelling.rpartition(".")[2] in HARMLESS


def decorator_of(node: ast.expr) -> ast.expr:
    """What decorates: of `@f(...)` it is `f`."""
    return node.func if isinstance(node, ast.Call) else node


def only_wraps(decorator: ast.AST, called: bool = False) -> bool:
    """Whether a decorator returns what it decorates, or a function that passes on to it.

    One that is `called` first returns the decorator, which is defined in it.
    """
    if not isinstance(decorator, ast.FunctionDef) or decorator.decorator_list:
        return False
    *body, last = decorator.body
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
        return False
    given, name = decorator.args, last.value.id
    inner = [stmt for stmt in body if isinstance(stmt, ast.FunctionDef) and stmt.name == name]
    ends = [stmt for part in body for stmt in ast.walk(part) if isinstance(stmt, ast.Return)]
    within = [stmt for one in inner for stmt in ast.walk(one) if isinstance(stmt, ast.Return)]
    if len(ends) > len(within) or len(inner) > 1 or _binds(body, name) > len(inner):
        return False
    if called:
        return bool(inner) and only_wraps(inner[0])
    match given:
        case ast.arguments(
            posonlyargs=[], args=[ast.arg(arg=own)], kwonlyargs=[], vararg=None, kwarg=None
        ) if inner:
            return _binds(body, own) == 0 and _wraps(inner[0]) and _is_plain(inner[0], own)
        case ast.arguments(args=[ast.arg(arg=own)]):
            return own == name
    return False


def _binds(body: Sequence[ast.stmt], name: str) -> int:
    """How often a name is bound in statements, in those of inner functions too."""
    found = 0
    for node in (node for stmt in body for node in ast.walk(stmt)):
        match node:
            case ast.Name(id=own, ctx=ast.Store() | ast.Del()) | ast.FunctionDef(name=own):
                found += own == name
            case ast.ClassDef(name=own) | ast.alias(name=own, asname=None) | ast.alias(asname=own):
                found += own == name
            case ast.ExceptHandler(name=own) | ast.MatchAs(name=own) | ast.MatchStar(name=own):
                found += own == name
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                found += 2 * (name in names)
    return found


def _wraps(inner: ast.FunctionDef) -> bool:
    """Whether a wrapper has no decorator but `functools.wraps`."""
    called = [node.func for node in inner.decorator_list if isinstance(node, ast.Call)]
    names = [ast.unparse(node).rpartition(".")[2] for node in called]
    return len(names) == len(inner.decorator_list) and all(n in _TITLING for n in names)


def plain(value: Any) -> Any:
    """The function that is lowered where an object is called."""
    return layers(value)[-1]


def keeps_results(every: Sequence[Any]) -> bool:
    """Whether a call of something with these layers returns what an earlier one with the same
    arguments did."""
    return any(isinstance(layer, _CACHE) for layer in every)


def has_cache(node: ast.AST) -> bool:
    """Whether a definition is decorated with a cache."""
    of = [decorator_of(one) for one in getattr(node, "decorator_list", ())]
    return any(ast.unparse(one).rpartition(".")[2] in CACHES for one in of)


def layers(value: Any) -> list[Any]:
    """An object that is called, what it wraps, and so on to the function that is lowered."""
    if hasattr(type(value), "__getattr__") and not isinstance(value, FunctionType):
        # An object of the user's is not asked for what it may make up.
        return [value]
    found = [getattr(value, "__func__", value)]
    while True:
        value = found[-1]
        if isinstance(value, FunctionType):
            if not hasattr(value, "__wrapped__") or not _passes_on(value):
                return found
            found.append(value.__wrapped__)
        elif hasattr(value, "py_func"):  # numba
            found.append(value.py_func)
        elif isinstance(value, _CACHE):
            found.append(value.__wrapped__)
        else:
            return found


def implementation(value: Any) -> Any:
    """The function of Python that NumPy's dispatch calls for arrays, numbers and lists (NEP 18)."""
    if type(value).__name__ == _DISPATCHER:
        return getattr(value, "__wrapped__", value)
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

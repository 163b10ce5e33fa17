"""Functions of modules that Numba does not have, in a text that it is to compile.

    return x * np.heaviside(x, 0.5)     Numba has no np.heaviside

Numba is asked itself, by the names that its typing knows. Whether it takes the arguments is only
seen when it compiles.
"""

from __future__ import annotations

import ast
import importlib
import warnings
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any

DECORATOR = "njit"


def unknown(text: str) -> Iterator[tuple[str, str]]:
    """The compiled function and the name of each call that Numba does not know.

    Nothing is said where Numba is not installed.
    """
    tree, typing = ast.parse(text), _typing()
    modules = dict(_imported(tree)) if typing is not None else {}
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    for function in functions:
        if not any(map(_compiles, function.decorator_list)):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _is_unknown(typing, modules, node.func):
                yield function.name, ast.unparse(node.func)


def _compiles(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id == DECORATOR


def _imported(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """What the imports of a text bind: modules, and functions of modules."""
    for node in tree.body:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    module = importlib.import_module(alias.name)
                    name = alias.asname or alias.name.partition(".")[0]
                    yield name, module if alias.asname else importlib.import_module(name)
            case ast.ImportFrom(module=str(home), names=names, level=0):
                for alias in names:
                    yield alias.asname or alias.name, _member(home, alias.name)


def _member(home: str, name: str) -> Any:
    module = importlib.import_module(home)
    return getattr(module, name, None) or importlib.import_module(f"{home}.{name}")


def _is_unknown(typing: Any, modules: dict[str, Any], node: ast.expr) -> bool:
    """Whether this is a function of a module, and none of Numba's."""
    match node:
        case ast.Attribute(value=owner, attr=name):
            home = _module(modules, owner)
            found = None if home is None else getattr(home, name, None)
        case _:
            return False
    if home is None or isinstance(found, ModuleType):
        return False
    try:
        typing.resolve_value_type(found)
    except Exception:
        return True
    return False


def _module(modules: dict[str, Any], node: ast.expr) -> ModuleType | None:
    match node:
        case ast.Name(id=name):
            found = modules.get(name)
        case ast.Attribute(value=owner, attr=name):
            found = getattr(_module(modules, owner), name, None)
        case _:
            return None
    return found if isinstance(found, ModuleType) else None


@lru_cache(maxsize=1)
def _typing() -> Any:
    """Numba's typing, with all functions that it has."""
    try:
        with warnings.catch_warnings(action="ignore"):
            registry: Any = importlib.import_module("numba.core.registry")
    except ImportError:
        return None
    registry.cpu_target.target_context.refresh()
    registry.cpu_target.typing_context.refresh()
    return registry.cpu_target.typing_context

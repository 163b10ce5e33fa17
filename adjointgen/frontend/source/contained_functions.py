"""Functions that write to nothing outside of them: what they do is seen in their results alone.

    def schedule(start, n):             def table(n):
        dates = []                          if n not in CACHE:
        ...                                     CACHE[n] = ...
        dates.append(day)                   return CACHE[n]

The first is one, the second is none; neither is a function that calls such a one, sets an attribute
or a variable of the module, has a cache, or has a default that may be written to. Of methods of
objects that nothing is known of it is assumed, unless they are made for writing.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

from adjointgen.frontend.domain.abstract_values import Closure
from adjointgen.frontend.source.name_resolution import LiveResolver
from adjointgen.frontend.state.live_facts import MUTATORS
from adjointgen.rules.framework.opaque_writes import IN_PLACE
from adjointgen.wrapping import has_cache, keeps_results, layers

ASKING: Final = frozenset(
    {
        *("eval", "exec", "compile", "locals", "globals", "vars", "dir", "super", "id"),
        *("setattr", "delattr", "open", "input", "__import__"),
    }
)
"""Functions that look at what runs, or do more than objects can tell."""
_ASKING: Final = ASKING | {
    *("_getframe", "currentframe", "environ", "putenv", "modules"),
    *("__dict__", "__defaults__", "__globals__"),
}
_WRITING: Final = MUTATORS | IN_PLACE | {"seed"}
_MOST: Final = 32
_FRESH = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.Constant)
_LIBRARIES: Final = frozenset({"numpy", "scipy", *sys.stdlib_module_names})


def is_contained(closure: Closure) -> bool:
    """Whether a function of a module writes to nothing outside of it."""
    return _Walk().function(closure)


class _Walk:
    def __init__(self) -> None:
        self.seen: set[object] = set()

    def function(self, closure: Closure) -> bool:
        source, resolver = closure.source, closure.source.resolver
        if not isinstance(resolver, LiveResolver) or len(self.seen) >= _MOST:
            return False
        if closure.cached or has_cache(source.node):
            return False
        if resolver.identity in self.seen:
            return True
        self.seen.add(resolver.identity)
        given = source.arguments
        defaults = [*given.defaults, *filter(None, given.kw_defaults)]
        if not all(isinstance(d, ast.Constant | ast.UnaryOp | ast.Tuple) for d in defaults):
            return False
        return _Body(self, resolver, source.node).is_contained()

    def value(self, value: Any, resolver: LiveResolver) -> bool:
        """Whether what is called is a function like that, or one of a library."""
        if keeps_results(layers(value)):
            return False
        value = getattr(value, "__wrapped__", value)
        if isinstance(value, MethodType):
            value = value.__func__
        if isinstance(value, type) and not _is_of_library(value):
            made = (vars(c).get(n) for c in value.__mro__ for n in ("__init__", "__new__"))
            return all(self.value(f, resolver) for f in made if isinstance(f, FunctionType))
        if isinstance(value, FunctionType) and not _is_of_library(value):
            found = resolver.followed(value)
            return found is not None and self.function(found)
        return _is_of_library(value)


class _Body:
    """The code of one function: names that are `bound` in it, those of `inner` functions, and those
    of `fresh` objects, which nothing else holds."""

    def __init__(self, walk: _Walk, resolver: LiveResolver, node: ast.AST) -> None:
        self.walk, self.resolver, self.node = walk, resolver, node
        parts = list(ast.walk(node))
        given = {part.arg for part in parts if isinstance(part, ast.arg)}
        stored = (p for p in parts if isinstance(p, ast.Name) and not isinstance(p.ctx, ast.Load))
        self.bound = given | {part.id for part in stored}
        self.inner = {p.name for p in parts if isinstance(p, ast.FunctionDef) and p is not node}
        fresh, others = set(given), set[str]()
        for part in parts:
            for target, value in _assigned(part):
                names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
                plain = value is not None and isinstance(target, ast.Name) and _is_fresh(value)
                (fresh if plain else others).update(names)
        self.fresh = fresh - others

    def is_contained(self) -> bool:
        return all(map(self._part, ast.walk(self.node)))

    def _part(self, node: ast.AST) -> bool:
        match node:
            case ast.Global() | ast.Nonlocal() | ast.Delete() | ast.With():
                return False
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _ASKING:
                return False
            case ast.Subscript(ctx=ast.Store(), value=ast.Name(id=name)):
                return name in self.fresh
            case ast.Attribute(ctx=ast.Store(), value=ast.Name(id="self")):
                return getattr(self.node, "name", "") in ("__init__", "__post_init__")
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                return False
            case ast.AugAssign(target=ast.Name(id=name)):
                return name in self.fresh
            case ast.Call(func=function):
                return self._call(function)
        return True

    def _call(self, function: ast.expr) -> bool:
        match function:
            case ast.Name(id=name) if name in self.inner:
                return True
            case ast.Name(id=name):
                return name not in self.bound and self.walk.value(self._found(name), self.resolver)
            case ast.Attribute(value=ast.Name(id="self")):
                return False
            case ast.Attribute(value=owner, attr=name):
                held = self._live(owner)
                if isinstance(held, ModuleType):
                    return name not in _WRITING and self.walk.value(
                        getattr(held, name, None), self.resolver
                    )
                if name in _WRITING:
                    return isinstance(owner, ast.Name) and owner.id in self.fresh
                known = getattr(type(held), name, None) if held is not None else None
                return known is None or self.walk.value(known, self.resolver)
        return False

    def _found(self, name: str) -> Any:
        """What a global name is."""
        return self.resolver.live(name, getattr(builtins, name, None))

    def _live(self, node: ast.expr) -> Any:
        """What a name of the module stands for, and what that has; None where it is a local one."""
        match node:
            case ast.Name(id=name) if name not in self.bound:
                return self._found(name)
            case ast.Attribute(value=owner, attr=name):
                held = self._live(owner)
                return vars(held).get(name) if isinstance(held, ModuleType) else None
        return None


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """What a statement assigns to, with the value where one is assigned as a whole."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(
            targets
        ) == len(values):
            yield from zip(targets, values, strict=True)
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.For(target=target) | ast.comprehension(target=target):
            yield target, None
        case ast.NamedExpr(target=target):
            yield target, None


def _is_fresh(value: ast.expr) -> bool:
    """Whether an expression gives an object that nothing else holds."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in ("list", "dict", "set", "sorted", "bytearray")
    return isinstance(value, _FRESH)


def _is_of_library(value: Any) -> bool:
    """Whether a function or class is one of Python's, NumPy's or SciPy's."""
    home = str(getattr(value, "__module__", None) or "builtins").partition(".")[0]
    return callable(value) and home in _LIBRARIES and home != "__main__"

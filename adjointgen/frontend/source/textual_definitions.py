"""The function that a dotted name of a module stands for: one that the text determines.

    h    Class.method    outer.<locals>.inner

Raises where a name has several definitions, or a decorator that may change what they compute.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NoReturn

from adjointgen.errors import SourceError, Span
from adjointgen.frontend.domain.abstract_values import ABSENT, Abstract, Module, Outside
from adjointgen.frontend.source.desugar import statements
from adjointgen.frontend.source.module_bindings import (
    UNBOUND,
    Binding,
    Bindings,
    State,
    bindings,
    of,
)
from adjointgen.frontend.source.resolver import Resolver
from adjointgen.frontend.source.textual_resolution import TextResolver
from adjointgen.wrapping import decorator_of

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_OF_CLASSES = ("property", "classmethod", "abstractmethod", "cached_property")


class Enclosed:
    """The names of a module for a function inside another: those of the outer one are hidden."""

    def __init__(self, module: TextResolver, hidden: frozenset[str]) -> None:
        self._module, self._hidden = module, hidden
        self.identity: object = (module.identity, hidden)

    def find(self, name: str) -> Abstract:
        return ABSENT if name in self._hidden else self._module.find(name)

    def member(self, module: Module, name: str) -> Abstract:
        return self._module.member(module, name)

    def variable(self, name: str) -> Outside | None:
        return None

    def default(self, name: str) -> Abstract | None:
        return None

    def definition(self, name: str) -> ast.expr | None:
        return None if name in self._hidden else self._module.definition(name)

    def imported(self, name: str) -> str:
        return "" if name in self._hidden else self._module.imported(name)

    def function_line(self, name: str) -> str:
        return self.imported(name)

    def reaches(self, name: str) -> bool:
        return True


Definition = tuple[TextResolver, str, FunctionNode, Resolver]
"""The module that defines a function, its name there, its text, and what its names stand for."""


def defined(module: TextResolver, name: str) -> Definition | None:
    """The function that a module defines, or imports from where it is defined."""
    seen: set[object] = set()
    while (found := definition(module, name)) is None:
        first, dot, rest = name.partition(".")
        origin = module.origin(first)
        if origin is None or module.identity in seen:
            return None
        seen.add(module.identity)
        module, name = origin[0], f"{origin[1]}{dot}{rest}"
    return module, name, *found


def definition(module: TextResolver, name: str) -> tuple[FunctionNode, Resolver] | None:
    """The function of this name, and what its names stand for; None where there is none.

    Raises SourceError (AG009) where the text does not say which function the name stands for.
    """
    *owners, last = [part for part in name.split(".") if part != "<locals>"]
    state, hidden = module.state, set[str]()
    if module.changes((*owners, last)[0]):
        _refuse(module.path, name, "the module changes what it stands for when it runs")
    node: FunctionNode | ast.ClassDef | None = None
    for owner in owners:
        node = _one(of(state, owner), module.path, name)
        if node is None or isinstance(node, ast.Lambda):
            return None
        if isinstance(node, ast.ClassDef):
            state = bindings(node.body)
        else:
            state = _inside(node)
            hidden.update(_local(node))
    found = of(state, last)
    made = _one(found, module.path, name)
    if made is None or isinstance(made, ast.ClassDef):
        return None
    (binding,) = found
    _require_plain(module, made, binding, name, isinstance(node, ast.ClassDef), hidden)
    return made, Enclosed(module, frozenset(hidden)) if hidden else module


def _require_plain(
    module: TextResolver,
    node: FunctionNode,
    binding: Binding,
    name: str,
    in_class: bool,
    hidden: set[str],
) -> None:
    """Refuse a decorator that may change a number, and a default that was another one."""
    if not module.steady(node.args, binding.seen):
        reason = "a name in its defaults is bound again below"
        _refuse(module.path, name, reason, next(iter(node.args.defaults), None))
    for decorator in () if isinstance(node, ast.Lambda) else node.decorator_list:
        bare = ast.unparse(decorator).rpartition(".")[2]
        if in_class and bare in _OF_CLASSES:
            continue
        if not _sees_through(module, node, decorator, binding, hidden):
            reason = f"the decorator {ast.unparse(decorator)} may change what it computes"
            _refuse(module.path, name, reason, decorator)


def _one(found: Bindings, path: str, name: str) -> FunctionNode | ast.ClassDef | None:
    """The only definition among bindings, or nothing."""
    nodes = [node for b in found if (node := _defined(b)) is not None]
    if len(found) == 1 or not nodes:
        return nodes[0] if nodes else None
    *first, last = map(str, sorted(node.lineno for node in nodes))
    before = f"lines {', '.join(first)} and " if first else "line "
    reason = f"{before}{last} define{'' if first else 's'} it"
    if UNBOUND in found:
        reason += ", on some paths through the module"
    elif len(found) > len(nodes):
        reason += ", and others bind it"
    _refuse(path, name, reason)


def _defined(binding: Binding) -> FunctionNode | ast.ClassDef | None:
    match binding.stmt:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() as node:
            return node
        case ast.Assign(targets=[ast.Name()], value=ast.Lambda() as value):
            return value
    return None


def _inside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> State:
    """The definitions in a function, which may end anywhere."""
    found: State = {}
    for stmt in statements(node.body):
        match stmt:
            case (
                ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                found[name] = found.get(name, frozenset()) | {Binding(stmt)}
    return found


def _local(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names that a function binds, and those of functions in it."""
    for part in ast.walk(node):
        match part:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0]


def _sees_through(
    module: TextResolver,
    node: FunctionNode,
    decorator: ast.expr,
    binding: Binding,
    hidden: set[str],
) -> bool:
    """Whether a decorator of the function changes no number, or asks for its derivative."""
    names = {n.id for n in ast.walk(decorator_of(decorator)) if isinstance(n, ast.Name)}
    if names & hidden:
        return False
    seen = binding.seen or module.state
    return module.decorated(node, [decorator], seen) is not None


def _refuse(path: str, name: str, reason: str, place: ast.expr | None = None) -> NoReturn:
    span = None
    if place is not None:
        end = place.end_lineno or place.lineno, place.end_col_offset or 0
        span = Span(path, place.lineno, place.col_offset, *end)
    raise SourceError(
        f"the text does not say which function {name} is: {reason}",
        code="AG009",
        span=span,
        help="define it once, or give the function itself, as the module has it when it has run",
    )

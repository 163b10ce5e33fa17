"""What a program depends on in its source, as text that changes exactly when that does.

    the syntax of the function  +  what each global name in it is, functions with source in turn

Positions, comments, layout and its own decorators do not count. The syntax is listed here and not
by `ast.dump`, whose text differs between versions of Python. A callee that in the end is not
inlined counts all the same: whether it is depends on what else changes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from copy import copy, deepcopy
from types import CodeType
from typing import Any, Final

from adjointgen.api.cache.stable_description import hashed
from adjointgen.frontend.domain.abstract_values import (
    Absent,
    Abstract,
    Closure,
    Derived,
    Module,
    Named,
    Outside,
    Seq,
)
from adjointgen.frontend.functions.inlining import parameters
from adjointgen.frontend.source.desugar import Fits, Part
from adjointgen.frontend.source.source import FunctionNode, Source
from adjointgen.ir.nodes import Const

DIGITS: Final = 12
_IGNORED: Final = frozenset({"ctx", "kind", "type_comment"})


def digest(parts: Iterable[str]) -> str:
    """A short hash of some texts and of where each ends."""
    return hashed(parts)[:DIGITS]


def fingerprint(source: Source) -> tuple[str, ...]:
    """The function, and everything of its module that it names, in a fixed order."""
    return tuple(_parts(source, set()))


def _parts(source: Source, seen: set[tuple[str, str, int]]) -> Iterator[str]:
    seen.add((source.file, source.qualname, source.first_line))
    yield syntax(undecorated(source.node))
    for parameter in parameters(source.arguments):
        if (default := source.resolver.default(parameter.arg)) is not None:
            yield from _meaning(f"{parameter.arg} by default", default, seen)
    names = global_names(source.node)
    members = {
        (node.value.id, node.attr)
        for node in ast.walk(source.node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    for name in sorted(names):
        found = source.resolver.find(name)
        yield from _meaning(name, found, seen)
        if isinstance(found, Module):
            for owner, member in sorted(members):
                if owner == name:
                    value = source.resolver.member(found, member)
                    yield from _meaning(f"{name}.{member}", value, seen)


def _meaning(name: str, value: Abstract, seen: set[tuple[str, str, int]]) -> Iterator[str]:
    """What a name stands for, in words."""
    match value:
        case Closure(source=Source() as inner):
            yield f"{name}: function"
            if (inner.file, inner.qualname, inner.first_line) not in seen:
                yield from _parts(inner, seen)
        case Const(value=literal):
            yield f"{name}: {literal!r}"
        case Seq(items=items, kind=kind):
            yield f"{name}: {kind} of {len(items)}"
            for k, item in enumerate(items):
                yield from _meaning(f"{name}[{k}]", item, seen)
        case Derived(kind=kind, function=inner, wrt=wrt):
            yield f"{name}: {kind} by {wrt!r}"
            yield from _meaning(f"{name}.primal", inner, seen)
        case Module(name=module):
            yield f"{name}: module {module}"
        case Named(spelling=spelling):
            yield f"{name}: {spelling}"
        case Outside() | Absent():
            # Read when the program runs, if it exists then.
            yield f"{name}: outside"
        case _:
            yield f"{name}: {value}"


def undecorated(node: FunctionNode) -> FunctionNode:
    """The function without its decorators; those of functions in it stay."""
    bare = copy(node)
    if not isinstance(bare, ast.Lambda):
        bare.decorator_list = []
    return bare


def global_names(node: FunctionNode) -> frozenset[str]:
    """The names that a function reads from outside itself, as the compiler resolves them.

    Compiled on its own, what is free in it is global. Attributes count too, which does no harm.
    """
    bare: Any = undecorated(node)
    if any(isinstance(part, Fits) for part in ast.walk(bare)):
        bare = _Spelled().visit(deepcopy(bare))
    whole = ast.Expression(bare) if isinstance(bare, ast.Lambda) else ast.Module([bare], [])
    try:
        mode = "eval" if isinstance(bare, ast.Lambda) else "exec"
        return frozenset(_names(compile(whole, "<function>", mode)))
    except SyntaxError:
        # A function that changes variables of the one around it is none without that.
        return frozenset(n.id for n in ast.walk(bare) if isinstance(n, ast.Name))


class _Spelled(ast.NodeTransformer):
    """Puts the expressions that a pattern has in the place of its test and of what it binds."""

    def visit_Fits(self, node: Fits) -> ast.expr:
        parts = [n for n in ast.walk(node.pattern) if isinstance(n, ast.expr)]
        return self._all(node, [node.subject, *parts])

    def visit_Part(self, node: Part) -> ast.expr:
        return self._all(node, [node.subject])

    def _all(self, node: ast.expr, parts: list[ast.expr]) -> ast.expr:
        inner = [self.visit(part) for part in parts]
        return ast.copy_location(ast.Tuple(inner, ast.Load()), node)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def syntax(node: object) -> str:
    """A syntax tree as text, the same in all versions of Python."""
    match node:
        case ast.AST():
            fields = (
                f"{name}={syntax(value)}"
                for name, value in ast.iter_fields(node)
                if name not in _IGNORED and value is not None and value != []
            )
            return f"{type(node).__name__}({', '.join(fields)})"
        case list():
            return f"[{', '.join(map(syntax, node))}]"
        case _:
            return f"{type(node).__name__} {node!r}"

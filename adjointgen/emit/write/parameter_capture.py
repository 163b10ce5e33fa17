"""A parameter that is called like something outside of the function which its text needs.

    def f_adjoint(x, len):                   def f_adjoint(x, len):
        ... len(x) * len ...         →           return _f_adjoint(x, len)

                                             def _f_adjoint(x, len_):
                                                 ... len(x) * len_ ...

Callers give arguments by name, so a parameter keeps its own; the statements are in a function of
their own, where it has another. That is so only where the text does name both.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection
from typing import Final

from adjointgen.emit.decide.row_spelling import Modules
from adjointgen.emit.syntax.definition_trees import function_def
from adjointgen.emit.syntax.expression_trees import call, name
from adjointgen.emit.syntax.printer import lines
from adjointgen.emit.syntax.statement_trees import return_
from adjointgen.emit.syntax.tree import Define, Entry, Expression, Starred
from adjointgen.emit.write.functions import write
from adjointgen.emit.write.imports import bound_by
from adjointgen.ir.nodes import Function, Parameter
from adjointgen.ir.packing import places
from adjointgen.records import replace
from adjointgen.rules.framework.builder import Names

_OUTER: Final = frozenset(dir(builtins)) | {"math", "scipy", "numba", "prange", "NDArray", "Any"}


def written(
    function: Function, modules: Modules, functions: Collection[str]
) -> tuple[list[Define], set[str]]:
    """The definition of a function, the inner one after it where there are two, and the free
    names of the user's code."""
    outer = _OUTER | {modules.numpy} | bound_by(function.imports) | {*functions}
    parts = places(function)
    own = [p for p in function.parameters if p.name not in parts]
    if not any(p.name in outer for p in own):
        definition, free = write(function, modules)
        return [definition], free
    names = Names({p.name for p in function.parameters} | outer)
    other = {p.name: names.fresh(f"{p.name}_") for p in own if p.name in outer}
    inside, free = write(_renamed(function, other), modules)
    if not {*other}.intersection(_names(inside)) or any(p.star == "**" for p in own):
        definition, free = write(function, modules)
        return [definition], free
    title = names.fresh(f"_{function.name}")
    plain = tuple(replace(p, default=None) for p in inside.parameters)
    return [_calling(function, inside, title), replace(inside, name=title, parameters=plain)], free


def _renamed(function: Function, other: dict[str, str]) -> Function:
    def renamed(parameter: Parameter) -> Parameter:
        return replace(parameter, name=other.get(parameter.name, parameter.name))

    packed = tuple(replace(p, name=other.get(p.name, p.name)) for p in function.packed)
    return replace(function, parameters=tuple(map(renamed, function.parameters)), packed=packed)


def _calling(function: Function, inside: Define, title: str) -> Define:
    """The function that callers know: it hands its arguments on."""
    parts = places(function)
    own = [p.name for p in function.parameters if p.name not in parts]
    head = tuple(replace(p, name=n) for p, n in zip(inside.parameters, own, strict=True))
    given: list[Entry] = []
    named: dict[str, Expression] = {}
    for parameter, inner in zip(head, inside.parameters, strict=True):
        if parameter.named:
            named[inner.name] = name(parameter.name)
        else:
            value = name(parameter.name)
            given.append(Starred(value) if parameter.star else value)
    body = [return_(call(name(title), given, named))]
    made = function_def(
        function.name, head, body, docstring=function.origin.doc, returns=inside.returns
    )
    return made


def _names(definition: Define) -> set[str]:
    """The names that the statements of a definition mention."""
    (node,) = ast.parse("\n".join(lines([definition]))).body
    assert isinstance(node, ast.FunctionDef)
    return {n.id for stmt in node.body for n in ast.walk(stmt) if isinstance(n, ast.Name)}

"""Imports inside a function: the names are modules and functions as those of the module are."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Module, Named
from adjointgen.frontend.source.name_resolution import known_module, member_of_known
from adjointgen.frontend.state.context import Context


def import_(ctx: Context, node: ast.Import) -> None:
    for alias in node.names:
        name = alias.asname or alias.name.split(".")[0]
        line = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
        ctx.set(name, Module(alias.name if alias.asname else name, name, line))


def import_from(ctx: Context, node: ast.ImportFrom) -> None:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        name = alias.asname or alias.name
        line = f"from {module} import {alias.name}" + (f" as {name}" if alias.asname else "")
        known = known_module(module)
        found = member_of_known(Module(module, module, line), alias.name)
        renamed: Abstract = Named(f"{module}.{alias.name}", name, line, known)
        ctx.set(
            name, Module(found.name, name, line) if isinstance(found, Module) and known else renamed
        )


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Import: import_,
    ast.ImportFrom: import_from,
}

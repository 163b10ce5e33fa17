"""Imports inside a function: the names are modules and functions as those of the module are."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Module, Named
from adjointgen.frontend.source.name_resolution import (
    LiveResolver,
    known_module,
    member_of_known,
)
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
        if (loaded := _of_loaded(ctx, node, alias.name)) is not None:
            ctx.set(name, loaded)
            continue
        line = f"from {module} import {alias.name}" + (f" as {name}" if alias.asname else "")
        known = known_module(module)
        found = member_of_known(Module(module, module, line), alias.name)
        renamed: Abstract = Named(f"{module}.{alias.name}", name, line, known)
        ctx.set(
            name, Module(found.name, name, line) if isinstance(found, Module) and known else renamed
        )


def _of_loaded(ctx: Context, node: ast.ImportFrom, name: str) -> Abstract | None:
    """What is imported from a module of the user's that is loaded, as for a live function it is.

    A module that is not loaded yet is left to the run: to load it has effects.
    """
    resolver = ctx.frame.source.resolver
    if not isinstance(resolver, LiveResolver):
        return None
    home = resolver.absolute(node.level, node.module or "")
    if known_module(home) or not hasattr(sys.modules.get(home), name):
        return None
    return resolver.member(Module(home, home, f"import {home}"), name)


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Import: import_,
    ast.ImportFrom: import_from,
}

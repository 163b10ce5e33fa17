"""Imports inside a function: the names are modules and functions as those of the module are."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from adjointgen.frontend.domain.abstract_values import Abstract, Module, Named
from adjointgen.frontend.source.module_search import absolute
from adjointgen.frontend.source.name_resolution import (
    LiveResolver,
    known_module,
    member_of_known,
)
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.rules.framework.table import TABLE


def import_(ctx: Context, node: ast.Import) -> None:
    for alias in node.names:
        name = alias.asname or alias.name.split(".")[0]
        line = f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")
        ctx.set(name, Module(alias.name if alias.asname else name, name, line))


def import_from(ctx: Context, node: ast.ImportFrom) -> None:
    module = _home(ctx, node)
    for alias in node.names:
        name = alias.asname or alias.name
        if (live := _of_live(ctx, module, alias.name)) is not None:
            ctx.set(name, live)
            continue
        line = f"from {module} import {alias.name}" + (f" as {name}" if alias.asname else "")
        known = known_module(module)
        found = member_of_known(Module(module, module, line), alias.name)
        renamed: Abstract = Named(f"{module}.{alias.name}", name, line, known)
        ctx.set(
            name, Module(found.name, name, line) if isinstance(found, Module) and known else renamed
        )


def _home(ctx: Context, node: ast.ImportFrom) -> str:
    """The name of the module that is imported from, without dots where the packages tell."""
    source = ctx.frame.source
    if isinstance(source.resolver, LiveResolver) and node.level:
        return source.resolver.absolute(node.level, node.module or "")
    return absolute("." * node.level + (node.module or ""), source.file)


def _of_live(ctx: Context, home: str, name: str) -> Abstract | None:
    """What a live function imports from a module of the user's.

    A module that is not loaded yet is loaded where the function loads it: that has effects, and may
    end in ImportError.
    """
    resolver = ctx.frame.source.resolver
    if not isinstance(resolver, LiveResolver):
        return None
    if _is_late(ctx, home, name):
        return verbatim(ctx, _loading(home, name), ())
    found = hasattr(sys.modules.get(home), name) and not known_module(home)
    return resolver.member(Module(home, home, f"import {home}"), name) if found else None


def _is_late(ctx: Context, home: str, name: str) -> bool:
    """Whether a name is found when the program runs: in a module that is not loaded."""
    if not isinstance(ctx.frame.source.resolver, LiveResolver) or known_module(home):
        return False
    known = TABLE.find(f"{home}.{name}") is not None or hasattr(sys.modules.get(home), name)
    return not known and not home.startswith(".")


def _loading(home: str, name: str) -> str:
    return f"__import__({home!r}, fromlist=[{name!r}]).{name}"


def assigned(ctx: Context, stmt: ast.ImportFrom) -> list[ast.stmt] | None:
    """`from m import a, b` as assignments, which a `try` around it can watch."""
    home = _home(ctx, stmt)
    if not any(_is_late(ctx, home, alias.name) for alias in stmt.names):
        return None
    made: list[ast.stmt] = []
    for alias in stmt.names:
        own: ast.stmt = ast.ImportFrom(stmt.module, [alias], stmt.level)
        if _is_late(ctx, home, alias.name):
            value = ast.parse(_loading(home, alias.name), mode="eval").body
            own = ast.Assign([ast.Name(alias.asname or alias.name, ast.Store())], value)
        for part in ast.walk(own):
            ast.copy_location(part, stmt)
        made.append(own)
    return made


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {
    ast.Import: import_,
    ast.ImportFrom: import_from,
}

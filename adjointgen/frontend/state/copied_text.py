"""The text of the user's code with its local variables replaced by operands, at the margin."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from typing import cast

from adjointgen.frontend.domain.abstract_values import (
    Absent,
    Abstract,
)
from adjointgen.frontend.source.copied_code import (
    Offset,
    bound_here,
    dedented,
    is_evaluated,
    is_placed,
    offset,
    read_by_entry,
    rewritten,
)
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.copied_checks import (
    check_copied,
)
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.scope_lookup import (
    is_spelled,
    lookup,
    swapped,
    undefined,
)
from adjointgen.ir.nodes import Value
from adjointgen.ir.types import OBJECT, Type
from adjointgen.rules.framework.builder import const


def template(
    ctx: Context, node: ast.AST, holes: Holes, known: Mapping[ast.expr, Abstract] | None = None
) -> str:
    """The text of a node with its local variables and folded constants replaced, at the margin.

    Parts that are `known` have been evaluated, and are not again.
    """
    place = node
    check_copied(ctx, node)
    known = known or {}
    given: dict[str, Abstract] = {}
    bound = bound_here(node)
    text, at = ctx.text(node), cast(Offset, partial(offset, ctx.frame.source, node))
    if not is_placed(text, node, swapped(ctx, node, bound, known), at):
        given, names = _evaluated(ctx, node, bound, known)
        text, node, at = rewritten(node, names)
        known = {}
    indexed = read_by_entry(node)
    quoted = [n for s in ast.walk(node) if isinstance(s, ast.JoinedStr) for n in ast.walk(s)]
    swaps: list[tuple[int, int, str]] = []
    for part in swapped(ctx, node, bound, known):
        value = known.get(part) or given.get(part.id if isinstance(part, ast.Name) else "")
        if value is None:
            value = _found(ctx, part, node)
        new = (holes.fill_entries if part in indexed else holes.fill)(value)
        if part in quoted and not new.isidentifier():
            new = _apart(ctx, holes, new)
        length = len(part.id if isinstance(part, ast.Name) else ctx.text(part))
        swaps.append((at(part), at(part) + length, new))
    for start, end, new in sorted(set(swaps), reverse=True):
        text = text[:start] + new + text[end:]
    return dedented(text, node) if isinstance(node, ast.stmt) and node is place else text


def _found(ctx: Context, part: ast.expr, within: ast.AST) -> Abstract:
    """What a name stands for; what other parts are is evaluated."""
    if part is within and isinstance(part, ast.Call):
        ctx.refuse("AG102", f"{ctx.text(part)} cannot be copied", "write it as a loop", node=part)
    if not isinstance(part, ast.Name):
        return ctx.expression(part)
    value = lookup(ctx, part.id)
    if isinstance(value, Absent):
        said = undefined(ctx, part.id)
        if said and is_evaluated(part, within):
            statement(ctx, f'raise NameError("{said}")', ())
            ctx.state.dead = True
            return const(0.0)
        ctx.refuse("AG102", f"{part.id} is not defined here", "define it above", node=part)
    return value


def _apart(ctx: Context, holes: Holes, text: str) -> str:
    """What stands for a text that a string cannot hold: quotes and braces end it."""
    return holes.fill(verbatim(ctx, text, holes.operands, pure=True))


def _evaluated(
    ctx: Context, node: ast.AST, bound: frozenset[str], known: Mapping[ast.expr, Abstract]
) -> tuple[dict[str, Abstract], dict[ast.expr, str]]:
    """What parts of a node other than names are, each under a name that stands for it."""
    parts = swapped(ctx, node, bound, known)
    whole = [p for p in parts if p in known or not is_spelled(p)]
    names = {part: f"_part_{k}_" for k, part in enumerate(whole)}
    return {names[p]: known[p] if p in known else ctx.expression(p) for p in whole}, names


def expression(
    ctx: Context,
    node: ast.AST,
    type: Type = OBJECT,
    pure: bool = False,
    known: Mapping[ast.expr, Abstract] | None = None,
) -> Value:
    """An expression that is copied as it stands, but for what is `known` of it."""
    holes = Holes(ctx)
    code = template(ctx, node, holes, known)
    options = holes.keeping()
    if pure:
        # What it names of the module it reads, and keeps nothing there.
        options = {"pure": True} | {k: v for k, v in options.items() if k == "outside"}
    return verbatim(ctx, code, holes.operands, type, () if pure else holes.refs, **options)

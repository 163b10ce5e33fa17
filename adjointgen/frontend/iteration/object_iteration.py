"""Loops over what is asked for each entry: objects that are not known, lists that are values.

    for line in file: S        steps = iter(file)
                               while (entry := next(steps, steps)) is not steps: line = entry;  S

An object may have no end, do something at each entry, or see what the body does. Where the body can
do nothing that it could see, and runs to the end, its entries are taken out at once
(`iteration.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Module,
    Named,
    Outside,
    Ref,
    Seq,
    Struct,
)
from adjointgen.frontend.source.collection_classes import deque
from adjointgen.frontend.source.desugar import Made, placed
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import keys
from adjointgen.frontend.state.passthrough import verbatim
from adjointgen.frontend.state.reachability import reachable
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.rules.framework.table import TABLE


def asked_each(ctx: Context, node: ast.For, value: Abstract) -> ast.While | None:
    """The loop that asks an object for each entry; None where it need not."""
    if not isinstance(content(ctx, value), Value | Ref | Outside) or keys(ctx, value) is not None:
        return None
    operand = read(ctx, value)
    if operand.type.kind != "object" or not isinstance(operand, Value):
        return None
    if operand.name in ctx.tables or _is_quiet(ctx, node):
        return None
    steps, entry = (_fresh(ctx, stem) for stem in ("steps", "entry"))
    ctx.set(steps, verbatim(ctx, "iter(_0_)", (operand,)))
    return _stepped(node, steps, entry)


def _stepped(node: ast.For, steps: str, entry: str) -> ast.While:
    loaded = ast.Name(steps, ast.Load())
    call = Made(ast.Name("next", ast.Load()), [loaded, loaded], [])
    taken = ast.NamedExpr(ast.Name(entry, ast.Store()), call)
    test = ast.Compare(taken, [ast.IsNot()], [loaded])
    bind = ast.Assign([node.target], ast.Name(entry, ast.Load()))
    return placed(ast.While(test, [bind, *node.body], node.orelse), node)


def _fresh(ctx: Context, stem: str) -> str:
    taken = ctx.frame.locals | {name for _, name in ctx.state.names}
    while stem in taken:
        stem += "_"
    return stem


def _is_quiet(ctx: Context, node: ast.For) -> bool:
    """Whether a loop runs to its end and only computes."""
    facts = ctx.liveness.sequence(node.body)
    if facts.jumps or ctx.catching or any(_is_object(ctx, name) for name in facts.writes):
        return False
    inside = [inner for stmt in node.body for inner in ast.walk(stmt)]
    calls = [inner for inner in inside if isinstance(inner, ast.Call)]
    return all(_computes(ctx, call) for call in calls)


def _is_object(ctx: Context, name: str) -> bool:
    found = ctx.get(name)
    held = ctx.state.cells.get(found.cell) if isinstance(found, Ref) else found
    if isinstance(held, Seq | Struct):
        return False
    return not isinstance(held, Value) or held.type.kind == "object"


def _computes(ctx: Context, call: ast.Call) -> bool:
    """Whether a function is called that does nothing else, as far as the text tells."""
    function = call.func
    attributes = []
    while isinstance(function, ast.Attribute):
        attributes.append(function.attr)
        function = function.value
    found = lookup(ctx, function.id) if isinstance(function, ast.Name) else None
    if not isinstance(found, Named | Module | Ref):
        return False
    spelling = getattr(found, "spelling", getattr(found, "name", ""))
    spelling = ".".join([spelling, *reversed(attributes)])
    known = TABLE.find(spelling) is not None or ctx.actions.special(spelling) is not None
    return known and not (isinstance(found, Named) and spelling.endswith((".next", ".iter")))


@contextmanager
def kept_entries(ctx: Context, value: Abstract, node: ast.AST) -> Iterator[None]:
    """Refuse a loop over a deque that changes it: Python raises, of which a list knows nothing."""
    entries = deque_entries(ctx, value)
    cell = entries.cell if isinstance(entries, Ref) else -1
    before = ctx.state.cells.get(cell)
    yield
    if before != ctx.state.cells.get(cell) and not ctx.state.dead:
        ctx.refuse("AG101", "a deque is changed in a loop over it", "loop over list(d)", node=node)


def deque_entries(ctx: Context, value: Abstract) -> Abstract | None:
    """The list of a deque of ours."""
    known = content(ctx, value)
    if not isinstance(known, Struct) or not isinstance(known.kind, Class):
        return None
    return known.get("_entries") if known.kind.type is deque else None


# Lists that are values


def run_over(ctx: Context, value: Abstract) -> dict[int, Operand]:
    """The lists of unknown length that a loop runs over, as they are now."""
    held = {cell: ctx.state.cells[cell] for cell in reachable([value], ctx.state.cells)}
    return {c: v for c, v in held.items() if isinstance(v, Value) and v.type.kind == "list"}


def check_lengths(ctx: Context, before: dict[int, Operand]) -> None:
    """Refuse a loop that changes the length of a list that it runs over."""
    if not before:
        return
    made = {r: s for s in ctx.blocks[-1] if isinstance(s, Apply) for r in s.results}
    for cell, start in before.items():
        now = ctx.state.cells.get(cell)
        while now != start and isinstance(now, Value) and now in made and made[now].op == "store":
            now, *_ = made[now].args
        if now != start:
            ctx.unlike(
                "AG106",
                f"the loop runs over {ctx.info[cell].root or 'a list'}, and may change its length",
                "loop over list(...), or count with an index",
            )

"""Loops over what is asked for each entry: objects that are not known, lists that are values.

    for line in file: S        steps = iter(file)
                               while (entry := next(steps, next)) is not next: line = entry;  S

An object may have no end, do something at each entry, or see what the body does. Where the body can
do nothing that it could see, and runs to the end, its entries are taken out at once
(`iteration.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Class,
    Lazy,
    Module,
    Named,
    Outside,
    Range,
    Ref,
    Seq,
    Struct,
    Zipped,
)
from adjointgen.frontend.iteration.looked_at import is_blind, is_listed, only_looks
from adjointgen.frontend.source.collection_classes import deque
from adjointgen.frontend.source.desugar import Made, placed
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.module_objects import is_own, keys, living
from adjointgen.frontend.state.passthrough import Holes, verbatim
from adjointgen.frontend.state.reachability import reachable
from adjointgen.frontend.state.scope_lookup import lookup
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Apply, Operand, Value
from adjointgen.rules.framework.builder import const
from adjointgen.rules.framework.table import TABLE


def asked_each(ctx: Context, node: ast.For, value: Abstract) -> ast.While | None:
    """The loop that asks an object for each entry; None where it need not."""
    source, made = _source(ctx, value)
    left = _is_iterator(ctx, value) and any(isinstance(n, _LEAVES) for n in ast.walk(node))
    if left:
        source = partial(read, ctx, value)
    if source is None or (_is_quiet(ctx, node) and all(is_blind(ctx, [m]) for m in made)):
        return None
    asked = [part for part in _parts(value) if _is_asked(ctx, part)]
    if (
        not left
        and all(is_listed(ctx, part) for part in asked)
        and only_looks(ctx, [node.target, *node.body])
    ):
        return None
    steps, entry = (_fresh(ctx, stem) for stem in ("steps", "entry"))
    bind = _bound(ctx, node.target, value, entry)
    ctx.set(steps, verbatim(ctx, "iter(_0_)", (source(),)))
    return _stepped(node, steps, entry, bind)


def _source(
    ctx: Context, value: Abstract
) -> tuple[Callable[[], Operand] | None, Sequence[ast.AST]]:
    """The object that is asked, when a loop begins, and what is done with entries on their way."""
    match value:
        case Zipped(how="enumerate", parts=(part,)):
            return _source(ctx, part)
        case Zipped(how="zip", parts=parts) if len(parts) > 1:
            asked = [_is_asked(ctx, part) for part in parts]
            known = (a or isinstance(p, Range) for a, p in zip(asked, parts, strict=True))
            return (lambda: _zip(ctx, parts)) if any(asked) and all(known) else None, ()
        case Lazy(over=over, make=make, test=test, lists=False) if not isinstance(over, Lazy):
            makers = (make,) if test is None else (make, test)
            found = _source(ctx, over)[0] if _is_asked(ctx, over) else None
            return found, [maker.source.node for maker in makers]
    return (lambda: read(ctx, value)) if _is_asked(ctx, value) else None, ()


def _parts(value: Abstract) -> tuple[Abstract, ...]:
    return value.parts if isinstance(value, Zipped) else (value,)


def _is_asked(ctx: Context, value: Abstract) -> bool:
    """Whether a value is an object of which nothing is known."""
    if not isinstance(content(ctx, value), Value | Ref | Outside) or keys(ctx, value) is not None:
        return False
    operand = read(ctx, value)
    if operand.type.kind != "object" or not isinstance(operand, Value):
        return False
    return operand.name not in ctx.tables


_LEAVES = (ast.Break, ast.Return, ast.Raise)


def _is_iterator(ctx: Context, value: Abstract) -> bool:
    """Whether this is an iterator of the user's, which is at another place after each entry."""
    if not isinstance(content(ctx, value), Value | Ref | Outside):
        return False
    owner = living(ctx, read(ctx, value))
    return owner is not None and is_own(owner.value, "__next__")


def _zip(ctx: Context, parts: Sequence[Abstract]) -> Operand:
    holes = Holes(ctx)
    text = ", ".join([holes.fill(part) for part in parts])
    return verbatim(ctx, f"zip({text})", holes.operands)


def _bound(ctx: Context, target: ast.expr, value: Abstract, entry: str) -> list[ast.stmt]:
    """`target = entry`, or of its number and it, or of what is made of it, if that is chosen."""
    loaded = ast.Name(entry, ast.Load())
    match value:
        case Zipped(how="enumerate", parts=(part,), start=start):
            place = _fresh(ctx, "place")
            ctx.set(place, const(0) if start is None else start)
            inner = _fresh(ctx, "inner")
            pair = ast.Tuple([ast.Name(place, ast.Load()), ast.Name(inner, ast.Load())], ast.Load())
            more = ast.AugAssign(ast.Name(place, ast.Store()), ast.Add(), ast.Constant(1))
            bind = _bound(ctx, ast.Name(inner, ast.Store()), part, entry)
            return [*bind, ast.Assign([target], pair), more]
        case Lazy(make=make, test=test):
            first: list[ast.stmt] = []
            if test is not None:
                chosen = ast.UnaryOp(ast.Not(), _called(ctx, "test", test, loaded))
                first = [ast.If(chosen, [ast.Continue()], [])]
            return [*first, ast.Assign([target], _called(ctx, "make", make, loaded))]
    return [ast.Assign([target], loaded)]


def _called(ctx: Context, stem: str, function: Abstract, entry: ast.expr) -> ast.expr:
    name = _fresh(ctx, stem)
    ctx.set(name, function)
    return Made(ast.Name(name, ast.Load()), [entry], [])


def _stepped(node: ast.For, steps: str, entry: str, bind: list[ast.stmt]) -> ast.While:
    loaded = ast.Name(steps, ast.Load())
    # What is recorded of an entry is a copy of it: the function stays what it is, an iterator need
    # not have a copy.
    end = ast.Name("next", ast.Load())
    call = Made(ast.Name("next", ast.Load()), [loaded, end], [])
    taken = ast.NamedExpr(ast.Name(entry, ast.Store()), call)
    test = ast.Compare(taken, [ast.IsNot()], [ast.Name("next", ast.Load())])
    return placed(ast.While(test, [*bind, *node.body], node.orelse), node)


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
    return all(_computes(ctx, call) for call in calls) and is_blind(ctx, [node.target, *node.body])


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

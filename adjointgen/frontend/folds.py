"""Calls that run over something, as the loops that they abbreviate.

    sum(e for a in x if c)     total = 0;  for a in x:  if c: total = total + e
    any(e for a in x if c)     found = False;  for a in x:  if c and e: found = True; break
    map(f, x, y)               (f(a, b) for a, b in zip(x, y))
    filter(f, x)               (a for a in x if f(a))
    reduce(f, x)               total = x[0];  for a in x[1:]: total = f(total, a)

A generator without conditions over one thing is left to `comprehensions.py`, which makes a list.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

from adjointgen.frontend.context import Context
from adjointgen.frontend.values import Abstract, Named

Tree = TypeVar("Tree", bound=ast.AST)
Rewrite = Callable[[Context, ast.Call], Abstract | None]


def _summed(start: int, op: type[ast.operator]) -> Rewrite:
    def rewrite(ctx: Context, node: ast.Call) -> Abstract | None:
        over = _generator(ctx, node.args[0]) if len(node.args) in (1, 2) else None
        if over is None or node.keywords or not _is_chosen(over):
            return None
        first = node.args[1] if len(node.args) == 2 else ast.Constant(start)
        name = _fresh(ctx, "total")
        added = ast.BinOp(ast.Name(name, ast.Load()), op(), over.elt)
        step = ast.Assign([ast.Name(name, ast.Store())], added)
        return _run(ctx, node, over, name, first, [step])

    return rewrite


def _found(ends_on: bool) -> Rewrite:
    def rewrite(ctx: Context, node: ast.Call) -> Abstract | None:
        over = _generator(ctx, node.args[0]) if len(node.args) == 1 else None
        if over is None or not _is_chosen(over):
            return None
        name = _fresh(ctx, "found")
        test = over.elt if ends_on else ast.UnaryOp(ast.Not(), over.elt)
        hit = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(ends_on))
        stop: list[ast.stmt] = [ast.Break()] if len(over.generators) == 1 else []
        first = ast.Constant(not ends_on)
        return _run(ctx, node, over, name, first, [ast.If(test, [hit, *stop], [])])

    return rewrite


Over = ast.GeneratorExp | ast.ListComp


def _generator(ctx: Context, node: ast.expr) -> Over | None:
    """What is run over, if it is a generator or is short for one."""
    match node:
        case ast.GeneratorExp() | ast.ListComp():
            return node
        case ast.Call(func=ast.Name(id="map" | "filter" as name)):
            found = ctx.expression(node.func)
            known = isinstance(found, Named) and found.spelling == f"builtins.{name}"
            return (_mapped if name == "map" else _filtered)(ctx, node) if known else None
    return None


def _is_chosen(over: Over) -> bool:
    """Whether it is not one result for each entry of one thing."""
    return len(over.generators) > 1 or bool(over.generators[0].ifs)


def _run(
    ctx: Context,
    node: ast.Call,
    over: Over,
    name: str,
    first: ast.expr,
    inner: list[ast.stmt],
) -> Abstract:
    body = inner
    for generator in reversed(over.generators):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(generator.target, generator.iter, body, [])]
    start = ast.Assign([ast.Name(name, ast.Store())], first)
    bound = {n.id for g in over.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return _lowered(ctx, node, [start, *body], name, sorted(bound))


def _lowered(
    ctx: Context, node: ast.Call, stmts: Sequence[ast.stmt], name: str, bound: Sequence[str]
) -> Abstract:
    """The value of a name after some statements; the others that they bind are theirs alone."""
    placed = [_placed(stmt, node) for stmt in stmts]
    live = ctx.live | {name} | {n for f, n in ctx.state.names if f == ctx.frame.number}
    outer = ctx.live
    with ctx.bound_inside(bound):
        ctx.actions["list of statements"](ctx, placed, frozenset(live))
        ctx.live = outer
        return ctx.state.names.pop(ctx.key(name))


def _fresh(ctx: Context, stem: str) -> str:
    taken = ctx.frame.locals | {name for _, name in ctx.state.names}
    while stem in taken:
        stem += "_"
    return stem


def _mapped(ctx: Context, node: ast.Call) -> ast.GeneratorExp | None:
    if len(node.args) < 2 or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    function, *over = node.args
    names = [_fresh(ctx, f"entry_{k}" if k else "entry") for k in range(len(over))]
    call = ast.Call(function, [ast.Name(n, ast.Load()) for n in names], [])
    if len(over) == 1:
        target: ast.expr = ast.Name(names[0], ast.Store())
        run: ast.expr = over[0]
    else:
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        run = ast.Call(ast.Name("zip", ast.Load()), over, [])
    return _generated(node, call, ast.comprehension(target, run, [], 0))


def _filtered(ctx: Context, node: ast.Call) -> ast.GeneratorExp | None:
    match node:
        case ast.Call(args=[function, over], keywords=[]):
            name = _fresh(ctx, "entry")
            test = ast.Call(function, [ast.Name(name, ast.Load())], [])
            chosen = ast.comprehension(ast.Name(name, ast.Store()), over, [test], 0)
            return _generated(node, ast.Name(name, ast.Load()), chosen)
    return None


def _generated(node: ast.Call, element: ast.expr, over: ast.comprehension) -> ast.GeneratorExp:
    return _placed(ast.GeneratorExp(element, [over]), node)


def _placed(made: Tree, node: ast.AST) -> Tree:
    """A tree of which all parts have a place."""
    for part in ast.walk(made):
        if isinstance(part, ast.stmt | ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return made


def _listed(ctx: Context, node: ast.Call) -> Abstract | None:
    """`list(a for a in x if c)` as the comprehension."""
    over = _generator(ctx, node.args[0]) if len(node.args) == 1 else None
    if over is None or node.keywords or not _is_chosen(over):
        return None
    return ctx.expression(_placed(ast.ListComp(over.elt, over.generators), node))


def _first(ctx: Context, node: ast.Call) -> Abstract | None:
    """`next((a for a in x if c), start)`: the loop ends at the first."""
    over = _generator(ctx, node.args[0]) if len(node.args) == 2 else None
    if over is None or node.keywords or len(over.generators) > 1:
        return None
    name = _fresh(ctx, "first")
    hit = ast.Assign([ast.Name(name, ast.Store())], over.elt)
    return _run(ctx, node, over, name, node.args[1], [hit, ast.Break()])


def _as_expression(make: Callable[[Context, ast.Call], ast.GeneratorExp | None]) -> Rewrite:
    def rewrite(ctx: Context, node: ast.Call) -> Abstract | None:
        made = make(ctx, node)
        return None if made is None else ctx.expression(made)

    return rewrite


def _reduced(ctx: Context, node: ast.Call) -> Abstract | None:
    if len(node.args) not in (2, 3) or node.keywords:
        return None
    function, over, *start = node.args
    total, entry, run = _fresh(ctx, "total"), _fresh(ctx, "entry"), _fresh(ctx, "over")
    held = ast.Name(run, ast.Load())
    rest: ast.expr = held if start else ast.Subscript(held, _tail(), ast.Load())
    first = start[0] if start else ast.Subscript(held, ast.Constant(0), ast.Load())
    names = [ast.Name(total, ast.Load()), ast.Name(entry, ast.Load())]
    step = ast.Assign([ast.Name(total, ast.Store())], ast.Call(function, [*names], []))
    stmts = [
        ast.Assign([ast.Name(run, ast.Store())], over),
        ast.Assign([ast.Name(total, ast.Store())], first),
        ast.For(ast.Name(entry, ast.Store()), rest, [step], []),
    ]
    return _lowered(ctx, node, stmts, total, [entry, run])


def _tail() -> ast.Slice:
    return ast.Slice(ast.Constant(1), None, None)


def _unread(ctx: Context, node: ast.Call) -> Abstract | None:
    ctx.refuse("AG101", "this runs or reads what is not in the text", "write it out", node=node)


def rewritten(ctx: Context, node: ast.Call, spelling: str) -> Abstract | None:
    """What a call of a function gives, where it stands for statements."""
    rewrite = REWRITES.get(spelling)
    return None if rewrite is None else rewrite(ctx, node)


UNREAD = ("eval", "exec", "globals", "locals", "vars")
REWRITES: dict[str, Rewrite] = {
    **{f"builtins.{name}": _unread for name in UNREAD},
    "builtins.sum": _summed(0, ast.Add),
    "math.prod": _summed(1, ast.Mult),
    "builtins.any": _found(True),
    "builtins.all": _found(False),
    "builtins.list": _listed,
    "builtins.next": _first,
    "builtins.map": _as_expression(_mapped),
    "builtins.filter": _as_expression(_filtered),
    "functools.reduce": _reduced,
    "_functools.reduce": _reduced,
}

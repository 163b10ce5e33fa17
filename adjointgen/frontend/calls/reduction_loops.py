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

from adjointgen.frontend.calls.running_function import bound_names
from adjointgen.frontend.domain.abstract_values import (
    Abstract,
    Named,
    Ref,
    Seq,
    Zipped,
    is_one_by_one,
)
from adjointgen.frontend.iteration.generator_expressions import check_names, filtered, mapped
from adjointgen.frontend.iteration.iteration import entries
from adjointgen.frontend.source.desugar import Made, placed
from adjointgen.frontend.state.certain_raise import fails
from adjointgen.frontend.state.context import Context
from adjointgen.frontend.state.passthrough import statement
from adjointgen.frontend.state.storage_cells import content, read
from adjointgen.ir.nodes import Const, Value
from adjointgen.ir.types import Type
from adjointgen.rules.framework.builder import const

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
        if not isinstance(over, ast.GeneratorExp) or node.keywords:
            return None
        name = _fresh(ctx, "found")
        test = over.elt if ends_on else ast.UnaryOp(ast.Not(), over.elt)
        hit = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(ends_on))
        first = ast.Constant(not ends_on)
        left: ast.expr = ast.Name(name, ast.Load())
        left = left if ends_on else ast.UnaryOp(ast.Not(), left)
        step: list[ast.stmt] = [ast.If(test, [hit, ast.Break()], [])]
        return _run(ctx, node, over, name, first, step, [ast.If(left, [ast.Break()], [])])

    return rewrite


def searched(ctx: Context, node: ast.Call, value: Abstract, ends_on: bool) -> Abstract | None:
    """`any(value)` and `all(value)` of a generator that has a name."""
    source, entry = _fresh(ctx, "entries"), _fresh(ctx, "entry")
    ctx.set(source, value)
    run = ast.comprehension(ast.Name(entry, ast.Store()), ast.Name(source, ast.Load()), [], 0)
    over = _generated(node, ast.Name(entry, ast.Load()), run)
    found = _found(ends_on)(ctx, placed(Made(node.func, [over], []), node))
    ctx.state.names.pop(ctx.key(source), None)
    return found


Over = ast.GeneratorExp | ast.ListComp


def _generator(ctx: Context, node: ast.expr) -> Over | None:
    """What is run over, if it is a generator or is short for one."""
    match node:
        case ast.GeneratorExp() | ast.ListComp():
            check_names(ctx, node.generators)
            return node
        case ast.Call(func=ast.Name(id="map" | "filter" as name)):
            found = ctx.expression(node.func)
            known = isinstance(found, Named) and found.spelling == f"builtins.{name}"
            # What is mapped is evaluated once.
            known = known and isinstance(node.args[0], ast.Name | ast.Attribute | ast.Lambda)
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
    after: Sequence[ast.stmt] = (),
) -> Abstract:
    """The loops of a generator around a body; `after` stands behind each inner loop."""
    body = inner
    for k, generator in reversed([*enumerate(over.generators)]):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(generator.target, generator.iter, body, []), *(after if k else ())]
    start = ast.Assign([ast.Name(name, ast.Store())], first)
    bound = {n.id for g in over.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return _lowered(ctx, node, [start, *body], name, sorted(bound))


def _lowered(
    ctx: Context, node: ast.Call, stmts: Sequence[ast.stmt], name: str, bound: Sequence[str]
) -> Abstract:
    """The value of a name after some statements; the others that they bind are theirs alone."""
    made = [placed(stmt, node) for stmt in stmts]
    live = ctx.live | {name} | {n for f, n in ctx.state.names if f == ctx.frame.number}
    outer = ctx.live
    with ctx.bound_inside(bound):
        ctx.actions.statements(ctx, made, frozenset(live))
        ctx.live = outer
        # Where a statement fails for certain, those after it are not lowered.
        return ctx.state.names.pop(ctx.key(name), const(0.0))


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
    call = Made(function, [ast.Name(n, ast.Load()) for n in names], [])
    if len(over) == 1:
        target: ast.expr = ast.Name(names[0], ast.Store())
        run: ast.expr = over[0]
    else:
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        run = Made(ast.Name("zip", ast.Load()), over, [])
    return _generated(node, call, ast.comprehension(target, run, [], 0))


def _filtered(ctx: Context, node: ast.Call) -> ast.GeneratorExp | None:
    match node:
        case ast.Call(args=[function, over], keywords=[]):
            name = _fresh(ctx, "entry")
            test = Made(function, [ast.Name(name, ast.Load())], [])
            chosen = ast.comprehension(ast.Name(name, ast.Store()), over, [test], 0)
            return _generated(node, ast.Name(name, ast.Load()), chosen)
    return None


def _generated(node: ast.Call, element: ast.expr, over: ast.comprehension) -> ast.GeneratorExp:
    return placed(ast.GeneratorExp(element, [over]), node)


def _listed(ctx: Context, node: ast.Call) -> Abstract | None:
    """`list(a for a in x if c)` as the comprehension."""
    over = _generator(ctx, node.args[0]) if len(node.args) == 1 else None
    if over is None or node.keywords or not _is_chosen(over):
        return None
    return ctx.expression(placed(ast.ListComp(over.elt, over.generators), node))


def _first(ctx: Context, node: ast.Call) -> Abstract | None:
    """`next((a for a in x if c), start)`: the loop ends at the first."""
    over = _generator(ctx, node.args[0]) if len(node.args) == 2 else None
    if over is None or node.keywords or len(over.generators) > 1:
        return None
    name = _fresh(ctx, "first")
    hit = ast.Assign([ast.Name(name, ast.Store())], over.elt)
    return _run(ctx, node, over, name, node.args[1], [hit, ast.Break()])


def _map(ctx: Context, node: ast.Call) -> Abstract | None:
    """`map(f, x, y)`: the function is evaluated now, its calls later."""
    if len(node.args) < 2 or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    function, *over = (ctx.expression(arg) for arg in node.args)
    return mapped(ctx, node, function, over)


def _filter(ctx: Context, node: ast.Call) -> Abstract | None:
    if len(node.args) != 2 or node.keywords:
        return None
    function, over = (ctx.expression(arg) for arg in node.args)
    return None if function == const(None) else filtered(ctx, node, function, over)


def _reduced(ctx: Context, node: ast.Call) -> Abstract | None:
    if len(node.args) not in (2, 3) or node.keywords:
        return None
    function, over, *start = node.args
    total, entry, run = _fresh(ctx, "total"), _fresh(ctx, "entry"), _fresh(ctx, "over")
    held = ast.Name(run, ast.Load())
    rest: ast.expr = held if start else ast.Subscript(held, _tail(), ast.Load())
    first = start[0] if start else ast.Subscript(held, ast.Constant(0), ast.Load())
    names = [ast.Name(total, ast.Load()), ast.Name(entry, ast.Load())]
    step = ast.Assign([ast.Name(total, ast.Store())], Made(function, [*names], []))
    value = ctx.expression(over)
    if not start:
        value = _with_entries(ctx, value)
        if (ended := _without_first(ctx, value)) is not None:
            return ended
    ctx.set(run, value)
    stmts = [
        ast.Assign([ast.Name(total, ast.Store())], first),
        ast.For(ast.Name(entry, ast.Store()), rest, [step], []),
    ]
    return _lowered(ctx, node, stmts, total, [entry, run])


def _with_entries(ctx: Context, value: Abstract) -> Abstract:
    """A list of what gives its entries one by one."""
    viewed = isinstance(value, Zipped) and not value.listed
    if not viewed and not is_one_by_one(content(ctx, value)):
        return value
    items = entries(ctx, value)
    return ctx.actions.as_list(ctx, value) if items is None else Seq(items, "list")


def _without_first(ctx: Context, value: Abstract) -> Const | None:
    """`reduce` without a start raises TypeError for what has no entries, and for a number.

    What it gives where that is certain; None where it is not.
    """
    said = "reduce() of empty iterable with no initial value"
    known = content(ctx, value)
    if isinstance(known, Seq):
        return None if known.items else fails(ctx, "TypeError", said)
    if isinstance(known, Ref):
        known = read(ctx, known)
    if not isinstance(known, Const | Value):
        return None
    if known.type.is_scalar:
        return fails(ctx, "TypeError", "reduce() arg 2 must support iteration")
    if known.type.kind in ("array", "list") and not _has_first(known.type):
        code = f"if not len(_0_):\n    raise TypeError({said!r})"
        statement(ctx, code, (ctx.apply("stop_gradient", known),))
    return None


def _has_first(type: Type) -> bool:
    first = (type.shape or (None,))[0]
    return first is not None and first.known is not None and first.known > 0


def _tail() -> ast.Slice:
    return ast.Slice(ast.Constant(1), None, None)


def _unread(ctx: Context, node: ast.Call) -> Abstract | None:
    ctx.refuse("AG101", "this runs or reads what is not in the text", "write it out", node=node)


def rewritten(ctx: Context, node: ast.Call, spelling: str) -> Abstract | None:
    """What a call of a function gives, where it stands for statements."""
    rewrite = REWRITES.get(spelling)
    return None if rewrite is None else rewrite(ctx, node)


UNREAD = ("eval", "exec", "globals")
REWRITES: dict[str, Rewrite] = {
    **{f"builtins.{name}": _unread for name in UNREAD},
    "builtins.locals": bound_names,
    "builtins.vars": bound_names,
    "builtins.sum": _summed(0, ast.Add),
    "math.prod": _summed(1, ast.Mult),
    "builtins.any": _found(True),
    "builtins.all": _found(False),
    "builtins.list": _listed,
    "builtins.next": _first,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "functools.reduce": _reduced,
    "_functools.reduce": _reduced,
}

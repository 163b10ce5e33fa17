"""Generator expressions, which evaluate their entries when these are asked for.

    g = (f(a, k) for a in x if a > 0)    over x, now;  entry(a) = f(a, k), test(a) = a > 0, then

What consumes all of one at once, such as `sum`, may have a list instead (`call_arguments.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Lazy, Zipped
from adjointgen.frontend.expressions.arithmetic import closure
from adjointgen.frontend.expressions.special_methods import iterated
from adjointgen.frontend.source.comprehension_scopes import read_unbound
from adjointgen.frontend.source.desugar import Made, placed
from adjointgen.frontend.state.context import Context
from adjointgen.records import replace

ENTRY, ROW, CALLED = ".0", ".1", ".f"


def generator(ctx: Context, node: ast.GeneratorExp) -> Abstract:
    """A generator: what it runs over first is evaluated now, all else later."""
    check_names(ctx, node.generators)
    first, *rest = node.generators
    if any(isinstance(n, ast.NamedExpr | ast.Await) for n in ast.walk(node)):
        ctx.refuse("AG101", "a generator that assigns names", "write the loop out", node=node)
    over = iterated(ctx, ctx.expression(first.iter), node)
    element = node.elt
    if rest:
        element = ast.copy_location(ast.ListComp(node.elt, rest), node)
    make = _function(ctx, first.target, element)
    test = _function(ctx, first.target, _all(first.ifs)) if first.ifs else None
    return Lazy(over, make, test, bool(rest))


def check_names(ctx: Context, generators: list[ast.comprehension]) -> None:
    """Refuse (AG102) a name that is read before the comprehension binds it."""
    if len(generators) > 1 and (unbound := read_unbound(generators)) is not None:
        what = f"{unbound.id} is a name of this comprehension, and has no value here"
        ctx.refuse("AG102", what, "give one of the two another name", node=unbound)


def _all(tests: Sequence[ast.expr]) -> ast.expr:
    first, *rest = tests
    return ast.copy_location(ast.BoolOp(ast.And(), [first, *rest]), first) if rest else first


def mapped(ctx: Context, node: ast.AST, function: Abstract, over: Sequence[Abstract]) -> Abstract:
    """`map(function, *over)`."""
    entry = ast.Name(ENTRY, ast.Load())
    args: list[ast.expr] = [entry] if len(over) == 1 else [ast.Starred(entry, ast.Load())]
    call = placed(Made(ast.Name(CALLED, ast.Load()), args, []), node)
    run = over[0] if len(over) == 1 else Zipped("zip", tuple(over))
    return Lazy(run, _taking(ctx, call, function))


def filtered(ctx: Context, node: ast.AST, function: Abstract, over: Abstract) -> Abstract:
    """`filter(function, over)`."""
    entry = placed(ast.Name(ENTRY, ast.Load()), node)
    call = placed(Made(ast.Name(CALLED, ast.Load()), [entry], []), node)
    return Lazy(over, _taking(ctx, entry, function), _taking(ctx, call, function))


def _taking(ctx: Context, value: ast.expr, function: Abstract) -> Closure:
    """The function of one entry, which has another at hand."""
    made = _function(ctx, ast.copy_location(ast.Name(ENTRY, ast.Store()), value), value)
    arguments: ast.arguments = made.source.node.args
    arguments.args.append(ast.copy_location(ast.arg(CALLED), value))
    arguments.defaults.append(ast.copy_location(ast.Constant(None), value))
    return replace(made, defaults=((CALLED, function),))


def _function(ctx: Context, target: ast.expr, value: ast.expr) -> Closure:
    """`def entry(e): target = e; return value`."""

    at = ast.copy_location
    given = at(ast.Name(ENTRY, ast.Load()), value)
    body: list[ast.stmt] = [at(ast.Assign([target], given), value), at(ast.Return(value), value)]
    arguments = ast.arguments([], [at(ast.arg(ENTRY), value)], None, [], [], None, [])
    return closure(ctx, at(ast.FunctionDef("entry", arguments, body, [], None, None), value))

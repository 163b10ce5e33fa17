"""`with`: managers whose body is lowered in place.

    with np.errstate(...): S      S, as what is only warned of changes no number
    with nullcontext(v) as a: S   a = v;  S
    with suppress(E): S           try: S  except E: pass
    with m as a: S                with m as a: S

Any other manager is passive, like all that is copied, and stands around the statements of the
program that stand for the body. It is told of an exception, as in Python. One that takes it would
have the program go on without what the body had computed: such a program ends in an error
(`runtime/managers.py`). A program that stands for the function goes on as Python does where the
body computes nothing that is read later.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from adjointgen.frontend.control.try_flags import around
from adjointgen.frontend.domain.abstract_values import Abstract, Closure, Named
from adjointgen.frontend.source.name_liveness import Names
from adjointgen.frontend.state.context import NO, Context, State
from adjointgen.frontend.state.passthrough import Holes, statement, verbatim
from adjointgen.frontend.state.runtime_helpers import operation_of
from adjointgen.frontend.state.statement_hoisting import calls_ours
from adjointgen.frontend.state.storage_cells import read
from adjointgen.frontend.statements.copied_definitions import bound_statement
from adjointgen.ir.nodes import Apply, Const
from adjointgen.records import replace
from adjointgen.rules.framework.builder import const

RAISING = ("raise", "call")


def with_(ctx: Context, node: ast.With) -> None:
    """The managers from the outside in, and the body within."""
    primal = ctx.outlines.primal
    if primal or not any(_steers(ctx, item.context_expr) for item in node.items):
        facts, ours = ctx.liveness.of(node), calls_ours(ctx, node)
        # What it ends in may be for a handler around it.
        seen = facts.hands_on(ctx.live) or ctx.actions.may_change(ctx, node)
        if not (ctx.catching or seen or ours):
            ctx.actions.copied(ctx, node)
            return
        if primal and not ours and not ctx.catching:
            bound_statement(ctx, node)
            return
    after = ctx.live
    _within(ctx, node, node.items, lambda: _body(ctx, node.body, after))


def _body(ctx: Context, body: Sequence[ast.stmt], after: frozenset[str]) -> None:
    ctx.actions.statements(ctx, body, after)


def _manager(ctx: Context, node: ast.expr) -> tuple[str, ast.Call | None]:
    """The qualified name of the function that makes a manager, and its call."""
    if not isinstance(node, ast.Call):
        return "", None
    found: Abstract | None = None
    if isinstance(node.func, ast.Name | ast.Attribute):
        # It is only asked what it is.
        with ctx.block(ctx.state.fork()):
            found = ctx.actions.callee(ctx, node.func)
    return (found.spelling if isinstance(found, Named) else ""), node


def _steers(ctx: Context, node: ast.expr) -> bool:
    return _manager(ctx, node)[0] == "numpy.errstate"


def _within(
    ctx: Context, node: ast.With, items: Sequence[ast.withitem], body: Callable[[], None]
) -> None:
    if not items:
        body()
        return
    item, *others = items
    spelling, call = _manager(ctx, item.context_expr)

    def inside() -> None:
        _within(ctx, node, others, body)

    if call is not None and spelling == "numpy.errstate" and not _raises(ctx, call):
        inside()
    elif call is not None and spelling == "contextlib.nullcontext":
        value = ctx.expression(call.args[0]) if call.args else const(None)
        _bind(ctx, item, value)
        inside()
    elif call is not None and spelling == "contextlib.suppress":
        _suppress(ctx, node, call, others)
    else:
        silent = spelling == "numpy.errstate"
        ctx.strict += silent
        _entered(ctx, item, inside, silent)
        ctx.strict -= silent


def _raises(ctx: Context, call: ast.Call) -> bool:
    """Whether a state is set in which NumPy raises exceptions."""
    values = [ctx.expression(keyword.value) for keyword in call.keywords]
    return any(not isinstance(v, Const) or v.value in RAISING for v in values)


def _bind(ctx: Context, item: ast.withitem, value: Abstract) -> None:
    if item.optional_vars is not None:
        ctx.actions.assign(ctx, item.optional_vars, value)


def _suppress(ctx: Context, node: ast.With, call: ast.Call, others: list[ast.withitem]) -> None:
    body: list[ast.stmt] = node.body
    if others:
        body = [ast.copy_location(ast.With(others, node.body), node)]
    kinds = ast.copy_location(ast.Tuple(call.args, ast.Load()), call)
    nothing = ast.copy_location(ast.Pass(), call)
    handler = ast.copy_location(ast.ExceptHandler(kinds, None, [nothing]), call)
    ctx.statement(ast.copy_location(ast.Try(body, [handler], [], []), node))


def _entered(ctx: Context, item: ast.withitem, inside: Callable[[], None], silent: bool) -> None:
    """A manager around statements; a `silent` one does nothing about exceptions."""
    holes = Holes(ctx)
    holes.fill(read(ctx, ctx.expression(_within_kept(ctx, item.context_expr))))
    code = "_0_" if silent else "_kept(_0_)"
    stmts, place, live = ctx.blocks[-1], len(ctx.blocks[-1]), ctx.live
    entered = verbatim(ctx, code, holes.operands, region="with")
    flags = [ctx.state.names.get(handler.flag) for handler in around(ctx)]
    _bind(ctx, item, entered)
    before = ctx.state.fork()
    inside()
    if not silent and flags != [ctx.state.names.get(handler.flag) for handler in around(ctx)]:
        ctx.refuse(
            "AG101",
            "an exception leaves `with` for a handler around it",
            "catch it inside of `with`, or enter the manager outside of `try`",
            node=item.context_expr,
        )
    ctx.node = item.context_expr
    statement(ctx, "", (), region="end")
    if ctx.outlines.primal and _hands_nothing_on(ctx, before, live):
        # What follows is the same, whether or not the manager takes an exception.
        made = stmts[place]
        assert isinstance(made, Apply)
        options = {**dict(made.options), "code": "_0_"}
        stmts[place] = replace(made, options=tuple(sorted(options.items())))
        for name in ("names", "cells", "tangled", "reads", "dead", "lent"):
            setattr(ctx.state, name, getattr(before, name))


def _hands_nothing_on(ctx: Context, before: State, live: Names) -> bool:
    """Whether nothing that is read later was bound or written to since."""
    names, cells = ctx.state.names, ctx.state.cells
    mine = ctx.frame.number
    for key in {**before.names, **names}:
        new = key not in before.names
        if new and (key[0] != mine or not (key[1] in live or key[1].startswith("%"))):
            continue
        if names.get(key, NO) != before.names.get(key, NO):
            return False
    return all(cells.get(cell) == value for cell, value in before.cells.items())


def _within_kept(ctx: Context, node: ast.expr) -> ast.expr:
    """The manager, where a program that is read again has it in its helper."""
    match node:
        case ast.Call(func=ast.Name() as function, args=[inner]):
            found = ctx.expression(function)
            if isinstance(found, Closure) and operation_of(found.source) == "kept":
                return inner
    return node


HANDLERS: dict[type[ast.AST], Callable[[Context, Any], Any]] = {ast.With: with_}
